import { existsSync } from "node:fs";

/** Why the watchdog is to end. The first reason stays; a second signal means: without waiting. */
export interface StopOrder {
  readonly reason: StopReason | null;
  readonly given: Promise<void>;
  readonly insisted: Promise<void>;
  /** By a signal. */
  order(signal: NodeJS.Signals): void;
  /** Looks whether the stop file is there, and whether the pid file is still ours. */
  look(): void;
}

export type StopReason =
  | { readonly kind: "signal"; readonly text: string }
  | { readonly kind: "stop_file"; readonly text: string }
  | { readonly kind: "lock_lost"; readonly text: string };

export function createStopOrder(stopFile: string, holdsLock: () => boolean): StopOrder {
  const given = Promise.withResolvers<void>();
  const insisted = Promise.withResolvers<void>();
  let reason: StopReason | null = null;

  function stop(kind: StopReason["kind"], text: string): void {
    reason ??= { kind, text };
    given.resolve();
  }

  return {
    get reason() {
      return reason;
    },
    given: given.promise,
    insisted: insisted.promise,
    order(signal) {
      if (reason) insisted.resolve();
      else stop("signal", `${signal} came`);
    },
    look() {
      if (reason) return;
      if (existsSync(stopFile)) stop("stop_file", `the stop file ${stopFile} is there`);
      else if (!holdsLock()) stop("lock_lost", "another watchdog has the pid file");
    },
  };
}
