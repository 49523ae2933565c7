import { commonOptions, type Command, type Option } from "../../parser/command.ts";

const modelOption: Readonly<Record<string, Option>> = {
  model: { short: "m", value: "MODEL", summary: "provider/name, such as anthropic/claude-sonnet-5-5, or script:FILE" },
};

const agentOptions: Readonly<Record<string, Option>> = {
  ...modelOption,
  mode: { value: "MODE", summary: "How much happens without asking: ask, accept-edits, auto, plan or never" },
  "max-turns": { value: "N", summary: "At most so many requests to the model for one prompt; 20 when left out" },
  "max-cost": { value: "DOLLARS", summary: "Stop a prompt that costs more than this" },
  "force-tool": { summary: "The first reply to a task must call a tool" },
  "append-system-prompt": { value: "TEXT", summary: "Add this to the system prompt" },
  "append-system-prompt-file": { value: "FILE", summary: "The same, from a file" },
};

const modelHelp = `The model: --model > DECKHAND_MODEL > "model" in deckhand.json > the first key that is set (ANTHROPIC_API_KEY,
OPENAI_API_KEY, GEMINI_API_KEY, …) > a local Ollama. docs/models.md has the rest.`;

/** Talking to a model. */
export const agentCommands: readonly Command[] = [
  {
    name: "agent",
    positionals: ["[PROMPT]"],
    summary: "Talk to a model that has the tools (also plain `deckhand`)",
    details: `${modelHelp}

In the conversation: /help lists the commands, @file brings a file along, !command runs a command of your own. Ctrl-C
stops the call, again the turn, again leaves. Without a terminal, a PROMPT is one task, as for \`deckhand run\`.`,
    options: {
      ...agentOptions,
      continue: { short: "c", summary: "Go on with the last conversation here" },
      ...commonOptions,
    },
    examples: ["deckhand", "deckhand agent --model ollama/qwen3", `deckhand agent "what does this project do?"`],
    load: async () => (await import("./agent-command.ts")).runAgent,
  },
  {
    name: "chat",
    positionals: ["[PROMPT]"],
    summary: "Talk to a model without tools",
    details: modelHelp,
    options: {
      ...modelOption,
      continue: { short: "c", summary: "Go on with the last conversation here" },
      ...commonOptions,
    },
    examples: ["deckhand chat", "deckhand chat --model openai/gpt-5"],
    load: async () => (await import("./agent-command.ts")).runChat,
  },
  {
    name: "run",
    positionals: ["[TASK]"],
    summary: "Do one task, then exit",
    details: `The task is the argument, or stdin; with both, stdin is what the task is about. stdout gets the answer and nothing
else; what happens meanwhile goes to stderr. With --json every event is a JSON line on stdout, the end last.
Without a terminal nobody can be asked: what needs a yes is refused, or waits in the inbox (--inbox, or
permissions.unattended).

${modelHelp}

Exit codes: 0 answered, 1 failed or a limit was reached, 2 wrong use or no model, 3 --yes-danger from inside a tool
call, 129 SIGHUP, 130 Ctrl-C, 143 SIGTERM.`,
    options: {
      ...agentOptions,
      continue: { short: "c", summary: "Go on with the last conversation here" },
      session: { value: "ID", summary: "Go on with this conversation" },
      image: { value: "FILE", repeatable: true, summary: "Show the model this picture" },
      "yes-danger": {
        value: "WHAT",
        repeatable: true,
        summary: "Say yes in advance to a danger: its rule (delete.recursive) or the exact sub-command",
      },
      inbox: { summary: "Let what must be asked wait in the inbox instead of refusing it" },
      quiet: { short: "q", summary: "No commentary beside errors" },
      ...commonOptions,
    },
    examples: [
      `deckhand run "run the tests and fix what fails"`,
      `git diff | deckhand run "review this" --mode plan`,
      `deckhand run "list the todo comments" --json`,
    ],
    load: async () => (await import("./run-prompt-command.ts")).runRun,
  },
  {
    name: "resume",
    positionals: ["[SESSION]"],
    summary: "Go on with a conversation: the last one, or the one named",
    details: `SESSION is the whole id, or as much of its beginning or end as only one has; \`deckhand sessions\` lists them. Calls
that were under way when it ended are settled first: finished ones keep their result, safe ones run again, and of the
rest it is said that their outcome is unknown.`,
    options: { ...agentOptions, ...commonOptions },
    examples: ["deckhand resume", "deckhand resume 1a60"],
    load: async () => (await import("./agent-command.ts")).runResume,
  },
  {
    name: "sessions",
    positionals: [],
    summary: "List the conversations of this folder, newest first",
    options: { limit: { value: "N", summary: "At most so many; 20 when left out" }, ...commonOptions },
    examples: ["deckhand sessions", "deckhand sessions --json"],
    load: async () => (await import("./sessions-command.ts")).runSessions,
  },
  {
    name: "reset",
    positionals: [],
    summary: "Forget the conversation: the next --continue starts a new one",
    details: "Nothing is deleted: the conversation stays in `deckhand sessions` and can be resumed by its id.",
    options: commonOptions,
    examples: ["deckhand reset"],
    load: async () => (await import("./sessions-command.ts")).runReset,
  },
  {
    name: "record",
    positionals: ["[SESSION]"],
    summary: "Make a script of a conversation, to be played again with --model script:FILE",
    details: "SESSION as for `resume`. The script goes to stdout, or to --output.",
    options: {
      output: { short: "o", value: "FILE", summary: "Write it there; an existing file is not replaced" },
      ...commonOptions,
    },
    examples: ["deckhand record > fix-tests.json", "deckhand record 1a60 --output fix-tests.json"],
    load: async () => (await import("./sessions-command.ts")).runRecord,
  },
  {
    name: "demo",
    positionals: [],
    summary: "A guided tour on a scratch folder: a scripted model, the real tools",
    details: "Needs no key and no network. Without a terminal it plays through.",
    options: { fast: { summary: "Without pauses" }, ...commonOptions },
    examples: ["deckhand demo"],
    load: async () => (await import("../demo/demo-command.ts")).runDemo,
  },
];
