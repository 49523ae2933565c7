import { systemClock } from "../../../core/clock.ts";
import { stopWatchdog, type WatchdogStop } from "../../../watchdog/stop-watchdog.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { locateWatchdog } from "./watchdog-place.ts";

/** `deckhand watchdog stop` */
export async function runWatchdogStop(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { settings } = locateWatchdog(invocation, terminal.env);
  const stop = await stopWatchdog(settings, systemClock);
  if (invocation.has("json")) terminal.printJson(stop);
  else terminal.tell(describe(stop));
  return stop.result === "refused" || stop.result === "late" ? exitCode.failed : exitCode.done;
}

function describe(stop: WatchdogStop): string {
  switch (stop.result) {
    case "none":
      return "No watchdog runs here.";
    case "stopped":
      return `The watchdog (process ${stop.pid}) and what it watched have ended.`;
    case "refused":
      return `The watchdog (process ${stop.pid}) belongs to another user, who has to stop it.`;
    case "late":
      return `The watchdog (process ${stop.pid}) was told to end, and still runs: kill -9 ${stop.pid} ends it without waiting.`;
  }
}
