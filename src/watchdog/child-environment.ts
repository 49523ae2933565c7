import { heartbeatFile } from "./heartbeat.ts";
import type { WatchdogEnvironment } from "./read-settings.ts";
import type { WatchdogSettings } from "./watchdog-settings.ts";

/** What the child finds in its environment besides the person's own variables. */
export function childEnvironment(
  env: WatchdogEnvironment,
  { settings, safeMode }: { readonly settings: WatchdogSettings; readonly safeMode: boolean },
): WatchdogEnvironment {
  return {
    ...env,
    AGENT_MODE: "daemon",
    DECKHAND_WORKDIR: settings.workdir,
    DECKHAND_WATCHDOG_HEARTBEAT_FILE: heartbeatFile(settings.stateFolder),
    DECKHAND_SAFE_MODE: safeMode ? "1" : env["DECKHAND_SAFE_MODE"],
  };
}
