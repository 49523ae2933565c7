import { join, resolve } from "node:path";
import { RuntimeError } from "../core/errors.ts";
import type { HeartbeatMode, WatchdogSettings } from "./watchdog-settings.ts";

export type WatchdogEnvironment = Readonly<Record<string, string | undefined>>;

/** Where a watchdog of this workdir keeps its files unless it is told otherwise. */
export interface WatchdogPlaces {
  readonly workdir: string;
  /** For the log, the stop file and the pid file. */
  readonly logFolder: string;
  /** The person's own folder for this workdir. */
  readonly stateFolder: string;
}

/** `DECKHAND_WATCHDOG_<NAME>`; `WATCHDOG_<NAME>` is the same, and the prefixed one wins. */
export function readWatchdogSettings(
  env: WatchdogEnvironment,
  command: readonly [string, ...string[]],
  places: WatchdogPlaces,
): WatchdogSettings {
  const path = (name: string, otherwise: string): string =>
    resolve(places.workdir, find(env, name)?.value ?? otherwise);
  const seconds = (name: string, otherwise: number): number => readSeconds(env, name, otherwise);
  const backoffMs = seconds("RESTART_BACKOFF_SECONDS", 1);
  const maxBackoffMs = seconds("MAX_BACKOFF_SECONDS", Math.max(60, backoffMs / 1000));
  if (maxBackoffMs < backoffMs) {
    throw invalid(env, "MAX_BACKOFF_SECONDS", `at least RESTART_BACKOFF_SECONDS, which is ${backoffMs / 1000}`);
  }
  return {
    command,
    workdir: places.workdir,
    logFile: path("LOG_FILE", join(places.logFolder, "watchdog.log")),
    stopFile: path("STOP_FILE", join(places.logFolder, "watchdog.stop")),
    pidFile: path("PID_FILE", join(places.logFolder, "watchdog.pid")),
    stateFolder: join(places.stateFolder, "watchdog"),
    heartbeat: readMode(env),
    backoffMs,
    maxBackoffMs,
    minUptimeMs: seconds("MIN_UPTIME_SECONDS", 10),
    maxRestarts: readCount(env, "MAX_RESTARTS", { otherwise: 0, least: 0 }),
    stableMs: seconds("STABLE_SECONDS", 60),
    hangMs: seconds("HANG_SECONDS", 20),
    startupMs: seconds("STARTUP_SECONDS", 60),
    graceMs: seconds("STOP_SECONDS", 15),
    mostUnhealthy: readCount(env, "UNHEALTHY_EXITS", { otherwise: 10, least: 1 }),
    unhealthyWindowMs: seconds("UNHEALTHY_WINDOW_SECONDS", 600),
    logMaxBytes: readCount(env, "LOG_MAX_BYTES", { otherwise: 10 * 1024 * 1024, least: 1024 }),
    logFiles: readCount(env, "LOG_FILES", { otherwise: 5, least: 2 }),
    tickMs: Math.max(10, seconds("TICK_SECONDS", 0.5)),
  };
}

/** `WATCHDOG_WORKDIR`; undefined where it is not set. */
export function readWatchdogWorkdir(env: WatchdogEnvironment): string | undefined {
  return find(env, "WORKDIR")?.value;
}

/** An empty variable is none. */
function find(env: WatchdogEnvironment, name: string): { readonly name: string; readonly value: string } | undefined {
  for (const prefix of ["DECKHAND_WATCHDOG_", "WATCHDOG_"]) {
    const value = env[prefix + name]?.trim();
    if (value) return { name: prefix + name, value };
  }
  return undefined;
}

function readSeconds(env: WatchdogEnvironment, name: string, otherwise: number): number {
  const text = find(env, name)?.value;
  if (text === undefined) return otherwise * 1000;
  const value = /^\d*\.?\d+$/.test(text) ? Math.round(Number(text) * 1000) : Number.NaN;
  if (value <= longestMs) return value;
  throw invalid(env, name, `a number of seconds from 0 to ${longestMs / 1000}, such as 1.5`);
}

/** A week: beyond it, nobody would take the watchdog for alive. */
const longestMs = 7 * 24 * 3600 * 1000;

function readCount(
  env: WatchdogEnvironment,
  name: string,
  { otherwise, least }: { readonly otherwise: number; readonly least: number },
): number {
  const text = find(env, name)?.value;
  if (text === undefined) return otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least) return value;
  throw invalid(env, name, `a whole number, ${least} or more`);
}

function readMode(env: WatchdogEnvironment): HeartbeatMode {
  const text = find(env, "HEARTBEAT")?.value ?? "auto";
  const mode = heartbeatModes.find((each) => each === text);
  if (mode) return mode;
  throw invalid(env, "HEARTBEAT", `one of ${heartbeatModes.join(", ")}`);
}

export const heartbeatModes: readonly HeartbeatMode[] = ["auto", "required", "off"];

function invalid(env: WatchdogEnvironment, name: string, expected: string): RuntimeError {
  const given = find(env, name) ?? { name: `WATCHDOG_${name}`, value: "" };
  return new RuntimeError("CONFIG_INVALID", `${given.name} is to be ${expected}; got "${given.value}".`);
}
