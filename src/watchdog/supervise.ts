import { constants } from "node:os";
import { childEnvironment } from "./child/watchdog-child-environment.ts";
import { decideNext, noHistory, type History } from "./decide-next.ts";
import { endOrphan } from "./child/end-orphan.ts";
import type { HandOn } from "./child/forward-signals.ts";
import { clearBeat, heartbeatFile } from "./child/heartbeat.ts";
import { createLastLines, type LastLines } from "./child/last-lines.ts";
import { waitFor } from "./restart-reason.ts";
import { createRecords, type Records } from "./records/watchdog-records.ts";
import { watchChild, type WatchedEnd, type WatchParts } from "./child/run-child.ts";
import type { WatchdogEnvironment } from "./read-settings.ts";
import { startChild } from "./child/start-child.ts";

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
