import { agentCommands } from "./commands/agent/agent-commands.ts";
import { permissionCommands } from "./commands/permissions/permission-commands.ts";
import { improveCommand } from "./commands/rollout/improve-commands.ts";
import { rolloutCommands } from "./commands/rollout/rollout-commands.ts";
import { scheduleCommands } from "./commands/schedule/schedule-commands.ts";
import { serveCommands } from "./commands/serve/serve-commands.ts";
import { watchdogCommands } from "./commands/watchdog/watchdog-commands.ts";
import { type Command, commonOptions, storeOption } from "./parser/command.ts";

/** Other agents and programs hand their jobs over by this. */
const mcpCommand: Command = {
  name: "mcp",
  positionals: [],
  summary: "Serve MCP: other agents hand jobs to background agents, and can use the tools",
  details: `On stdin and stdout, for a client that starts it; with --http or --socket, for clients that send the token of this
workdir (a private file, which is named at the start). Tasks go on when the client, or this server, ends; any later one
answers for them.

Tools: use_agent, get_task_status, wait_for_task, get_task_output, list_tasks, cancel_task, list_agents; with --expose
the catalog's own as well, under the same permission rules. Nobody can say yes by this way: what must be asked is refused,
or waits in the inbox where permissions.unattended says so. With --inbox clients see what waits there (list_inbox) and pass
on a person's answer to a question (answer_question); approvals stay with the person. docs/mcp.md has the rest.`,
  options: {
    http: { value: "PORT", summary: "Serve on this port of 127.0.0.1 instead; 0 takes one that is free" },
    socket: { value: "PATH", summary: "Serve on a Unix socket instead" },
    expose: { summary: "Offer the catalog's tools, too" },
    inbox: { summary: "Let clients list the inbox and answer questions in it; they approve nothing" },
    ...commonOptions,
  },
  examples: [
    "claude mcp add deckhand -- deckhand mcp",
    "deckhand mcp --workdir ~/project --expose",
    "deckhand mcp --http 8765",
  ],
  load: async () => (await import("./commands/mcp/mcp-command.ts")).runMcp,
};

function withStore(command: Command): Command {
  return { ...command, options: { ...storeOption, ...command.options } };
}

const workerCommands: readonly Command[] = [
  withStore({
    name: "worker",
    positionals: [],
    summary: "Run background tasks from a shared PostgreSQL on this machine",
    details: `It takes tasks for the agents that are installed here, as many of each at once as limits.max_agents says. When it ends,
what runs goes on: started again within a minute, it goes on watching; after that the task is called lost. Output stays on
the machine that has it, and is asked for from the others.`,
    options: {
      machine: { value: "NAME", summary: "By which it knows its own tasks again; made up once when left out" },
      ...commonOptions,
    },
    examples: ["deckhand worker --store postgres://deckhand@db.internal/deckhand"],
    load: async () => (await import("./commands/worker/worker-command.ts")).runWorker,
  }),
];

