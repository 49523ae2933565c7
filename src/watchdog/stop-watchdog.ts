import type { Clock } from "../core/clock.ts";
import { isAlive } from "../process/stop/process-identity-check.ts";
import { findBareHolder } from "../process/detached/pid-file.ts";
import { openProcessTable } from "../process/stop/process-table.ts";
import { sendSignal } from "../process/stop/send-signal.ts";
import { wait } from "../process/stop/wait.ts";
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
