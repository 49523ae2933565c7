import assert from "node:assert/strict";
import { test } from "node:test";
import { readWatchdogSettings } from "../../src/watchdog/read-settings.ts";

const places = { workdir: "/project", logFolder: "/project/.deckhand/logs", stateFolder: "/state" };
const read = (env: Readonly<Record<string, string>>) => readWatchdogSettings(env, ["node"], places);

test("without a variable the settings are these [D3]", () => {
  assert.deepEqual(read({}), {
    command: ["node"],
    workdir: "/project",
    logFile: "/project/.deckhand/logs/watchdog.log",
    stopFile: "/project/.deckhand/logs/watchdog.stop",
    pidFile: "/project/.deckhand/logs/watchdog.pid",
    stateFolder: "/state/watchdog",
    heartbeat: "auto",
    backoffMs: 1000,
    maxBackoffMs: 60_000,
    minUptimeMs: 10_000,
    maxRestarts: 0,
    stableMs: 60_000,
    hangMs: 20_000,
    startupMs: 60_000,
    graceMs: 15_000,
    mostUnhealthy: 10,
    unhealthyWindowMs: 600_000,
    logMaxBytes: 10_485_760,
    logFiles: 5,
    tickMs: 500,
  });
});

test("WATCHDOG_… is read, and DECKHAND_WATCHDOG_… wins [D3]", () => {
  const settings = read({
    WATCHDOG_LOG_FILE: "out/dog.log",
    WATCHDOG_STOP_FILE: "/tmp/stop",
    WATCHDOG_PID_FILE: "dog.pid",
    WATCHDOG_RESTART_BACKOFF_SECONDS: "0.5",
    WATCHDOG_MAX_BACKOFF_SECONDS: "30",
    WATCHDOG_MIN_UPTIME_SECONDS: "3",
    DECKHAND_WATCHDOG_MIN_UPTIME_SECONDS: "4",
    WATCHDOG_MAX_RESTARTS: "7",
    DECKHAND_WATCHDOG_MAX_RESTARTS: "",
  });
  const { logFile, stopFile, pidFile, backoffMs, maxBackoffMs, minUptimeMs, maxRestarts } = settings;
  assert.deepEqual([logFile, stopFile, pidFile], ["/project/out/dog.log", "/tmp/stop", "/project/dog.pid"]);
  assert.deepEqual([backoffMs, maxBackoffMs, minUptimeMs, maxRestarts], [500, 30_000, 4000, 7]);
});

test("a value that can't be used is one sentence with its variable [D3]", () => {
  const sentences: [Record<string, string>, string][] = [
    [
      { WATCHDOG_MAX_RESTARTS: "many" },
      `WATCHDOG_MAX_RESTARTS is to be a whole number from 0 to 1000000000; got "many".`,
    ],
    [{ WATCHDOG_LOG_FILES: "1001" }, `WATCHDOG_LOG_FILES is to be a whole number from 2 to 1000; got "1001".`],
    [
      { DECKHAND_WATCHDOG_HANG_SECONDS: "-1" },
      `DECKHAND_WATCHDOG_HANG_SECONDS is to be a number of seconds from 0.1 to 604800, such as 1.5; got "-1".`,
    ],
    [
      { WATCHDOG_RESTART_BACKOFF_SECONDS: "9", WATCHDOG_MAX_BACKOFF_SECONDS: "5" },
      `WATCHDOG_MAX_BACKOFF_SECONDS is to be at least RESTART_BACKOFF_SECONDS, which is 9; got "5".`,
    ],
    [
      { WATCHDOG_STARTUP_SECONDS: "0" },
      `WATCHDOG_STARTUP_SECONDS is to be a number of seconds from 0.1 to 604800, such as 1.5; got "0".`,
    ],
    [
      { WATCHDOG_STOP_FILE: "one", WATCHDOG_LOG_FILE: "./one" },
      `WATCHDOG_LOG_FILE, _STOP_FILE and _PID_FILE are to be three files; two of them are /project/one.`,
    ],
    [
      { WATCHDOG_LOG_FILE: "one", WATCHDOG_PID_FILE: "/project/one" },
      `WATCHDOG_LOG_FILE, _STOP_FILE and _PID_FILE are to be three files; two of them are /project/one.`,
    ],
    [
      { WATCHDOG_PID_FILE: ".deckhand/logs/watchdog.stop" },
      `WATCHDOG_LOG_FILE, _STOP_FILE and _PID_FILE are to be three files; two of them are /project/.deckhand/logs/watchdog.stop.`,
    ],
    [{ WATCHDOG_HEARTBEAT: "yes" }, `WATCHDOG_HEARTBEAT is to be one of auto, required, off; got "yes".`],
  ];
  for (const [env, message] of sentences) assert.throws(() => read(env), { code: "CONFIG_INVALID", message });
});
