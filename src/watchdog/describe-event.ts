/** One sentence for a person. */
export function describeWatchdogEvent(event: WatchdogEvent): string {
  switch (event.type) {
    case "watchdog:started":
      return `Watching ${event.program}; its output goes to ${event.logFile}, and the file ${event.stopFile} stops it.`;
    case "watchdog:refused":
      return event.reason;
    case "orphan:ended":
      return `Process ${event.pid}, which an earlier watchdog had left running, was ended.`;
    case "child:started":
      return `Started as process ${event.pid}${event.safeMode ? ", in safe mode" : ""} (start ${event.start}).`;
    case "child:healthy":
      return `Process ${event.pid} is healthy after ${seconds(event.afterMs)}.`;
    case "child:hung":
      return `Process ${event.pid} hangs: no heartbeat for ${seconds(event.silentMs)}. ${event.what}`;
    case "child:ended":
      return `Process ${event.pid} ended with ${endOf(event)} after ${seconds(event.uptimeMs)}${causes[event.cause]}.`;
    case "restart:planned":
      return `Starting again ${event.delayMs === 0 ? "at once" : `in ${seconds(event.delayMs)}`}${event.safeMode ? ", in safe mode" : ""}: ${event.reason}.`;
    case "watchdog:slept":
      return `${seconds(event.lostMs)} passed in which this machine or the watchdog did not run.`;
    case "watchdog:stopping":
      return `Stopping: ${event.reason}.`;
    case "watchdog:warned":
      return `Warning: ${event.message}`;
    case "watchdog:failed":
      return `Given up: ${event.reason}. Look at the log, then start it again.`;
    case "watchdog:stopped":
      return `Stopped with exit code ${event.exitCode}: ${event.reason}.`;
  }
}

const causes = { exit: "", hang: ", because it hung", stopped: ", as it was told" } as const;

export function endOf({ exitCode, signal }: { exitCode: number | null; signal: string | null }): string {
  return exitCode === null ? (signal ?? "an unknown end") : `exit code ${exitCode}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

/** What a watchdog tells, in the order in which it happens. */
export interface WatchdogEvents {
  "watchdog:started": { pid: number; program: string; logFile: string; stopFile: string };
  /** Another one has the pid file. */
  "watchdog:refused": { pidFile: string; holderPid: number; reason: string };
  /** A child of a watchdog that was killed still ran, and was ended. */
  "orphan:ended": { pid: number };
  "child:started": { pid: number; start: number; safeMode: boolean };
  "child:healthy": { pid: number; afterMs: number };
  "child:hung": { pid: number; silentMs: number; what: string };
  "child:ended": {
    pid: number;
    exitCode: number | null;
    signal: string | null;
    cause: EndCause;
    uptimeMs: number;
    /** An end that makes the next delay longer. */
    counted: boolean;
  };
  "restart:planned": { delayMs: number; reason: string; safeMode: boolean };
  /** Time passed in which it did not run; no child is blamed for that. */
  "watchdog:slept": { lostMs: number };
  "watchdog:stopping": { reason: string };
  /** Something of its own failed that it can do without. */
  "watchdog:warned": { message: string };
  /** It gives up: somebody has to look. */
  "watchdog:failed": { reason: string; exitCode: number };
  "watchdog:stopped": { reason: string; exitCode: number };
}

/** `stopped`: it was told to end. */
export type EndCause = "exit" | "hang" | "stopped";

export type WatchdogEvent = {
  [Type in keyof WatchdogEvents]: { readonly type: Type; readonly at: number } & Readonly<WatchdogEvents[Type]>;
}[keyof WatchdogEvents];

/** Must not throw. */
export type EmitWatchdogEvent = (event: WatchdogEvent) => void;