/** The rows of areas that are not one file yet; their code is loaded when it runs. */
export const tableCommands: readonly Command[] = [
  {
    name: "",
    positionals: [],
    summary: "Talk to a model that has the tools; without a model, see what is needed and the demo",
    details: `On a terminal with a model: the same as \`deckhand agent\`. Without a model: what to do about it, and the demo.
Without a terminal: what is here, and one harmless call to show how it works; without a model, what is needed (exit code 2).`,
    options: commonOptions,
    examples: ["deckhand"],
    load: async () => (await import("./commands/agent/welcome-command.ts")).runWelcome,
  },
  ...agentCommands,
  {
    name: "tools",
    positionals: ["[NAME]"],
    summary: "List the tools, or describe one of them",
    details: `Tools that come from files are listed with their version and file; a file that is no tool, with its reason.`,
    options: commonOptions,
    examples: ["deckhand tools", "deckhand tools bash", "deckhand tools --json"],
    load: async () => (await import("./commands/tools/tools-command.ts")).runTools,
  },
  {
    name: "tools new",
    positionals: ["NAME"],
    summary: "Write a tool file that works, with a test, to begin with",
    details: `It lies in the folder of tools ("tools", or tools.folder in the settings) and can be called at once. Nothing is
replaced. How to go on is in docs/tools.md.`,
    options: {
      language: { value: "LANGUAGE", summary: "ts (when left out), js or py" },
      ...commonOptions,
    },
    examples: ["deckhand tools new word_count", "deckhand tools new word_count --language py"],
    load: async () => (await import("./commands/tools/tools-new-command.ts")).runToolsNew,
  },
  {
    name: "tool",
    positionals: ["NAME", "[JSON]"],
    summary: "Run one tool now",
    details: `The input is JSON: as an argument, from stdin ("-", or simply piped), or from a file (--input). Left out, it is {}.
stdout gets the output as the tool returned it, with a newline at its end unless stdout is a file; a terminal gets it
without control sequences. Long output is cut by
the tool, which keeps the whole in a file and says where. What there is to say about the call goes to stderr. A dangerous call is asked about on a terminal and refused without one,
unless --yes-danger names every danger in it. Ctrl-C stops the call and waits until nothing of it is found
running any more.

Exit codes: 0 completed, 1 failed, 2 unknown tool, wrong input or pattern, 3 refused, 124 time limit, 130 cancelled, 143 SIGTERM.`,
    options: {
      input: { value: "FILE", summary: "Read the JSON from a file" },
      timeout: { value: "SECONDS", summary: "Stop the call after this long" },
      idle: { value: "SECONDS", summary: "Stop it when it shows no sign of life for this long" },
      "yes-danger": {
        value: "WHAT",
        repeatable: true,
        summary: "Say yes in advance to a danger: its rule (delete.recursive) or the exact sub-command",
      },
      inbox: { summary: "Let what must be asked wait in the inbox instead of refusing it" },
      events: { summary: "Print every event as a JSON line as it happens, the execution last" },
      quiet: { short: "q", summary: "No commentary beside errors" },
      ...commonOptions,
    },
    examples: [
      `deckhand tool bash '{"command":"date"}'`,
      `echo '{"file_path":"README.md"}' | deckhand tool read`,
      `deckhand tool bash '{"command":"make test"}' --timeout 60 --json`,
    ],
    load: async () => (await import("./commands/tools/tool-command.ts")).runTool,
  },
  ...rolloutCommands,
  improveCommand,
  ...scheduleCommands.map(withStore),
  withStore(mcpCommand),
  ...workerCommands,
  ...serveCommands.map(withStore),
  ...watchdogCommands,
  ...permissionCommands,
  {
    name: "check",
    positionals: ["[KIND]", "[VALUE]"],
    summary: "Ask what the rails would say to a command, path, url or text; nothing is run",
    details: `KIND is command, path, url or text. A text comes back as a log would have it, its secrets masked. Names in a URL are
resolved only with --resolve; a fetch always does that.

With --stdin each line is a JSON object, and each gets one line as its answer, in order; KIND may be left out then:
  {"command","cwd"?} → {"verdict":"safe|danger|unknown","reasons",…}      {"path","op","workdir"?} → {"allowed",…}
  {"url","addresses"?,"redirects"?} → {"allowed",…}                       {"text"} → {"text"}
An "id" is given back. A line that can't be used gets {"error"}.

Exit codes: 0 safe or allowed, 3 not; with --stdin 0 when all lines were answered.`,
    options: {
      op: {
        value: "OP",
        summary: "What a path is for: read (when left out), write, edit, delete, list, move, chmod, mkdir, execute",
      },
      resolve: { summary: "Resolve names in URLs, and judge where they lead" },
      stdin: { summary: "Check many: one JSON object per line on stdin, one answer per line" },
      ...commonOptions,
    },
    examples: [
      `deckhand check command 'git push --force'`,
      "deckhand check path ../secrets --op write",
      `deckhand check url http://0x7f.1/ --json`,
      `echo '{"command":"ls"}' | deckhand check --stdin`,
    ],
    load: async () => (await import("./commands/permissions/check-command.ts")).runCheck,
  },
  {
    name: "log tail",
    positionals: [],
    summary: "Show the end of the log: what was asked, decided, done (also plain `log`)",
    options: {
      lines: { short: "n", value: "N", summary: "So many lines; 20 when left out" },
      follow: { short: "f", summary: "Go on showing what is written, until Ctrl-C" },
      type: {
        value: "TYPE",
        repeatable: true,
        summary: "Only lines of this type, such as tool_call; may be given again",
      },
      tool: { value: "NAME", summary: "Only lines about this tool" },
      conversation: { value: "ID", summary: "Only lines of this conversation" },
      ...commonOptions,
    },
    examples: ["deckhand log", "deckhand log tail -n 100 --type tool_error", "deckhand log tail --follow --json"],
    load: async () => (await import("./commands/log/log-tail-command.ts")).runLogTail,
  },
  {
    name: "log show",
    positionals: ["ID"],
    summary: "Show all that the log says about one call",
    details: "ID is a call's id, a part of its beginning or end that no other has, or WRITER:NUMBER for one line.",
    options: commonOptions,
    examples: ["deckhand log show 1a60", "deckhand log show 2f77b454180ef645:7"],
    load: async () => (await import("./commands/log/log-show-command.ts")).runLogShow,
  },
  {
    name: "log verify",
    positionals: [],
    summary: "Prove that nothing in the log was changed, removed, moved or put in",
    details: `Every line is chained to the one before; the store knows where each chain ended. What does not fit is told with its
file, line, writer and number. Exit code 0 when the log is whole, 1 when it is not. What this can and can't prove is in
docs/journal.md.`,
    options: {
      head: { value: "HASH", summary: "Also check that this hash, noted earlier, is still there" },
      ...commonOptions,
    },
    examples: ["deckhand log verify", "deckhand log verify --json"],
    load: async () => (await import("./commands/log/log-verify-command.ts")).runLogVerify,
  },
  {
    name: "log evidence",
    positionals: ["ID"],
    summary: "Show what proves one call, or what an answer says was done against what was done",
    details: `For a call, ID as for \`log show\`: intent, decision, outcome, their hashes, and whether their chain is whole; exit code 0
when it is sound, 1 when a line or its chain is not.

For an answer of a model, ID is the answer's id, a session's (all of its answers), or "last": each command, path, count
and quotation in it with the call that shows it, or with none.`,
    options: commonOptions,
    examples: ["deckhand log evidence 1a60", "deckhand log evidence last", "deckhand log evidence ses_0190… --json"],
    load: async () => (await import("./commands/log/log-evidence-command.ts")).runLogEvidence,
  },
  {
    name: "log stats",
    positionals: [],
    summary: "Count calls, errors, refusals and times, by tool and by day",
    options: { days: { value: "N", summary: "Only the last N days" }, ...commonOptions },
    examples: ["deckhand log stats", "deckhand log stats --days 7 --json"],
    load: async () => (await import("./commands/log/log-stats-command.ts")).runLogStats,
  },
  {
    name: "clean",
    positionals: [],
    summary: "Remove records, ended tasks and runs, kept outputs and log files that are older than `retention` says",
    details: `What is removed is told by a line of the log, so that the rest still verifies. Settled entries of the inbox go with the records of
calls, runs after schedule.history_days. A daemon does the same by itself, a minute after its start and then once a day.`,
    options: {
      "dry-run": { summary: "Only say what would be removed" },
      "executions-days": { value: "N", summary: "Instead of retention.executions_days" },
      "outputs-days": { value: "N", summary: "Instead of retention.outputs_days" },
      "log-days": { value: "N", summary: "Instead of retention.log_days" },
      ...commonOptions,
    },
    examples: ["deckhand clean --dry-run", "deckhand clean --log-days 90"],
    load: async () => (await import("./commands/maintenance/clean-command.ts")).runClean,
  },
  {
    name: "restore",
    positionals: ["[PATH…]"],
    summary: "List protected files that were made while calls ran, and put back those that were moved aside",
    details: `Commands can't change a file or folder that other programs act on (.vscode, .husky, .npmrc, …), but they can make a missing
one. In a conversation it stays and is reported; in jobs, tasks and \`run\` without a terminal it is moved into the data folder.
\`restore PATH\` puts it back, or stops reporting it.`,
    options: commonOptions,
    examples: ["deckhand restore", "deckhand restore .vscode"],
    load: async () => (await import("./commands/permissions/restore-command.ts")).runRestore,
  },
  {
    name: "doctor",
    positionals: [],
    summary: "Say what works on this machine and in this folder, and how to mend the rest",
    details: `Looks only: no record is written, nothing is made in the workdir. What this platform can't promise is said here.

Exit codes: 0 no problem (warnings may be shown), 1 a problem.`,
    options: commonOptions,
    examples: ["deckhand doctor", "deckhand doctor --json"],
    load: async () => (await import("./commands/maintenance/doctor-command.ts")).runDoctor,
  },
];

