import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity, StopReport } from "../../core/process.ts";
import type { ProcessParts } from "../processes.ts";
import { toStartError } from "../run/launch.ts";
import { findStartProblem, type StartRequest } from "../run/resolve-program.ts";
import type { StartError } from "../run/run-request.ts";
import { spawnClean } from "../run/spawn-clean.ts";
import { identify, isAlive } from "../stop/process-identity-check.ts";
import { findVictims } from "../stop/processes-to-kill.ts";
import { type StopTarget, stopTree } from "../stop/stop-tree.ts";
import { type DetachedExit, readExit, readFacts, readGuard, takeBeginning } from "./detached-folder.ts";
import { shimArguments, taskMarkerName } from "./detached-shim.ts";

/**
 * What has become of it, told from its folder alone, in any process.
 * - `unstarted`: the shim was not there yet, or died before it could start the program
 * - `running`: the shim, or something that the program started, lives
 * - `ended`: the shim left the exit status
 * - `gone`: nothing of it lives, and nobody wrote how it ended
 */
export type DetachedState =
  | { readonly state: "unstarted" | "gone"; readonly process: ProcessIdentity | null }
  | { readonly state: "running"; readonly process: ProcessIdentity }
  | { readonly state: "ended"; readonly process: ProcessIdentity | null; readonly exit: DetachedExit };

/**
 * Programs that live on when this process ends, each in a folder of its own, which is all that another process needs to watch and
 * stop it. They run without a sandbox: they are agents, which bring their own. `close` and `reapAbandoned` leave them alone.
 */
export interface Detached {
  /** Why this could not be started; null when nothing speaks against it. */
  findProblem(request: Omit<StartRequest, "executionId">): StartError | null;
  start(request: DetachedRequest): Promise<DetachedStart>;
  look(folder: string): DetachedState;
  /** True: it has not begun and never will, however late its shim comes. */
  forbid(folder: string): boolean;
  /**
   * Ends every process of it that can be found, and looks until none is left. A pid that is another's by now gets no signal. `onLiving`
   * is called when something of it lives, so that this may take the grace.
   */
  stop(folder: string, graceMs: number, onLiving?: () => void): Promise<StopReport>;
}

export function createDetached(parts: ProcessParts): Detached {
  const { table, clock } = parts;

  function look(folder: string): DetachedState {
    const process = readFacts(folder);
    const exit = readExit(folder);
    if (exit) return { state: "ended", process, exit };
    if (!process) return { state: "unstarted", process };
    if (isAlive(table, process) || hasOrphans(folder, process)) return { state: "running", process };
    // It may have ended between the two looks.
    const last = readExit(folder);
    return last ? { state: "ended", process, exit: last } : { state: "gone", process };
  }

  /** Somebody killed the shim; what it had started may still be at work. The guard and its sleep are not. */
  function hasOrphans(folder: string, process: ProcessIdentity): boolean {
    const target = targetIn(folder, process);
    const { victims, complete } = findVictims(table, target, { known: new Map() });
    return !complete || !victims.every(target.isHelper);
  }

  return {
    findProblem: (request) => findStartProblem({ ...request, executionId: "task" }),
    start: (request) => startDetached(parts, request),
    look,
    forbid: takeBeginning,
    stop: (folder, graceMs, onLiving) =>
      stopTree(targetIn(folder, readFacts(folder)), { table, clock, graceMs, ...(onLiving && { onLiving }) }),
  };
}

function targetIn(folder: string, root: ProcessIdentity | null): Required<StopTarget> {
  const guard = readGuard(folder);
  return {
    marker: `${taskMarkerName}=${folder}`,
    root,
    outputPaths: new Set(outputPaths(folder)),
    namespace: null,
    // The guard waits for the limit, in a sleep, also when the shim is gone.
    isHelper: ({ pid, parentPid }) => guard !== null && (pid === guard || parentPid === guard),
  };
}

export interface DetachedRequest extends StartRequest {
  /** A private folder of its own, real path: `stdout`, `stderr` and the shim's files come into it. */
  readonly folder: string;
  /** A file to read from; null: stdin is closed. */
  readonly stdinPath: string | null;
  /** From the start, kept by the shim also when no runtime lives; in whole seconds, rounded up. */
  readonly limitMs: number;
  /** After the limit, between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

type DetachedStart =
  | {
      readonly ok: true;
      /** The shim that leads the session. */
      readonly process: ProcessIdentity;
      /** The shim has ended. Nothing is kept alive by waiting for it. */
      readonly gone: Promise<void>;
    }
  | { readonly ok: false; readonly startError: StartError };

/** Starts a program that outlives this process. Never rejects. */
async function startDetached(parts: ProcessParts, request: DetachedRequest): Promise<DetachedStart> {
  const problem = findStartProblem(request);
  if (problem) return { ok: false, startError: problem };
  const opened: number[] = [];
  let child: ChildProcess;
  try {
    const open = (path: string, flags: string): number => {
      const fd = openSync(path, flags, 0o600);
      opened.push(fd);
      return fd;
    };
    const [stdout, messages, stderr] = outputPaths(request.folder).map((path) => open(path, "ax"));
    const stdin = request.stdinPath === null ? "ignore" : open(request.stdinPath, "r");
    child = spawnClean("/bin/sh", argumentsOf(parts, request), {
      cwd: request.cwd,
      env: { ...request.env, DECKHAND_EXECUTION: request.executionId, [taskMarkerName]: request.folder },
      stdio: [stdin, stdout!, messages!, stderr!],
      detached: true,
    });
  } catch (thrown) {
    return { ok: false, startError: toStartError(thrown, request) };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
  if (child.pid === undefined) {
    const [thrown] = (await once(child, "error")) as [unknown];
    return { ok: false, startError: toStartError(thrown, request) };
  }
  child.on("error", () => {}); // nobody signals it through this object
  child.unref();
  const { pid } = child;
  return {
    ok: true,
    // It is at least a zombie until the event loop turns, so it can be looked at.
    process: identify(parts.table, pid) ?? { pid, startTime: "0", bootId: parts.table.bootId },
    gone: new Promise((resolve) => void child.once("exit", () => resolve())),
  };
}

/** What the program and the shim write to, in the order of the descriptors. */
function outputPaths(folder: string): string[] {
  return ["stdout", "messages", "stderr"].map((name) => join(folder, name));
}

function argumentsOf({ table }: ProcessParts, { folder, argv, limitMs, graceMs }: DetachedRequest): string[] {
  const [limitSeconds, graceSeconds] = [limitMs, graceMs].map((ms) => Math.max(1, Math.ceil(ms / 1000)));
  return shimArguments({
    folder,
    limitSeconds: limitSeconds!,
    graceSeconds: graceSeconds!,
    bootId: table.bootId,
    argv,
  });
}
