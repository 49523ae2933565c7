import { tmpdir } from "node:os";
import type { Clock } from "../core/clock.ts";
import type { StartError } from "./command.ts";
import { launch } from "./launch.ts";
import { findNamespaceProgram } from "./namespace.ts";
import type { Namespace } from "./namespace.ts";
import type { ProcessTable } from "./process-table.ts";
import { createRun, removeRun } from "./run-folder.ts";
import { settlesWithin } from "./wait.ts";

export type SandboxChoice = "auto" | "require" | "off";

export interface ProbeOptions {
  readonly choice: SandboxChoice;
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly runFolder: string;
}

/**
 * Which sandbox commands get. Found out by running one, because a program that is installed may still be forbidden
 * to make namespaces. A sandbox that was required and does not work is never replaced by none.
 */
export async function chooseSandbox(options: ProbeOptions): Promise<Namespace | StartError | null> {
  if (options.choice === "off") return null;
  const namespace = process.platform === "linux" ? findNamespaceProgram() : null;
  const problem = namespace ? await tryNamespace(namespace, options) : "bubblewrap is not installed";
  if (problem === null) return namespace;
  if (options.choice === "auto") return null;
  const message = `A sandbox is required, but ${problem}. Install bubblewrap, or set the sandbox to "auto".`;
  return { code: "SANDBOX_UNAVAILABLE", message };
}

async function tryNamespace(namespace: Namespace, { table, clock, runFolder }: ProbeOptions): Promise<string | null> {
  const run = createRun(runFolder, `probe-${process.pid}`);
  try {
    const argv = ["/bin/sh", "-c", "exit 7"] as const;
    const pipes = { stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
    const launched = await launch(table, {
      argv: [...argv],
      cwd: tmpdir(),
      env: {},
      run,
      ...pipes,
      namespace,
      keep: false,
    });
    if (!launched.started) return launched.startError.message;
    const inTime = await settlesWithin(clock, launched.ended, 5000);
    launched.release();
    if (!inTime) {
      launched.child.kill("SIGKILL");
      return "bubblewrap does not answer";
    }
    await launched.gone;
    const end = await launched.ended;
    return end.exitCode === 7 ? null : `bubblewrap does not work here (${end.sandboxError ?? "no answer"})`;
  } finally {
    await removeRun(run.folder);
  }
}
