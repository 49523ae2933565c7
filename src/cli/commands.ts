import { commonOptions, type Command } from "./command.ts";

export const commands: readonly Command[] = [
  {
    name: "",
    positionals: [],
    summary: "Say hello: what is here, and one harmless call to show how it works",
    options: commonOptions,
    examples: ["deckhand"],
    load: async () => (await import("./welcome-command.ts")).runWelcome,
  },
  {
    name: "tools",
    positionals: ["[NAME]"],
    summary: "List the tools, or describe one of them",
    options: commonOptions,
    examples: ["deckhand tools", "deckhand tools bash", "deckhand tools --json"],
    load: async () => (await import("./tools-command.ts")).runTools,
  },
  {
    name: "tool",
    positionals: ["NAME", "[JSON]"],
    summary: "Run one tool now",
    details: `The input is JSON: as an argument, from stdin ("-", or simply piped), or from a file (--input). Left out, it is {}.
stdout gets the output as the tool returned it: long output is cut by the tool, which keeps the whole in a file and says
where. What there is to say about the call goes to stderr. Ctrl-C stops the call and waits until nothing of it is found
running any more.

Exit codes: 0 completed, 1 failed, 2 unknown tool, wrong input or pattern, 3 refused, 124 time limit, 130 cancelled, 143 SIGTERM.`,
    options: {
      input: { value: "FILE", summary: "Read the JSON from a file" },
      timeout: { value: "SECONDS", summary: "Stop the call after this long" },
      idle: { value: "SECONDS", summary: "Stop it when it shows no sign of life for this long" },
      events: { summary: "Print every event as a JSON line as it happens, the execution last" },
      quiet: { summary: "No commentary beside errors" },
      ...commonOptions,
    },
    examples: [
      `deckhand tool bash '{"command":"date"}'`,
      `echo '{"file_path":"README.md"}' | deckhand tool read`,
      `deckhand tool bash '{"command":"make test"}' --timeout 60 --json`,
    ],
    load: async () => (await import("./tool-command.ts")).runTool,
  },
  {
    name: "calls list",
    positionals: [],
    summary: "List what runs now and what ran, newest first (also plain `calls`)",
    options: {
      limit: { value: "N", summary: "At most so many; 10 when left out" },
      state: { value: "STATE", repeatable: true, summary: "Only calls in this state; may be given again for more" },
      tool: { value: "NAME", summary: "Only calls of this tool" },
      running: { summary: "Only calls under way, in any process" },
      ...commonOptions,
    },
    examples: ["deckhand calls", "deckhand calls list --state failed --state timeout --limit 50"],
    load: async () => (await import("./calls-list-command.ts")).runCallsList,
  },
  {
    name: "calls show",
    positionals: ["ID"],
    summary: "Show the whole record of one call",
    details: "ID is the whole id, or as much of its beginning or end as only one of the last 1,000 calls has.",
    options: commonOptions,
    examples: ["deckhand calls show call_0190a6b2-7c1e-7a41-9d3f-5b2c8e4f1a60", "deckhand calls show 1a60"],
    load: async () => (await import("./calls-show-command.ts")).runCallsShow,
  },
  {
    name: "calls cancel",
    positionals: ["ID"],
    summary: "Cancel a call that is under way, in any process, and wait until it has stopped",
    details: "ID as for `calls show`. Exit code 0 when it was under way, 1 when it is unknown or over.",
    options: {
      reason: { value: "TEXT", summary: "Why; it becomes part of the call's record" },
      ...commonOptions,
    },
    examples: [`deckhand calls cancel 1a60 --reason "wrong branch"`],
    load: async () => (await import("./calls-cancel-command.ts")).runCallsCancel,
  },
];

/** `calls` alone means `calls list`. */
export const defaultSubcommand: Readonly<Record<string, string>> = { calls: "list" };
