import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Execution } from "../../src/core/call.ts";
import { createRuntime, type Runtime, type RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { afterTest } from "../support/after-test.ts";

export interface Machine {
  readonly home: string;
  readonly workdir: string;
  readonly env: Record<string, string>;
  /** With the settings as they ship, in the mode `auto`. */
  readonly open: (config?: RuntimeConfig) => Promise<Runtime>;
}

/** A home folder with a workspace in it, and a runtime of its own. Not below /tmp, of which commands see nothing anyway. */
export async function openMachine(t: TestContext, { at = "work" } = {}): Promise<Machine> {
  const home = mkdtempSync(join(findVisibleFolder(), "deckhand-test-"));
  afterTest(t, () => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  const workdir = join(home, at);
  mkdirSync(workdir, { recursive: true });
  const env = { PATH: process.env["PATH"]!, HOME: home };
  return {
    home,
    workdir,
    env,
    async open(config = {}) {
      const runtime = await createRuntime({ workdir, env, settings: { permissions: { mode: "auto" } }, ...config });
      afterTest(t, () => runtime.close());
      return runtime;
    },
  };
}

function findVisibleFolder(): string {
  const found = [join(import.meta.dirname, "../../node_modules"), homedir(), "/var/lib", "/opt"].find((folder) => {
    try {
      accessSync(folder, constants.W_OK);
      return !/^\/(?:var\/)?tmp\//.test(`${realpathSync(folder)}/`);
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("No folder outside /tmp can be written here.");
  return realpathSync(found);
}

export function put(folder: string, name: string, text = "as it was\n"): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A script, so that the analysis of the command sees nothing but a name; called as a model would. */
export async function runScript(runtime: Runtime, script: string): Promise<Execution> {
  put(runtime.workdir, "m.sh", script);
  return runtime.call("bash", { command: "bash m.sh" }, { door: "agent" });
}
