import type { StopReport } from "../../core/process.ts";
import type { BackgroundPipe } from "./background-pipe.ts";
import type { HeldRun } from "../run/hold-run.ts";
import type { LiveRun, ProcessParts } from "../process-parts.ts";
import { writeRecord } from "../run/process-record.ts";
import { settlesWithin } from "../stop/wait.ts";

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
