import { constants } from "node:os";
import { basename } from "node:path";
import { messageOf } from "../core/errors.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { endOrphan } from "./child/end-orphan.ts";
import type { HandOn } from "./child/forward-signals.ts";
import { clearBeat, heartbeatFile } from "./child/heartbeat.ts";
import { watchChild, type WatchedEnd, type WatchParts } from "./child/run-child.ts";
import { childEnvironment, startChild } from "./child/start-child.ts";
import { decideNext, noHistory, type History } from "./decide-next.ts";
import type { WatchdogEnvironment } from "./read-settings.ts";
import { crashFolder, writeCrashRecord } from "./records/crash-records.ts";
import { readWatchdogStatus, statusFile, writeWatchdogStatus, type WatchdogStatus } from "./records/status-file.ts";
import { waitFor } from "./restart-reason.ts";

export interface SuperviseParts extends WatchParts {
  readonly env: WatchdogEnvironment;
  readonly random: () => number;
  readonly handOn: Pick<HandOn, "setChild">;
}

/** Start, watch, decide, wait, and again. Resolves to the exit code. */
export async function supervise(parts: SuperviseParts): Promise<number | "lock_lost"> {
  const { settings, clock, emit, stop, random } = parts;
  const { command, logFile, stopFile } = settings;
  // Not its arguments: there may be a secret among them.
  emit({ type: "watchdog:started", at: clock.now(), pid: process.pid, program: command[0], logFile, stopFile });
  const records = createRecords(parts);
  // One for all of them: the memory of each would only be freed when there is too little of it.
  const lines = createLastLines();
  await endOrphan(records.last(), parts);
  let history: History = noHistory;
  for (let start = 1; ; start++) {
    stop.look();
    if (stop.reason) return finishStopped(null);
    const { end, isFinal } = await runOnce({ start, safeMode: history.safeMode, records, lines }, parts);
    const decision = decideNext(end, history, { settings, now: clock.monotonic(), random: random() });
    records.ended(end, { counted: decision.counted, safeMode: history.safeMode });
    if (end.cause === "stopped") return finishStopped(codeOf(end));
    if (isFinal) return finish(codeOf(end), notStartedAtAll);
    if (decision.next === "stop") return finish(codeOf(end), decision);
    ({ history } = decision);
    const { delayMs, reason } = decision;
    records.waiting(delayMs, reason);
    emit({ type: "restart:planned", at: clock.now(), delayMs, reason, safeMode: history.safeMode });
    await pause(delayMs, parts);
  }

  function finish(exitCode: number, { reason, failed }: { readonly reason: string; readonly failed: boolean }): number {
    // The status is of the one that has the lock.
    if (stop.reason?.kind !== "lock_lost") records.over(failed ? "failed" : "stopped", reason);
    emit({ type: failed ? "watchdog:failed" : "watchdog:stopped", at: clock.now(), reason, exitCode });
    return exitCode;
  }

  function finishStopped(childCode: number | null): number | "lock_lost" {
    const { kind, text } = stop.reason!;
    const ownCode = kind === "signal" ? codeOfSignal(text.split(" ")[0]!) : 0;
    // Every signal is handed on as SIGTERM: of a child that ended by that, which one came is ours to say.
    const isOurs = kind === "stop_file" || childCode === null || childCode === codeOfSignal("SIGTERM");
    const code = finish(isOurs ? ownCode : childCode, { reason: text, failed: false });
    return kind === "lock_lost" ? kind : code;
  }
}

const notStartedAtAll = { reason: "the command could not be started", failed: true };

interface Run {
  readonly start: number;
  readonly safeMode: boolean;
  readonly records: Records;
  readonly lines: LastLines;
}

/** `isFinal`: there is nothing that could be started again. */
async function runOnce(
  { start, safeMode, records, lines }: Run,
  parts: SuperviseParts,
): Promise<{ readonly end: WatchedEnd; readonly isFinal: boolean }> {
  const { settings, clock, emit, log, stop } = parts;
  let isOver = false;
  lines.clear();
  const path = heartbeatFile(settings.stateFolder);
  records.attempt(() => clearBeat(path));
  const mark = `${process.pid}-${clock.now()}-${start}`;
  records.starting(mark);
  const child = await startChild(
    {
      command: settings.command,
      workdir: settings.workdir,
      env: childEnvironment(parts.env, { settings, safeMode, mark }),
      onOutput(bytes) {
        // What outlives it may still print: that is none of the next one's lines.
        if (!isOver) lines.add(bytes);
        log.write(bytes);
      },
    },
    parts,
  );
  if (!child.started) {
    emit({ type: "watchdog:warned", at: clock.now(), message: `${child.message}.` });
    const { exitCode } = child;
    const rest = { signal: null, cause: "exit", uptimeMs: 0, wasHealthy: false, wasStable: false, hang: null } as const;
    return { end: { exitCode, ...rest }, isFinal: start === 1 };
  }
  const { pid } = child.identity;
  // On record before it is told: should the watchdog be killed, the next one has to find this child.
  records.started(child.identity, { lines, safeMode });
  emit({ type: "child:started", at: clock.now(), pid, start, safeMode });
  parts.handOn.setChild(child.identity);
  const end = await watchChild(child, { ...parts, stop });
  parts.handOn.setChild(null);
  isOver = true;
  return { end, isFinal: false };
}

async function pause(delayMs: number, { clock, settings, stop, log }: SuperviseParts): Promise<void> {
  const until = clock.monotonic() + delayMs;
  for (let leftMs = delayMs; leftMs > 0 && !stop.reason; leftMs = until - clock.monotonic()) {
    await waitFor(clock, Math.min(leftMs, settings.tickMs), [stop.whenGiven]);
    log.refresh();
    stop.look();
  }
}

/** How a hung one ended says how it was ended, not what it did: that is a failure. */
function codeOf({ exitCode, signal, cause }: WatchedEnd): number {
  if (cause === "hang") return 1;
  return exitCode ?? codeOfSignal(signal ?? "SIGKILL");
}

/** As a shell says it. */
function codeOfSignal(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

/** What the watchdog leaves in its state folder. A record that can't be written is told, and nothing ends for it. */
interface Records {
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

function createRecords({ settings, clock, emit }: WatchParts): Records {
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

/** The end of what a child printed, in constant memory however much that was, and however many children there are. */
interface LastLines {
  add(bytes: Uint8Array): void;
  /** Begins anew, for the next child. */
  clear(): void;
  read(): string[];
}

const mostLines = 200;

export function createLastLines(maxBytes = 128 * 1024): LastLines {
  const ring = Buffer.alloc(maxBytes);
  let total = 0;
  return {
    add(bytes) {
      const kept = bytes.subarray(Math.max(0, bytes.length - maxBytes));
      const at = (total + bytes.length - kept.length) % maxBytes;
      const first = Math.min(kept.length, maxBytes - at);
      ring.set(kept.subarray(0, first), at);
      ring.set(kept.subarray(first), 0);
      total += bytes.length;
    },
    clear() {
      total = 0;
    },
    read() {
      const at = total % maxBytes;
      const text = total <= maxBytes ? ring.toString("utf8", 0, total) : joinEnds(ring, at);
      const lines = text.split(/\r?\n/);
      if (lines.at(-1) === "") lines.pop();
      // The first one was overwritten in part.
      if (total > maxBytes && lines.length > 1) lines.shift();
      return lines.slice(-mostLines);
    },
  };
}

function joinEnds(ring: Buffer, at: number): string {
  return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]).toString("utf8");
}
