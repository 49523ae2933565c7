import { commonOptions, type Command } from "../../parser/command.ts";

/** Keeps a program running. */
const watchdogCommand: Command = {
  name: "watchdog",
  positionals: ["[COMMAND…]"],
  summary: "Keep a command running: start it again after a crash or a hang",
  details: `COMMAND stands behind "--"; left out, it is \`deckhand serve\`. It runs in the workdir, with AGENT_MODE=daemon. It is started
again when it ends with another exit code than 0 (stop) or 78 (its configuration is wrong; 69: what it needs is in use), after a delay that doubles
up to a minute; 75 means at once. Ten unhealthy ends within ten minutes lead to one start in safe mode; when that fails, too, it goes on once a
minute, or gives up where _MAX_RESTARTS is set. One that beats (docs/watchdog.md) and then falls silent is asked for its stack, ended and started
again. The file .deckhand/logs/watchdog.stop stops both; SIGTERM and Ctrl-C are handed on, the second one kills.

Environment: WATCHDOG_WORKDIR, _LOG_FILE, _STOP_FILE, _PID_FILE, _RESTART_BACKOFF_SECONDS (1), _MAX_BACKOFF_SECONDS (60),
_MIN_UPTIME_SECONDS (10), _MAX_RESTARTS (0 = no limit); all, and more, also as DECKHAND_WATCHDOG_….

Exit codes: the command's own; 0 by the stop file; 100 when another watchdog runs here; 127 when there is no such command.`,
  options: {
    heartbeat: {
      value: "MODE",
      summary: "auto (when left out): once it beats it has to go on; required: it has to begin, too; off",
    },
    ...commonOptions,
  },
  examples: ["deckhand watchdog", "deckhand watchdog -- node server.js", "touch .deckhand/logs/watchdog.stop"],
  load: async () => (await import("./watchdog-command.ts")).runWatchdogCommand,
};

const watchdogStatusCommand: Command = {
  name: "watchdog status",
  positionals: [],
  summary: "Say whether a watchdog runs here, how often it had to restart, and the last crash",
  details: "Exit codes: 0 when one runs, 1 when none does.",
  options: commonOptions,
  examples: ["deckhand watchdog status", "deckhand watchdog status --json"],
  load: async () => (await import("./watchdog-status-command.ts")).runWatchdogStatus,
};

const watchdogStopCommand: Command = {
  name: "watchdog stop",
  positionals: [],
  summary: "End the watchdog and what it watches, and wait for that",
  details: "Background agents go on. Exit codes: 0 when none runs any more, 1 when one still does.",
  options: commonOptions,
  examples: ["deckhand watchdog stop"],
  load: async () => (await import("./watchdog-stop-command.ts")).runWatchdogStop,
};

export const watchdogCommands: readonly Command[] = [watchdogCommand, watchdogStatusCommand, watchdogStopCommand];
