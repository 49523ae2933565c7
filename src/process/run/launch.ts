import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { CommandExit, StartError } from "./run-request.ts";
import type { Enclosure } from "../sandbox/enclosure.ts";
import { identify } from "../stop/process-identity-check.ts";
import { descriptors, firstProcess, namespaceArguments, readInitPid, readStatus } from "../sandbox/namespace.ts";
import type { ProcessTable } from "../stop/process-table.ts";
import { markerName } from "./run-folder.ts";
import type { Run } from "./run-folder.ts";
import { seatbeltProgram } from "../sandbox/seatbelt-profile.ts";
import { spawnClean } from "./spawn-clean.ts";
import type { Stdio } from "./spawn-clean.ts";

export interface LaunchRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: Run;
  readonly stdin: "ignore" | "pipe";
  /** A descriptor is closed here once the child has it, unless it is shared. */
  readonly stdout: number | "pipe";
  readonly stderr: number | "pipe";
  readonly isShared?: boolean;
  readonly enclosure: Enclosure;
  /** Outlives this process, and leaves its exit status in the file `status`. */
  readonly keep: boolean;
}

export interface Launched {
  readonly started: true;
  readonly child: ChildProcess;
  readonly stderr: Duplex | null;
  readonly identity: ProcessIdentity;
  /** The command ended. `sandboxError`: it never began, because the sandbox could not be set up. */
  readonly ended: Promise<CommandExit & { readonly sandboxError?: string }>;
  /** The process that we started ended too. */
  readonly gone: Promise<void>;
  readonly initPid: () => number | null;
  /** Lets the namespace's first process end. Does nothing without one. */
  release(): void;
}

export type LaunchResult = Launched | { readonly started: false; readonly startError: StartError };

/** The one place that spawns for others: own session, marked, without a terminal, inside the sandbox if there is one. */
export async function launch(table: ProcessTable, request: LaunchRequest): Promise<LaunchResult> {
  const outputs = request.isShared ? [] : [request.stdout, request.stderr];
  const opened = new Set(outputs.filter((to) => typeof to === "number"));
  let child: ChildProcess;
  try {
    const { file, args, stdio } = arrange(request, opened);
    const env = {
      ...request.env,
      ...request.enclosure.env,
      DECKHAND_EXECUTION: request.run.name,
      [markerName]: request.run.folder,
    };
    child = spawnClean(file, args, { cwd: request.cwd, env, stdio, detached: true });
  } catch (thrown) {
    return { started: false, startError: toStartError(thrown, request) };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
  if (child.pid === undefined) {
    const [thrown] = (await once(child, "error")) as [unknown];
    return { started: false, startError: toStartError(thrown, request) };
  }
  // A child that could not be signalled says so here; the stop finds out by itself.
  child.on("error", () => {});
  return watch(table, request, { child, pid: child.pid });
}

function arrange(request: LaunchRequest, opened: Set<number>): { file: string; args: string[]; stdio: Stdio } {
  const { enclosure, stdin, stdout, stderr, keep } = request;
  const { namespace, profile, seatbelt } = enclosure;
  const argv: LaunchRequest["argv"] =
    seatbelt === null ? request.argv : [seatbeltProgram, "-p", seatbelt, ...request.argv];
  if (!namespace && !keep) return { file: argv[0], args: argv.slice(1), stdio: [stdin, stdout, stderr] };

  const open = (path: string, flags: string): number => {
    const fd = openSync(path, flags, 0o600);
    opened.add(fd);
    return fd;
  };
  const create = (name: string): number => open(join(request.run.folder, name), "ax");
  const status = keep ? create("status") : "pipe";
  const stdio: Stdio = [stdin, stdout, create("messages"), status, "ignore", stderr, create("info")];
  const keepsPwd = "PWD" in request.env;
  if (!namespace) return { file: "/bin/sh", args: firstProcess({ argv, keepsPwd }), stdio };
  // A link on the way there may not exist inside.
  const cwd = profile === null ? request.cwd : realpathSync(request.cwd);
  const shielded = enclosure.shield && profile !== null;
  if (shielded) stdio[descriptors.shell] = open(namespace.shell, "r");
  const args = namespaceArguments(namespace, { argv, keepsPwd, keep, cwd, profile, shielded });
  return { file: namespace.bwrap, args, stdio };
}

function watch(
  table: ProcessTable,
  request: LaunchRequest,
  { child, pid }: { child: ChildProcess; pid: number },
): Launched {
  const wrapped = request.enclosure.namespace !== null || request.keep;
  const pipes = child.stdio as readonly unknown[];
  const pipe = (pipes[descriptors.status] ?? null) as Duplex | null;
  const gone = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  return {
    started: true,
    child,
    stderr: (pipes[wrapped ? descriptors.stderr : 2] ?? null) as Duplex | null,
    // It is at least a zombie until the event loop turns, so it can be looked at.
    identity: identify(table, pid) ?? { pid, startTime: "0", bootId: table.bootId },
    gone,
    ended: new Promise((resolve) => {
      if (pipe) onFirstLine(pipe, (line) => resolve(readStatus(line, messages) ?? { exitCode: null, killedBy: null }));
      child.once("exit", (exitCode, killedBy) => {
        pipe?.destroy();
        resolve(wrapped ? outerEnd(exitCode, killedBy) : { exitCode, killedBy });
      });
    }),
    initPid: () => (request.enclosure.namespace ? readInitPid(join(request.run.folder, "info")) : null),
    release: () => void pipe?.end(),
  };

  function outerEnd(exitCode: number | null, killedBy: NodeJS.Signals | null): CommandExit & { sandboxError?: string } {
    const told = request.keep ? readStatus(readQuietly(join(request.run.folder, "status")), messages) : null;
    if (told) return told;
    const complaint = messages().trim();
    if (killedBy === null && complaint.startsWith("bwrap:")) return { exitCode, killedBy, sandboxError: complaint };
    // Whatever ended the first process ended the command with it, and only SIGKILL can.
    return { exitCode: null, killedBy: killedBy ?? "SIGKILL" };
  }

  function messages(): string {
    return readQuietly(join(request.run.folder, "messages"));
  }
}

function onFirstLine(pipe: Duplex, told: (line: string) => void): void {
  let text = "";
  pipe.on("data", (piece: Buffer) => {
    text += piece.toString("latin1");
    if (text.includes("\n")) told(text);
  });
  // The other side is killed at some point; the end of the process tells the rest.
  pipe.on("error", () => {});
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // the folder is gone, or the command removed it
  }
}

export function toStartError(thrown: unknown, request: Pick<LaunchRequest, "argv">): StartError {
  const code = codeOf(thrown) ?? "UNKNOWN";
  const program = `The program "${request.argv[0]}"`;
  const reasons: Record<string, string> = {
    E2BIG: `${program} was given more arguments and environment than the system takes; write the data to a file instead.`,
    EMFILE: `${program} could not be started: too many files are open in this process.`,
    ENFILE: `${program} could not be started: too many files are open on this machine.`,
    EAGAIN: `${program} could not be started: the limit of processes is reached.`,
    ENOMEM: `${program} could not be started: there is not enough memory.`,
    ENOSPC: `${program} could not be started: the disk that holds the run folder is full.`,
    ENOENT: `${program} does not exist.`,
    EACCES: `${program} may not be executed; check its mode.`,
  };
  return { code, message: reasons[code] ?? `${program} could not be started: ${messageOf(thrown)}` };
}
