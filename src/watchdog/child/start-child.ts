import { once } from "node:events";
import type { Clock } from "../../core/clock.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { identify } from "../../process/stop/process-identity-check.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { spawnClean } from "../../process/run/spawn-clean.ts";
import { settlesWithin } from "../../process/stop/wait.ts";

type ChildProcess = ReturnType<typeof spawnClean>;

export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type StartedChild =
  | { readonly started: true; readonly identity: ProcessIdentity; readonly ended: Promise<ChildExit> }
  /** As a shell says it: 127 not found, 126 not to be executed. */
  | { readonly started: false; readonly exitCode: 126 | 127; readonly message: string };

export interface StartOptions {
  readonly command: readonly [string, ...string[]];
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** In a session of its own: a Ctrl-C for the watchdog is not one for the child, and its group can be signalled. */
export async function startChild(
  { command, workdir, env, onOutput }: StartOptions,
  { table, clock }: { readonly table: ProcessTable; readonly clock: Clock },
): Promise<StartedChild> {
  const [program, ...args] = command;
  let child: ChildProcess;
  try {
    child = spawnClean(program, args, { cwd: workdir, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  } catch (thrown) {
    return notStarted(program, workdir, thrown);
  }
  if (child.pid === undefined) {
    const [thrown] = (await once(child, "error")) as [unknown];
    return notStarted(program, workdir, thrown);
  }
  const { pid } = child;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", onOutput);
    stream?.on("error", () => undefined); // the end of the process tells the rest
  }
  child.on("error", () => undefined);
  // It is at least a zombie until the event loop turns, so it can be looked at.
  const identity = identify(table, pid) ?? { pid, startTime: "0", bootId: table.bootId };
  return { started: true, identity, ended: follow(child, clock) };
}

/** A process that outlives the child may hold its output open: it is still logged, but not waited for. */
async function follow(child: ChildProcess, clock: Clock): Promise<ChildExit> {
  const closed = once(child, "close");
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  await settlesWithin(clock, closed, drainMs);
  return { exitCode, signal };
}

const drainMs = 300;

function notStarted(program: string, workdir: string, thrown: unknown): StartedChild {
  const code = codeOf(thrown);
  const why =
    code === "ENOENT"
      ? `the program, or the folder ${workdir}, does not exist`
      : code === "EACCES"
        ? "it may not be executed; check its mode"
        : messageOf(thrown);
  const exitCode = code === "EACCES" ? 126 : 127;
  return { started: false, exitCode, message: `"${program}" could not be started: ${why}` };
}
