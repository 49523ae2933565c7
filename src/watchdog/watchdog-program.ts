// The watchdog as a program of its own, so that it loads nothing else. It takes the place of the command that checked its
// settings (`exec-watchdog.ts`): same pid, same terminal, but none of that one's memory.
import { type Clock, systemClock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { toWire } from "../core/wire.ts";
import { takeBarePidFile } from "../process/detached/pid-file.ts";
import { openProcessTable } from "../process/stop/process-table.ts";
import { createHandOn } from "./child/forward-signals.ts";
import { describeWatchdogEvent, type EmitWatchdogEvent, type WatchdogEvent } from "./describe-event.ts";
import type { WatchdogEnvironment } from "./read-settings.ts";
import { openWatchdogLog } from "./records/watchdog-log.ts";
import { readHandover } from "./restart-reason.ts";
import { createStopOrder } from "./stop-watchdog.ts";
import { supervise } from "./supervise.ts";
import type { WatchdogSettings } from "./watchdog-settings.ts";

export interface WatchdogParts {
  readonly clock: Clock;
  /** From 0 to 1, for the jitter of delays. */
  readonly random: () => number;
  /** The child's, to which the watchdog adds its own variables. */
  readonly env: WatchdogEnvironment;
  readonly emit: EmitWatchdogEvent;
  /** Calls back for each signal that asks to stop, and for SIGUSR2, which is the command's; returns what ends that. */
  readonly onSignal: (receive: (signal: NodeJS.Signals) => void) => () => void;
}

/** Another watchdog runs here. */
const refusedCode = 100;

/** Runs the command until it is to run no more. Resolves to the exit code: the child's own, 100 for a second watchdog. */
async function runWatchdog(settings: WatchdogSettings, parts: WatchdogParts): Promise<number> {
  const { clock, env, random } = parts;
  const table = openProcessTable(process.platform);
  const lock = takeBarePidFile(settings.pidFile, table, "watchdog");
  if (!lock.taken) {
    const { holderPid, reason } = lock;
    parts.emit({ type: "watchdog:refused", at: clock.now(), pidFile: settings.pidFile, holderPid, reason });
    return refusedCode;
  }
  const stop = createStopOrder(settings.stopFile, () => lock.hold());
  const handOn = createHandOn(table);
  const endSignals = parts.onSignal((signal) => {
    if (signal === "SIGUSR2") handOn.send(signal);
    else stop.order(signal);
  });
  try {
    const log = openWatchdogLog(settings.logFile, { maxBytes: settings.logMaxBytes, files: settings.logFiles });
    const emit = (event: WatchdogEvent): void => {
      log.note(event.at, describeWatchdogEvent(event));
      parts.emit(event);
    };
    try {
      const end = await supervise({ settings, clock, table, emit, log, stop, env, random, handOn });
      return end === "lock_lost" ? refusedCode : end;
    } finally {
      log.close();
    }
  } finally {
    endSignals();
    lock.release();
  }
}

const { settings, asJson, env } = readHandover(process.env);
// A reader that left is no reason to end, and neither is Node's debugger for every program on this machine one to begin.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// What these tell of is not here: they would end the watchdog alone, and leave the command to nobody.
for (const signal of ["SIGUSR1", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGPIPE", "SIGIO", "SIGXFSZ"] as const) {
  process.on(signal, () => undefined);
}

try {
  process.exitCode = await runWatchdog(settings, { clock: systemClock, random: Math.random, env, emit, onSignal });
} catch (thrown) {
  tell(messageOf(thrown));
  process.exitCode = 2;
}
// What outlives the child may still hold its output open; nobody waits for that.
setTimeout(() => process.exit(), 200).unref();

function emit(event: WatchdogEvent): void {
  if (asJson) process.stdout.write(`${JSON.stringify(toWire(event))}\n`);
  if (!asJson || event.type === "watchdog:refused") tell(describeWatchdogEvent(event));
}

function tell(sentence: string): void {
  // oxlint-disable-next-line no-control-regex -- a path may hold what a terminal would obey
  process.stderr.write(`deckhand: ${sentence.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?")}\n`);
}

function onSignal(receive: (signal: NodeJS.Signals) => void): () => void {
  const signals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGPWR", "SIGUSR2"] as const;
  for (const signal of signals) process.on(signal, receive);
  return () => {
    for (const signal of signals) process.off(signal, receive);
  };
}
