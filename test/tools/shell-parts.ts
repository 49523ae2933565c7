import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxReport } from "../../src/core/call.ts";
import type { StopReport } from "../../src/core/process.ts";
import type { Progress, ToolContext } from "../../src/core/tool.ts";
import type { SandboxView } from "../../src/process/sandbox/sandbox-view.ts";
import type { ShellParts } from "../../src/tools/shell/run-program.ts";
import { openBench, viewOf } from "../process/support.ts";
import { contextIn } from "./run-tool.ts";

export interface Shell {
  readonly parts: ShellParts;
  readonly workdir: string;
  /** A context that remembers what it was told. */
  readonly listen: (signal?: AbortSignal) => ToolContext & {
    readonly heard: Progress[];
    readonly reports: StopReport[];
    readonly sandboxes: SandboxReport[];
  };
}

/** Real processes, a workdir, and a folder for whole outputs; in a sandbox when a part of its view is given. */
export async function openShell(
  t: { after(hook: () => Promise<void>): void },
  sandboxed?: Partial<SandboxView>,
): Promise<Shell> {
  const view = (): SandboxView => viewOf(workdir, sandboxed);
  const { processes, folder } = await openBench(t, sandboxed ? { sandbox: "require", view } : {});
  const workdir = join(folder, "workdir");
  await mkdir(workdir);
  return {
    workdir,
    parts: {
      processes,
      maxOutputBytes: 1_000_000,
      async keepOutput(rawPath, fileName) {
        const kept = join(folder, fileName);
        await copyFile(rawPath, kept);
        return kept;
      },
    },
    listen(signal) {
      const heard: Progress[] = [];
      const reports: StopReport[] = [];
      const progress = (update: Progress): void => void heard.push(update);
      const stopped = (report: StopReport): void => void reports.push(report);
      const sandboxes: SandboxReport[] = [];
      const sandboxed = (report: SandboxReport): void => void sandboxes.push(report);
      return { ...contextIn(workdir, signal), progress, stopped, sandboxed, heard, reports, sandboxes };
    },
  };
}