interface Area {
  /** The first line of `deckhand calls --help`. */
  readonly summary: string;
  load(): Promise<readonly Command[]>;
}

/**
 * The areas that are one file each, with rows, code and texts, by the first word of their commands. An area is loaded when its
 * word is used, and for help.
 */
export const areas: Readonly<Record<string, Area>> = {
  calls: {
    summary: "Inspect and cancel tool calls",
    load: async () => (await import("./commands/calls-commands.ts")).callsCommands,
  },
  tasks: {
    summary: "Run agents in the background",
    load: async () => (await import("./commands/tasks-commands.ts")).tasksCommands,
  },
};

/** Every command that a command line with this first word can mean. An unknown word gets all of them, for the suggestion. */
export async function loadCommands(firstWord: string | undefined): Promise<readonly Command[]> {
  const area = firstWord !== undefined && Object.hasOwn(areas, firstWord) ? areas[firstWord] : undefined;
  if (area) return [...tableCommands, ...(await area.load())];
  const isTable = tableCommands.some(({ name }) => name.split(" ", 1)[0] === firstWord);
  return firstWord === undefined || isTable ? tableCommands : loadAllCommands();
}

export async function loadAllCommands(): Promise<readonly Command[]> {
  const loaded = await Promise.all(Object.values(areas).map((area) => area.load()));
  return [...tableCommands, ...loaded.flat()];
}

/** `calls` alone means `calls list`. */
export const defaultSubcommand: Readonly<Record<string, string>> = {
  calls: "list",
  inbox: "list",
  grants: "list",
  log: "tail",
  rollout: "status",
  tasks: "list",
  schedule: "list",
};
