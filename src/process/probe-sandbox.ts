import { tmpdir } from "node:os";
import type { Clock } from "../core/clock.ts";
import type { StartError } from "./command.ts";
import { isDiskFull } from "./disk-full.ts";
import { endMarked } from "./end-marked.ts";
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
 * Which sandbox commands get. Rejects when the run folder can't be used, which says nothing about the sandbox.
 * Found out by running one, because a program that is installed may still be forbidden to make namespaces. A sandbox
 * that was required and does not work is never replaced by none.
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
  let ended = false;
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
    if (!launched.started) {
      if (isDiskFull(runFolder)) throw diskFull(runFolder);
      ended = true;
      return launched.startError.message;
    }
    const inTime = await settlesWithin(clock, launched.ended, 5000);
    launched.release();
    if (!inTime) return "bubblewrap does not answer";
    await launched.gone;
    const end = await launched.ended;
    ended = end.exitCode === 7;
    if (ended) return null;
    if (isDiskFull(runFolder)) throw diskFull(runFolder);
    return `bubblewrap does not work here (${end.sandboxError ?? "no answer"})`;
  } finally {
    // A bwrap that fails half way leaves its child behind, which waits for it for ever.
    if (!ended) await endMarked(run, { table, clock });
    await removeRun(run.folder);
  }
}

function diskFull(runFolder: string): Error {
  return Object.assign(new Error(`the disk that holds "${runFolder}" is full`), { code: "ENOSPC" });
}
