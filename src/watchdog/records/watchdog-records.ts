import { basename } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process-identity.ts";
import { crashFolder, writeCrashRecord } from "./crash-records.ts";
import type { LastLines } from "../child/last-lines.ts";
import type { WatchedEnd, WatchParts } from "../child/run-child.ts";
import { readWatchdogStatus, statusFile, writeWatchdogStatus, type WatchdogStatus } from "./status-file.ts";

/** What the watchdog leaves in its state folder. A record that can't be written is told, and nothing ends for it. */
export interface Records {
  /** What the watchdog before this one did last. */
  last(): WatchdogStatus | null;
  /** Before the start: a watchdog that is killed right after it can't say what it started. */
  starting(mark: string): void;
  started(child: ProcessIdentity, about: { readonly lines: LastLines; readonly safeMode: boolean }): void;
  ended(end: WatchedEnd, about: { readonly counted: boolean; readonly safeMode: boolean }): void;
  waiting(delayMs: number, reason: string): void;
  over(state: "failed" | "stopped", reason: string): void;
  attempt(write: () => void): void;
}

export function createRecords({ settings, clock, emit }: WatchParts): Records {
  const path = statusFile(settings.stateFolder);
  let restarts = -1;
  let safeMode = false;
  let child: { readonly identity: ProcessIdentity; readonly lines: LastLines; readonly startedAt: number } | null =
    null;

  function attempt(write: () => void): void {
    try {
      write();
    } catch (thrown) {
      emit({ type: "watchdog:warned", at: clock.now(), message: `A record could not be kept: ${messageOf(thrown)}.` });
    }
  }

  function save(change: Pick<WatchdogStatus, "state" | "reason"> & Partial<WatchdogStatus>): void {
    const [at, watchdogPid] = [clock.now(), process.pid];
    const base = {
      v: 1,
      at,
      watchdogPid,
      child: null,
      startMark: null,
      restarts: Math.max(0, restarts),
      safeMode,
      nextStartAt: null,
    } as const;
    attempt(() => writeWatchdogStatus(path, { ...base, ...change }));
  }

  return {
    attempt,
    last: () => readWatchdogStatus(path),
    starting: (startMark) => save({ state: "waiting", reason: null, startMark }),
    started(identity, about) {
      restarts += 1;
      ({ safeMode } = about);
      child = { identity, lines: about.lines, startedAt: clock.now() };
      save({ state: "running", child: identity, reason: null });
    },
    ended(end, about) {
      const started = child;
      child = null;
      const { exitCode, signal, cause, uptimeMs } = end;
      const { counted } = about;
      if (!started) return;
      const { pid } = started.identity;
      if (!isOrderly(end)) {
        attempt(() =>
          writeCrashRecord(crashFolder(settings.stateFolder), {
            v: 1,
            at: clock.now(),
            startedAt: started.startedAt,
            pid,
            program: basename(settings.command[0]),
            exitCode,
            signal,
            cause,
            uptimeMs,
            counted,
            safeMode: about.safeMode,
            hang: end.hang,
            lastLines: started.lines.read().map((line) => line.slice(0, longestLine)),
          }),
        );
      }
      // On record before it is told.
      emit({ type: "child:ended", at: clock.now(), pid, exitCode, signal, cause, uptimeMs, counted });
    },
    waiting: (delayMs, reason) => save({ state: "waiting", reason, nextStartAt: clock.now() + delayMs }),
    over: (state, reason) => save({ state, reason }),
  };
}

const longestLine = 2000;

/** It did what it was asked to, or asked for its restart itself. */
function isOrderly({ cause, exitCode }: WatchedEnd): boolean {
  return cause === "stopped" || (cause === "exit" && (exitCode === 0 || exitCode === 75));
}
