import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { StopReport } from "../../core/process.ts";
import { logBytes, type LogExtract, readLogHead, readLogTail } from "./background-log.ts";
import { isLogWhole } from "./background-pipe.ts";
import { readBackgroundState } from "./background-state.ts";
import type { ProcessParts } from "../process-parts.ts";
import { type ProcessRecord, readRecord, writeRecord } from "../run/process-record.ts";
import type { BackgroundHandle } from "./hold-background.ts";
import { type BackgroundRequest, type BackgroundStart, startBackground } from "./start-background.ts";
import { stopTree } from "../stop/stop-tree.ts";
import { targetOf } from "../stop/target-of.ts";
import { wait } from "../stop/wait.ts";

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
