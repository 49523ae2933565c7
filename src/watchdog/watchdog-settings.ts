/** All that the watchdog needs to know; times in milliseconds. */
export interface WatchdogSettings {
  readonly command: readonly [string, ...string[]];
  /** Where the child runs. */
  readonly workdir: string;
  readonly logFile: string;
  readonly stopFile: string;
  readonly pidFile: string;
  /** Private: heartbeat, status and crash records. */
  readonly stateFolder: string;
  readonly heartbeat: HeartbeatMode;
  /** The first delay; each further one is twice as long. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** A child that lived so long, and was healthy, is started again at once. */
  readonly minUptimeMs: number;
  /** So many restarts in a row without a stable run; 0 = no limit, it never gives up on a crash loop. */
  readonly maxRestarts: number;
  /** Healthy for so long: what went wrong before is forgotten. */
  readonly stableMs: number;
  /** Silent for so long: it hangs. */
  readonly hangMs: number;
  /** How long the first heartbeat may take. */
  readonly startupMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** So many unhealthy ends within the window: one try in safe mode. */
  readonly mostUnhealthy: number;
  readonly unhealthyWindowMs: number;
  readonly logMaxBytes: number;
  /** How many files the log has at most, the current one included. */
  readonly logFiles: number;
  /** How often it looks at stop file, pid file and heartbeat. */
  readonly tickMs: number;
}

/**
 * - `required`: a child that does not beat within the startup time hangs
 * - `auto`: one that has beaten must go on; one that never did is only watched for its end
 * - `off`: heartbeats are not looked at
 */
export type HeartbeatMode = "auto" | "required" | "off";
