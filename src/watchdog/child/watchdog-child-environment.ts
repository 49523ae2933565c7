import { heartbeatFile } from "./heartbeat.ts";
import type { WatchdogEnvironment } from "../read-settings.ts";
import { usualBeatMs } from "./start-heartbeat.ts";
import type { WatchdogSettings } from "../watchdog-settings.ts";

/** Names one start, so that the next watchdog finds what came of it when this one is killed before it can write that down. */
export const startVariable = "DECKHAND_WATCHDOG_START";

/** How often it is to beat, in seconds: one late beat is no hang. */
export const beatVariable = "DECKHAND_WATCHDOG_BEAT_SECONDS";
const beatsBeforeHang = 4;

/** What the child finds in its environment besides the person's own variables. */
export function childEnvironment(
  env: WatchdogEnvironment,
  {
    settings,
    safeMode,
    mark,
  }: { readonly settings: WatchdogSettings; readonly safeMode: boolean; readonly mark: string },
): WatchdogEnvironment {
  return {
    ...env,
    AGENT_MODE: "daemon",
    DECKHAND_WORKDIR: settings.workdir,
    DECKHAND_WATCHDOG_HEARTBEAT_FILE: heartbeatFile(settings.stateFolder),
    [beatVariable]: String(Math.min(usualBeatMs, settings.hangMs / beatsBeforeHang) / 1000),
    [startVariable]: mark,
    DECKHAND_SAFE_MODE: safeMode ? "1" : env["DECKHAND_SAFE_MODE"],
  };
}
