import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { StopReport } from "../../core/process.ts";
import type { LiveRun, ProcessParts } from "../processes.ts";
import type { HeldRun } from "../run/hold-run.ts";
import { readRecord, writeRecord } from "../run/run-folder.ts";
import { isAlive } from "../stop/process-identity-check.ts";
import type { ProcessTable } from "../stop/process-table.ts";
import { settlesWithin } from "../stop/wait.ts";
import type { BackgroundPipe } from "./background-pipe.ts";

/** A background process that this process has started. */
export interface BackgroundHandle {
  /** It has ended, by itself or not, and so has what it left behind. Never rejects. */
  readonly ended: Promise<StopReport | null>;
  stop(): Promise<StopReport>;
}

/** A flood that was stopped is in its log by then, also on a busy machine. */
const logMs = 10_000;

/** Watches over it until it ends or this process does. */
export function holdBackground(parts: ProcessParts, held: HeldRun, pipe: BackgroundPipe): BackgroundHandle {
  const { folder } = held.run;
  const { keep } = held.record;
  let stopping: Promise<StopReport> | undefined;
  const stop = (): Promise<StopReport> => (stopping ??= held.stop());
  const live: LiveRun = keep
    ? { killNow() {}, end: leave }
    : { killNow: () => held.killNow(), end: () => stopAndSettle().then(() => undefined) };
  parts.owned.add(live);
  if (keep) parts.owned.folders.delete(folder);
  const ended = settle();
  return { ended, stop: stopAndSettle };

  async function settle(): Promise<StopReport | null> {
    const { exitCode, killedBy } = await held.launched.ended;
    const stopped = stopping !== undefined;
    const report = await (stopping ?? held.endLeftBehind());
    await settlesWithin(parts.clock, pipe.finish(), logMs);
    parts.owned.remove(live);
    try {
      const exit = { exitCode, killedBy };
      writeRecord(folder, { ...held.record, exit, exitedAt: parts.clock.now(), stopped });
    } catch {
      // Its folder was removed meanwhile, or the disk is full: then it is listed as ended, without its exit code.
    }
    return report;
  }

  async function stopAndSettle(): Promise<StopReport> {
    const report = await stop();
    await settlesWithin(parts.clock, ended, 1000);
    return report;
  }

  /** It goes on without us; from its folder others can read and stop it. */
  function leave(): Promise<void> {
    held.launched.child.unref();
    parts.owned.remove(live);
    return Promise.resolve();
  }
}

export interface Registry {
  readonly table: ProcessTable;
  readonly runFolder: string;
}

/** What the commands that run just now hold, here and in other runtimes on this run folder. */
export interface RunningHolds {
  readonly masks: ReadonlySet<string>;
  /**
   * One of them can put something else at this place of a writable folder, because it has no mount there. Whoever mounted
   * something there by its name could be led anywhere in that moment, as often as it takes.
   */
  canSwap(path: string): boolean;
}

/** `except`: the name of a run that does not count. */
export function readRunningHolds({ table, runFolder }: Registry, except?: string): RunningHolds {
  const masks = new Set<string>();
  const pinned: ReadonlySet<string>[] = [];
  for (const name of readdirSync(runFolder)) {
    const record = name === except ? undefined : readRecord(join(runFolder, name));
    if (!record?.pins || record.exitedAt !== null || !isAlive(table, record.child ?? record.owner)) continue;
    for (const mask of record.masks ?? []) masks.add(mask);
    pinned.push(new Set(record.pins));
  }
  return { masks, canSwap: (path) => pinned.some((pins) => !pins.has(path)) };
}
