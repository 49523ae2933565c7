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
  const seconds = (name: string, otherwise: number, least = 0): number =>
    readSeconds(env, name, { otherwise: otherwise * 1000, least: least * 1000 });
  const backoffMs = seconds("RESTART_BACKOFF_SECONDS", 1);
  const maxBackoffMs = seconds("MAX_BACKOFF_SECONDS", Math.max(60, backoffMs / 1000));
  if (maxBackoffMs < backoffMs) {
    throw invalid(env, "MAX_BACKOFF_SECONDS", `at least RESTART_BACKOFF_SECONDS, which is ${backoffMs / 1000}`);
  }
  const logFile = path("LOG_FILE", join(places.logFolder, "watchdog.log"));
  const stopFile = path("STOP_FILE", join(places.logFolder, "watchdog.stop"));
  const pidFile = path("PID_FILE", join(places.logFolder, "watchdog.pid"));
  checkDifferent([logFile, stopFile, pidFile]);
  return {
    command,
    workdir: places.workdir,
    logFile,
    stopFile,
    pidFile,
    stateFolder: join(places.stateFolder, "watchdog"),
    heartbeat: readMode(env),
    backoffMs,
    maxBackoffMs,
    minUptimeMs: seconds("MIN_UPTIME_SECONDS", 10),
    maxRestarts: readCount(env, "MAX_RESTARTS", { otherwise: 0, least: 0, most: 1_000_000_000 }),
    stableMs: seconds("STABLE_SECONDS", 60),
    hangMs: seconds("HANG_SECONDS", 20, leastSilence),
    startupMs: seconds("STARTUP_SECONDS", 60, leastSilence),
    graceMs: seconds("STOP_SECONDS", 15),
    mostUnhealthy: readCount(env, "UNHEALTHY_EXITS", { otherwise: 10, least: 1, most: 1_000_000 }),
    unhealthyWindowMs: seconds("UNHEALTHY_WINDOW_SECONDS", 600),
    logMaxBytes: readCount(env, "LOG_MAX_BYTES", { otherwise: 10 * 1024 * 1024, least: 1024, most: 2 ** 50 }),
    // Each is renamed whenever the log is full.
    logFiles: readCount(env, "LOG_FILES", { otherwise: 5, least: 2, most: 1000 }),
    tickMs: Math.max(10, seconds("TICK_SECONDS", 0.5)),
  };
}

/** A log would stop it at once as its stop file, and overwrite the lock as its pid file. */
function checkDifferent(paths: readonly string[]): void {
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice === undefined) return;
  throw new RuntimeError(
    "CONFIG_INVALID",
    `WATCHDOG_LOG_FILE, _STOP_FILE and _PID_FILE are to be three files; two of them are ${twice}.`,
  );
}

/** No silence at all is what every child has between two beats. */
const leastSilence = 0.1;

/** Shorter pauses than this every daemon has now and then, such as while memory is cleaned up. */
const leastDaemonSilence = 1;

export function checkForDaemon(env: WatchdogEnvironment, { hangMs, heartbeat }: WatchdogSettings): void {
  if (heartbeat === "off" || hangMs >= leastDaemonSilence * 1000) return;
  throw invalid(env, "HANG_SECONDS", `${leastDaemonSilence} or more for the daemon, which pauses now and then`);
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

interface Range {
  readonly otherwise: number;
  readonly least: number;
}

function readSeconds(env: WatchdogEnvironment, name: string, { otherwise, least }: Range): number {
  const text = find(env, name)?.value;
  if (text === undefined) return otherwise;
  const value = /^\d*\.?\d+$/.test(text) ? Math.round(Number(text) * 1000) : Number.NaN;
  if (value >= least && value <= longestMs) return value;
  throw invalid(env, name, `a number of seconds from ${least / 1000} to ${longestMs / 1000}, such as 1.5`);
}

/** A week: beyond it, nobody would take the watchdog for alive. */
const longestMs = 7 * 24 * 3600 * 1000;

function readCount(
  env: WatchdogEnvironment,
  name: string,
  { otherwise, least, most }: Range & { readonly most: number },
): number {
  const text = find(env, name)?.value;
  if (text === undefined) return otherwise;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw invalid(env, name, `a whole number from ${least} to ${most}`);
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
