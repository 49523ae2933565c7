import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import type { Tool } from "../../src/core/tool.ts";
import { createProcesses } from "../../src/process/processes.ts";
import { createGrepTool } from "../../src/tools/search/grep.ts";
import { lane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { makeFiles } from "./run-tool.ts";

const rgHere = await import("@vscode/ripgrep").then(
  ({ rgPath }) => spawnSync(rgPath, ["--version"]).status === 0,
  () => false,
);
/** The options of a test that needs ripgrep. */
export const withRg = lane("rg", rgHere || "ripgrep has no build for this platform");

export interface Bench {
  readonly tool: Tool;
  /** The workdir. */
  readonly folder: string;
  readonly runFolder: string;
}

export async function openBench(t: { after(hook: () => Promise<void>): void }): Promise<Bench> {
  const removals: (() => Promise<void>)[] = [];
  const top = await temporaryFolder({ after: (remove) => void removals.push(remove) });
  const runFolder = join(top, "run");
  const processes = createProcesses({ clock: systemClock, sandbox: "off", runFolder });
  t.after(async () => {
    await processes.close();
    for (const remove of removals) await remove();
  });
  await makeFiles(top, { "work/.keep": "" });
  return { tool: createGrepTool(processes), folder: join(top, "work"), runFolder };
}
