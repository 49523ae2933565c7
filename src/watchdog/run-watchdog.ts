import type { Clock } from "../core/clock.ts";
import { openProcessTable } from "../process/stop/process-table.ts";
import { describeWatchdogEvent } from "./describe-event.ts";
import { createHandOn } from "./child/forward-signals.ts";
import { openWatchdogLog } from "./records/watchdog-log.ts";
import { takeBarePidFile } from "../process/detached/pid-file.ts";
import type { WatchdogEnvironment } from "./read-settings.ts";
import { createStopOrder } from "./stop-order.ts";
import { supervise } from "./supervise.ts";
import type { EmitWatchdogEvent, WatchdogEvent } from "./watchdog-events.ts";
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
export async function runWatchdog(settings: WatchdogSettings, parts: WatchdogParts): Promise<number> {
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
