import { existsSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { findBareHolder } from "../process/detached/pid-file.ts";
import { isAlive } from "../process/stop/process-identity-check.ts";
import { openProcessTable } from "../process/stop/process-table.ts";
import { sendSignal } from "../process/stop/send-signal.ts";
import { wait } from "../process/stop/wait.ts";
import { createOccasion, type WhenItHappens } from "./restart-reason.ts";
import type { WatchdogSettings } from "./watchdog-settings.ts";

/** `none`: no watchdog runs here; `refused`: it belongs to somebody else; `late`: it was told to, and still runs. */
export type WatchdogStop =
  | { readonly result: "none" }
  | { readonly result: "stopped" | "refused" | "late"; readonly pid: number };

/** SIGTERM to the watchdog, which ends what it watches, and then itself. Waits as long as that may take. */
export async function stopWatchdog(
  { pidFile, graceMs }: Pick<WatchdogSettings, "pidFile" | "graceMs">,
  clock: Clock,
): Promise<WatchdogStop> {
  const table = openProcessTable(process.platform);
  const holder = findBareHolder(pidFile, table);
  const entry = holder && table.find(holder.pid);
  if (!holder || !entry) return { result: "none" };
  const { pid } = holder;
  if (sendSignal(table, entry, "SIGTERM") === "refused") return { result: "refused", pid };
  const deadline = clock.monotonic() + graceMs + killMs;
  while (isAlive(table, holder)) {
    if (clock.monotonic() > deadline) return { result: "late", pid };
    await wait(clock, lookEveryMs);
  }
  return { result: "stopped", pid };
}

/** For SIGKILL to take effect, on a machine that is busy. */
const killMs = 5000;
const lookEveryMs = 25;

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
