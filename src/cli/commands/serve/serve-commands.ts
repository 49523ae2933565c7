import { commonOptions, type Command } from "../../parser/command.ts";

/** The daemon: everything that runs without somebody in front of it. */
export const serveCommands: readonly Command[] = [
  {
    name: "serve",
    positionals: [],
    summary: "Run as a daemon: schedule, background agents, MCP, an API and the dashboard",
    details: `One for a workdir, on 127.0.0.1 or a Unix socket, for nobody without a token. On a terminal it prints the link that logs a browser
in; \`serve open\` makes another. Questions and approvals wait in the inbox, unless permissions.unattended says "refuse". Also: AGENT_MODE=daemon.

Exit codes: 0 stopped by \`serve stop\`, 75 by \`serve restart\` for the watchdog to start it again, 1 it could not run (another one does, or the port is taken), 78 the configuration is wrong,
130 Ctrl-C, 143 SIGTERM. What runs as a background agent goes on; the next daemon watches it again.`,
    options: {
      port: {
        value: "PORT",
        summary: "Of 127.0.0.1; 0 takes one that is free. Left out: 7433, or a free one when that is taken",
      },
      socket: { value: "PATH", summary: "A Unix socket instead; no browser can use it" },
      open: { summary: "Open the dashboard in the browser; not with --watchdog" },
      watchdog: { summary: "Start it again after a crash or a hang: see `deckhand watchdog --help`" },
      expose: { summary: "MCP clients get the catalog's own tools, too" },
      inbox: { summary: "MCP clients may list the inbox and answer questions in it; they approve nothing" },
      ...commonOptions,
    },
    examples: ["deckhand serve", "deckhand serve --port 0 --json", "deckhand serve --open"],
    load: async () => (await import("./serve-command.ts")).runServe,
  },
  {
    name: "serve status",
    positionals: [],
    summary: "Say whether the daemon of this workdir runs, where, and what it does",
    details: "Exit codes: 0 it runs and is ready, 1 it does not.",
    options: commonOptions,
    examples: ["deckhand serve status", "deckhand serve status --json"],
    load: async () => (await import("./serve-status-command.ts")).runServeStatus,
  },
  {
    name: "serve stop",
    positionals: [],
    summary: "Stop the daemon and wait until it is gone; background agents go on",
    details: `One that is just starting is waited for. One that does not answer within 10 seconds gets SIGTERM; under a watchdog both are ended, at
last by SIGKILL. Exit codes: 0 it is gone, 1 none ran, or it still does: then the command that kills it is said.`,
    options: commonOptions,
    examples: ["deckhand serve stop"],
    load: async () => (await import("./serve-stop-command.ts")).runServeStop,
  },
  {
    name: "serve restart",
    positionals: [],
    summary: "Let the watchdog start the daemon anew, and wait until it is ready; background agents go on",
    details: "Exit codes: 0 another one is ready, 1 none runs, it has no watchdog, or the next one did not get ready.",
    options: commonOptions,
    examples: ["deckhand serve restart"],
    load: async () => (await import("./serve-restart-command.ts")).runServeRestart,
  },
  {
    name: "serve logs",
    positionals: [],
    summary: "Show what the daemon said about itself (what it did is in `deckhand log`)",
    options: {
      lines: { short: "n", value: "N", summary: "At most so many; 50 when left out" },
      follow: { short: "f", summary: "Go on with what comes, until Ctrl-C" },
      ...commonOptions,
    },
    examples: ["deckhand serve logs -f", "deckhand serve logs -n 200"],
    load: async () => (await import("./serve-logs-command.ts")).runServeLogs,
  },
  {
    name: "serve open",
    positionals: [],
    summary: "Log a browser in to the dashboard: a link that works once, within a minute",
    options: {
      print: { summary: "Only print the link" },
      "read-only": { summary: "For a browser that may look and decide nothing, such as a screen on the wall" },
      ...commonOptions,
    },
    examples: ["deckhand serve open", "deckhand serve open --print", "deckhand serve open --read-only"],
    load: async () => (await import("./serve-open-command.ts")).runServeOpen,
  },
  {
    name: "serve install",
    positionals: [],
    summary: "Write a unit for systemd, so that the daemon runs whenever you are logged in",
    details: `Nothing is started; what to type next is said. A file that is not ours is never replaced. systemd starts the daemon again after a
crash, but not after wrong use (2) or a wrong configuration (78); the watchdog only when it was killed: an end of its own is for good.
A --store URL with a password is refused: that goes into an EnvironmentFile= as DECKHAND_STORE_URL.`,
    options: {
      name: { value: "NAME", summary: "The service is deckhand-NAME; the folder's name when left out" },
      watchdog: { summary: "The service is `serve --watchdog`: started again after a hang, too" },
      port: { value: "PORT", summary: "As for `serve`" },
      socket: { value: "PATH", summary: "As for `serve`" },
      expose: { summary: "As for `serve`" },
      inbox: { summary: "As for `serve`" },
      print: { summary: "Print it instead" },
      ...commonOptions,
    },
    examples: [
      "deckhand serve install",
      "deckhand serve install --watchdog --port 7500",
      "deckhand serve install --print",
    ],
    load: async () => (await import("./serve-install-command.ts")).runServeInstall,
  },
  {
    name: "serve uninstall",
    positionals: [],
    summary: "Remove the unit that `serve install` wrote",
    options: { name: { value: "NAME", summary: "As for `serve install`" }, ...commonOptions },
    examples: ["deckhand serve uninstall"],
    load: async () => (await import("./serve-install-command.ts")).runServeUninstall,
  },
  {
    name: "serve token",
    positionals: ["[ACTION]", "[NAME]"],
    summary: "Tokens for programs of yours: add NAME --rights …, list, remove NAME",
    details: `Each of read, run and approve is a right of its own, and none includes another. A token is shown once and kept as a digest
only. Your own token, with all rights, and the one for MCP clients (for /mcp alone) are files that \`serve\` makes.`,
    options: {
      rights: { value: "RIGHTS", summary: "Any of read,run,approve" },
      ...commonOptions,
    },
    examples: ["deckhand serve token add grafana --rights read", "deckhand serve token remove grafana"],
    load: async () => (await import("./serve-token-command.ts")).runServeToken,
  },
];
