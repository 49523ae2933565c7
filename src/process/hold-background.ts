import { closeSync, fstatSync } from "node:fs";
import type { StopReport } from "../core/stop-report.ts";
import { trimLog } from "./background-log.ts";
import type { HeldRun } from "./hold-run.ts";
import { createOutputTail } from "./output-tail.ts";
import type { LiveRun, ProcessParts } from "./process-parts.ts";
import { writeRecord } from "./process-record.ts";
import { settlesWithin } from "./wait.ts";

/** A background process that this process has started. */
export interface BackgroundHandle {
  /** It has ended, by itself or not, and so has what it left behind. Never rejects. */
  readonly ended: Promise<StopReport | null>;
  stop(): Promise<StopReport>;
}

/** Watches over it, and keeps its log short, until it ends or this process does. Closes `log.fd` then. */
export function holdBackground(
  parts: ProcessParts,
  held: HeldRun,
  log: { readonly fd: number; readonly hear: (piece: string) => void },
): BackgroundHandle {
  const { folder } = held.run;
  const { keep } = held.record;
  const unwatch = watchLog(parts, folder, log);
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
    const report = await (stopping ?? held.endLeftBehind());
    unwatch();
    parts.owned.remove(live);
    try {
      writeRecord(folder, { ...held.record, exit: { exitCode, killedBy }, exitedAt: parts.clock.now() });
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

  /** It goes on without us; from its folder others can read, stop and shorten it. */
  function leave(): Promise<void> {
    held.launched.child.unref();
    unwatch();
    parts.owned.remove(live);
    return Promise.resolve();
  }
}

function watchLog(
  parts: ProcessParts,
  folder: string,
  { fd, hear }: { readonly fd: number; readonly hear: (piece: string) => void },
): () => void {
  const tail = createOutputTail(fd, hear);
  let lastSize = 0;
  const follow = (): number => {
    const size = fstatSync(fd).size;
    const grown = size - lastSize;
    tail.advance(size);
    lastSize = size;
    if (trimLog(folder)) {
      tail.restart();
      lastSize = 0;
    }
    return grown > busyBytes ? 5 : 50;
  };
  const remove = parts.ticker.add(follow);
  let watching = true;
  return () => {
    if (!watching) return;
    watching = false;
    remove();
    closeSync(fd);
  };
}

const busyBytes = 256 * 1024;
