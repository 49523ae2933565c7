import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Runtime, RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import { isolatedEnvironment, openRuntime } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A workdir with tool files that its person trusts. */
export interface ToolBench {
  /** The workdir. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** As an editor saves: written beside it, then renamed. */
  save(name: string, content: string): Promise<void>;
  remove(name: string): Promise<void>;
  trust(): void;
  open(config?: RuntimeConfig): Promise<Runtime>;
}

export async function openToolBench(t: TestContext, files: Readonly<Record<string, string>> = {}): Promise<ToolBench> {
  const place = await temporaryFolder(t);
  const home = join(place, "work");
  const env = isolatedEnvironment(join(place, "home"));
  const folder = join(home, "tools");
  await mkdir(folder, { recursive: true });
  await mkdir(join(place, "home"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const bench: ToolBench = {
    home,
    env,
    folder,
    async save(name, content) {
      await writeFile(join(folder, `.${name}.new`), content);
      await rename(join(folder, `.${name}.new`), join(folder, name));
    },
    remove: (name) => rm(join(folder, name)),
    trust() {
      const trust = createTrust(home, env);
      trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: trust.quarantined() });
    },
    open: (config = {}) => openRuntime(t, { home, env, settings: { permissions: { allow: ["*"] } }, ...config }),
  };
  if (Object.keys(files).length > 0) bench.trust();
  return bench;
}

/** A tool that says a word. */
export function saying(word: string, more: Readonly<Record<string, unknown>> = {}): string {
  const spec = {
    name: "say",
    description: "Say a word.",
    input_schema: { type: "object", properties: {} },
    traits: { read_only: true },
    ...more,
  };
  return `export const TOOL_SPEC = ${JSON.stringify(spec)};\nexport const run = () => ({ ok: true, output: ${JSON.stringify(word)} });\n`;
}

export async function say(runtime: Runtime, tool = "say"): Promise<string> {
  const { state, result, error } = await runtime.call(tool, {});
  return state === "completed" ? (result?.output ?? "") : `${state}: ${error}`;
}
