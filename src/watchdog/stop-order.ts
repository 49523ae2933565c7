import { existsSync } from "node:fs";
import { createOccasion, type WhenItHappens } from "./restart-reason.ts";

/** Why the watchdog is to end. The first reason stays; a second signal means: without waiting. */
export interface StopOrder {
  readonly reason: StopReason | null;
  readonly whenGiven: WhenItHappens;
  readonly whenInsisted: WhenItHappens;
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
  const given = createOccasion();
  const insisted = createOccasion();
  let reason: StopReason | null = null;
  const howToStart = existsSync(stopFile)
    ? "it was left by an earlier stop, so nothing was started. Remove it, then start again"
    : "remove it to start again";

  function stop(kind: StopReason["kind"], text: string): void {
    reason ??= { kind, text };
    given.happen();
  }

  return {
    get reason() {
      return reason;
    },
    whenGiven: given.when,
    whenInsisted: insisted.when,
    order(signal) {
      if (reason) insisted.happen();
      else stop("signal", `${signal} came`);
    },
    look() {
      if (reason) return;
      if (existsSync(stopFile)) stop("stop_file", `the stop file ${stopFile} is there; ${howToStart}`);
      else if (!holdsLock()) stop("lock_lost", "another watchdog has the pid file");
    },
  };
}
