import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { StopReport } from "../../core/process.ts";
import type { ProcessParts } from "../processes.ts";
import { type ProcessRecord, readRecord, writeRecord } from "../run/run-folder.ts";
import type { CommandExit } from "../run/run-request.ts";
import { readStatus } from "../sandbox/namespace.ts";
import { isAlive } from "../stop/process-identity-check.ts";
import type { ProcessTable } from "../stop/process-table.ts";
import { findVictims } from "../stop/processes-to-kill.ts";
import { stopTree } from "../stop/stop-tree.ts";
import { targetOf } from "../stop/target-of.ts";
import { wait } from "../stop/wait.ts";
import { logBytes, type LogExtract, readLogHead, readLogTail } from "./background-log.ts";
import { isLogWhole } from "./background-pipe.ts";
import type { BackgroundHandle } from "./hold-background.ts";
import { type BackgroundRequest, type BackgroundStart, startBackground } from "./start-background.ts";

export interface BackgroundProcess {
  /** What `read` and `stop` take. */
  readonly id: string;
  readonly executionId: string;
  readonly pid: number | null;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly startedAt: number;
  readonly keep: boolean;
  readonly ownerSession: string | null;
  /** `stopped`: it was ended by us, not by itself. */
  readonly state: "running" | "exited" | "stopped";
  readonly exitCode: number | null;
  readonly killedBy: NodeJS.Signals | null;
  readonly outputBytes: number;
  readonly isSandboxed: boolean;
  /** Null while it runs, or when its end was not seen. */
  readonly endedAt: number | null;
}

/**
 * Processes that go on while other calls run. None outlives the process that started it, unless it was started with
 * `keep`. All that share a run folder see, read and stop each other's.
 */
export interface Background {
  /** Resolves when it is ready, has ended, or took too long to be ready; it runs on in the last case. */
  start(request: BackgroundRequest): Promise<BackgroundStart>;
  /** Oldest first; also those that have ended, until their owner does. */
  list(): BackgroundProcess[];
  find(id: string): BackgroundProcess | undefined;
  /** The end of its output, and its beginning when asked for; undefined when there is no such process. */
  read(id: string, options: { readonly tailBytes: number; readonly headBytes?: number }): BackgroundOutput | undefined;
  /** Ends it and everything it started; undefined when there is no such process. */
  stop(id: string): Promise<StopReport | undefined>;
}

export interface BackgroundOutput extends LogExtract {
  readonly head: string;
}

/** So long the keeper of a log may take to read the last of it. */
const logMs = 5000;

export function createBackground(parts: ProcessParts): Background {
  const { table, clock, runFolder } = parts;
  const ours = new Map<string, BackgroundHandle>();

  const recordOf = (id: string): ProcessRecord | undefined => {
    const record = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id) ? readRecord(join(runFolder, id)) : undefined;
    return record?.kind === "background" ? record : undefined;
  };

  function find(id: string): BackgroundProcess | undefined {
    const record = recordOf(id);
    if (!record) return undefined;
    const folder = join(runFolder, id);
    const now = readBackgroundState(table, folder, record);
    const exit = now.state === "running" ? null : now.exit;
    return {
      id,
      executionId: record.executionId,
      pid: record.child?.pid ?? null,
      command: record.command,
      cwd: record.cwd,
      startedAt: record.startedAt,
      keep: record.keep,
      ownerSession: record.ownerSession,
      state: now.state,
      exitCode: exit?.exitCode ?? null,
      killedBy: exit?.killedBy ?? null,
      outputBytes: logBytes(folder),
      isSandboxed: record.pins !== undefined,
      endedAt: now.state === "running" ? null : now.at,
    };
  }

  async function stopOthers(id: string, record: ProcessRecord): Promise<StopReport> {
    const folder = join(runFolder, id);
    const before = readBackgroundState(table, folder, record);
    const target = targetOf(table, { name: id, folder, record });
    const report = await stopTree(target, { table, clock, graceMs: parts.graceMs });
    // Something that could not be stopped may still hold the pipe.
    const until = clock.monotonic() + logMs;
    while (!isLogWhole(table, folder) && clock.monotonic() < until) await wait(clock, 10);
    const ended = report.survivors.length === 0 && before.state === "running";
    if (ended) writeRecord(folder, { ...record, exit: null, exitedAt: clock.now(), stopped: true });
    return report;
  }

  return {
    start: (request) => startBackground(parts, request, { ours, find }),
    find,
    list: () =>
      readdirSync(runFolder)
        .flatMap((id) => find(id) ?? [])
        .toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)),
    read(id, { tailBytes, headBytes = 0 }) {
      if (!recordOf(id)) return undefined;
      const folder = join(runFolder, id);
      return { ...readLogTail(folder, tailBytes), head: readLogHead(folder, headBytes) };
    },
    async stop(id) {
      const record = recordOf(id);
      const handle = ours.get(id);
      if (handle) return handle.stop();
      return record && stopOthers(id, record);
    },
  };
}

/** So long the output of a kept process can be read after it ended. */
export const keptMs = 60 * 60 * 1000;

export type BackgroundState =
  | { readonly state: "running" }
  /** `exit` is null when nobody was there to see how it ended. */
  | { readonly state: "exited" | "stopped"; readonly exit: CommandExit | null; readonly at: number | null };

/** What has become of a background process, told from its folder alone, in any process. */
export function readBackgroundState(table: ProcessTable, folder: string, record: ProcessRecord): BackgroundState {
  if (record.exitedAt !== null) {
    return { state: record.stopped ? "stopped" : "exited", exit: record.exit, at: record.exitedAt };
  }
  if (isRunning(table, folder, record) || !isLogWhole(table, folder)) return { state: "running" };
  const status = join(folder, "status");
  const exit = readStatus(readQuietly(status), () => readQuietly(join(folder, "messages")));
  return { state: "exited", exit, at: statSync(status, { throwIfNoEntry: false })?.mtimeMs ?? null };
}

function isRunning(table: ProcessTable, folder: string, record: ProcessRecord): boolean {
  const target = targetOf(table, { name: basename(folder), folder, record });
  if (record.child === null) {
    // Its owner is just starting it, or was killed before it could write down what it had started.
    return isAlive(table, record.owner) || findVictims(table, target, { known: new Map() }).victims.length > 0;
  }
  if (isAlive(table, record.child)) return true;
  // Somebody may have killed bwrap itself: what it held up then lives on under its first process.
  const init = record.keep ? target.namespace?.init() : null;
  return init ? isAlive(table, init) : false;
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // there is none: it was not started through the shell, or it was killed
  }
}
