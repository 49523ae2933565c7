import { commonOptions, type Command, type Option } from "./command.ts";

const follow: Option = { short: "f", summary: "Show what it does until its end, and end with its exit code" };
const quiet: Option = { short: "q", summary: "No commentary beside errors" };
const idHelp =
  "ID is the whole id, as much of its beginning or end as only one of the last 1,000 tasks has, or `last`.";

/** Jobs for other agents, in the background. */
export const tasksCommands: readonly Command[] = [
  {
    name: "tasks list",
    positionals: [],
    summary: "List background tasks, newest first (also plain `tasks`)",
    options: {
      limit: { value: "N", summary: "At most so many; 20 when left out" },
      state: {
        value: "STATE",
        repeatable: true,
        summary:
          "Only those that are queued, running, completed, failed, cancelled, timeout or lost; may be given again",
      },
      agent: { value: "NAME", summary: "Only tasks of this agent" },
      running: { summary: "Only those that run or wait for their turn" },
      ...commonOptions,
    },
    examples: ["deckhand tasks", "deckhand tasks list --running", "deckhand tasks list --agent claude --json"],
    load: async () => (await import("./tasks-list-command.ts")).runTasksList,
  },
  {
    name: "tasks start",
    positionals: ["AGENT", "[MESSAGE]"],
    summary: "Hand a job to another agent, and get its id at once",
    details: `AGENT is claude, codex, gemini, opencode, qwen, pi, deckhand, or a name from "agents" in the settings; \`deckhand tasks
agents\` says which are here. MESSAGE is the whole job, or "-" for stdin; with both, stdin is what the job is about. stdout
gets the id and nothing else.

The task goes on when this command has ended, and when everything else has. As many of one agent run at once as
limits.max_agents says; the others wait, and are started by whichever deckhand is here when there is room.

Exit codes: 0 it was ordered, 1 it could not be started, 2 wrong use, unknown agent, or one that is not installed; with
--follow those of \`deckhand tasks follow\`.`,
    options: {
      model: { short: "m", value: "MODEL", summary: "The model, by the name that the agent knows" },
      "system-prompt": { value: "TEXT", summary: "Added to the agent's own, or said before the message" },
      cwd: {
        value: "DIR",
        summary:
          "Where it works, from the workdir; the workdir itself when left out. With --store: from that of the worker",
      },
      timeout: { value: "SECONDS", summary: "Stop it after this long; limits.task_timeout_ms when left out" },
      arg: { value: "ARG", repeatable: true, summary: "One more argument for its command, as in --arg=--verbose" },
      resume: { value: "SESSION", summary: "Go on with this session of the agent (see `deckhand tasks resume`)" },
      key: { value: "KEY", summary: "Two orders with one key are one task; the key of another job is refused" },
      idempotent: { summary: "Twice is the same as once: should it get lost, it is started again" },
      "bypass-permissions": {
        summary: 'Without the agent\'s own permission checks; only where "agents.NAME.allow_bypass" allows that',
      },
      follow,
      quiet,
      ...commonOptions,
    },
    examples: [
      `deckhand tasks start claude "fix the failing tests"`,
      `git diff | deckhand tasks start codex "review this" --timeout 600 --follow`,
      `id=$(deckhand tasks start gemini "translate README.md to Korean" --quiet)`,
    ],
    load: async () => (await import("./tasks-start-command.ts")).runTasksStart,
  },
  {
    name: "tasks show",
    positionals: ["ID"],
    summary: "Show all that is known of one task, and its answer as far as it has come",
    details: idHelp,
    options: commonOptions,
    examples: ["deckhand tasks show last", "deckhand tasks show 4f1a60b2 --json"],
    load: async () => (await import("./tasks-show-command.ts")).runTasksShow,
  },
  {
    name: "tasks follow",
    positionals: ["ID"],
    summary: "Show what a task does until its end; Ctrl-C leaves it running",
    details: `${idHelp}
Of an agent that speaks in events you see its progress on stderr and, in the end, its answer on stdout; of any other, what it prints as it comes. With --json each line is a document: task:progressed, task:output, and in
the end task:settled with the whole task.

Exit codes: 0 completed, 1 failed or lost, 69 the store can't be reached, so nothing is known of the task, 124 time
limit, 130 cancelled or Ctrl-C, 143 SIGTERM.`,
    options: { raw: { summary: "Show what it prints, as it is" }, quiet, ...commonOptions },
    examples: ["deckhand tasks follow last", "deckhand tasks follow 4f1a60b2 --json"],
    load: async () => (await import("./tasks-follow-command.ts")).runTasksFollow,
  },
  {
    name: "tasks cancel",
    positionals: ["ID…"],
    summary: "Stop tasks with everything they started, and prove that it is gone",
    details: `${idHelp}

Exit codes: 0 all were under way and are cancelled, 1 one was over already, or one is unknown; then
none is cancelled.`,
    options: { reason: { value: "TEXT", summary: "Why; it becomes part of the task's record" }, ...commonOptions },
    examples: ["deckhand tasks cancel last", `deckhand tasks cancel 4f1a60b2 91c0ffee --reason "wrong branch"`],
    load: async () => (await import("./tasks-cancel-command.ts")).runTasksCancel,
  },
  {
    name: "tasks resume",
    positionals: ["ID", "[MESSAGE]"],
    summary: "Go on with the session of a task that has ended, as a new task",
    details: `${idHelp}
The agent, its model, folder and limits are those of the first one. stdout gets the new id.`,
    options: { follow, quiet, ...commonOptions },
    examples: [`deckhand tasks resume last "now the other file"`, `deckhand tasks resume 4f1a60b2 "go on" --follow`],
    load: async () => (await import("./tasks-start-command.ts")).runTasksResume,
  },
  {
    name: "tasks agents",
    positionals: [],
    summary: "List the agents: which are here, and how to install the rest",
    options: commonOptions,
    examples: ["deckhand tasks agents", "deckhand tasks agents --json"],
    load: async () => (await import("./tasks-agents-command.ts")).runTasksAgents,
  },
];
