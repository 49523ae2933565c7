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
