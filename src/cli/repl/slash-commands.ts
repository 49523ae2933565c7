import { permissionModeNames, type PermissionModeName } from "../../runtime/permission-modes.ts";
import { messageOf } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { formatAge } from "../format-time.ts";
import { renderTable } from "../table.ts";
import { neutralizeText } from "../terminal-text.ts";
import { renderTools } from "../tools-command.ts";
import { lessonCommands } from "./lesson-commands.ts";
import type { ReplContext, SlashCommand, SlashResult } from "./repl-context.ts";
import { showOutput, showSpent } from "./show-run.ts";
import { runToolHere } from "./run-tool-here.ts";

export const slashCommands: readonly SlashCommand[] = [
  { name: "/help", summary: "List these commands", run: ({ show, terminal }) => show(renderHelp(terminal.styleError)) },
  {
    name: "/tools",
    summary: "List the tools",
    run: ({ runtime, terminal, show }) => show(renderTools(runtime, terminal).trimEnd()),
  },
  {
    name: "/tool",
    takes: "NAME [JSON]",
    summary: "Run one tool now, by your own order; no model is asked",
    run: runToolHere,
    complete: ({ runtime }, words) => (words.length === 2 ? runtime.tools.list().map(({ name }) => name) : []),
  },
  {
    name: "/reload-tools",
    summary: "Look for new and changed tools",
    run: ({ runtime, say }) => say(`${runtime.tools.list().length} tools, all of them built in.`),
  },
  {
    name: "/mode",
    takes: "[MODE]",
    summary: "Show or set how much happens without asking",
    run: changeMode,
    complete: () => permissionModeNames,
  },
  { name: "/model", takes: "[MODEL]", summary: "Show or change the model", run: changeModel },
  { name: "/cost", summary: "Show what this conversation took: tokens, cache, money", run: showSpent },
  {
    name: "/compact",
    takes: "[WHAT TO KEEP]",
    summary: "Make the old part of the conversation a summary; `/compact undo` takes it back",
    run: compact,
  },
  { name: "/undo", takes: "[--force]", summary: "Put the files of the last turn back to what they were", run: undo },
  {
    name: "/log",
    takes: "[N]",
    summary: "Show the whole output of the last call, or of the N-th last (also Ctrl-O)",
    run: showOutput,
  },
  { name: "/reset", summary: "Start a new conversation", run: ({ switchTo }) => switchTo() },
  { name: "/sessions", summary: "List the conversations here", run: listSessions },
  {
    name: "/resume",
    takes: "[SESSION]",
    summary: "Go on with another conversation",
    run: ({ switchTo }, rest) => switchTo(rest || "latest"),
  },
  ...lessonCommands,
  { name: "/exit", summary: "Leave (also Ctrl-D)", run: () => "leave" },
];

/** Runs `/name rest`. What goes wrong is told in a sentence; the conversation goes on. */
export async function runSlash(context: ReplContext, line: string): Promise<SlashResult> {
  const [name = "", ...words] = line.split(/\s+/);
  const rest = line.slice(name.length).trim();
  const command = slashCommands.find((each) => each.name === (aliases[name] ?? name));
  if (!command) {
    const [meant] = nearest(
      name,
      slashCommands.map((each) => each.name),
      1,
    );
    return context.say(`There is no command ${name}.${meant ? ` Did you mean ${meant}?` : ""} /help lists them.`);
  }
  if (command.takes === undefined && words.some(Boolean)) {
    return context.say(`${command.name} takes nothing behind it; got "${rest}".`);
  }
  try {
    return await command.run(context, rest);
  } catch (thrown) {
    context.say(messageOf(thrown));
  }
}

const aliases: Readonly<Record<string, string>> = { "/quit": "/exit", "/q": "/exit", "/new": "/reset", "/?": "/help" };

function renderHelp(style: ReplContext["terminal"]["styleError"]): string {
  const width = Math.max(...slashCommands.map(({ name, takes = "" }) => `${name} ${takes}`.length));
  const lines = slashCommands.map(({ name, takes = "", summary }) => {
    const spaces = " ".repeat(width - `${name} ${takes}`.length + 2);
    return `  ${style("bold", name)} ${style("dim", takes)}${spaces}${summary}`;
  });
  return [
    ...lines,
    "",
    "  @file names a file · !command runs a command of yours · Alt-Enter begins a new line · Ctrl-R searches what you typed",
    "  Ctrl-C stops the call, again the turn, again leaves",
  ].join("\n");
}

function changeMode({ runtime, say }: ReplContext, rest: string): void {
  if (rest === "") return say(`The mode is ${runtime.permissionMode}; there are: ${permissionModeNames.join(", ")}.`);
  if (!permissionModeNames.includes(rest as PermissionModeName)) {
    return say(`"${rest}" is no mode; there are: ${permissionModeNames.join(", ")}.`);
  }
  runtime.permissionMode = rest as PermissionModeName;
  say(`The mode is ${rest} now.`);
}

async function changeModel({ runtime, agent, say }: ReplContext, rest: string): Promise<void> {
  if (rest === "") return say(`The model is ${agent.model.id}.`);
  const chosen = await runtime.openModel(rest);
  if (!chosen.model) return say(chosen.advice);
  agent.useModel(chosen.model);
  say(`The model is ${chosen.model.id} now.`);
}

async function compact({ agent, say, signal }: ReplContext, rest: string): Promise<void> {
  if (rest === "undo") {
    return say((await agent.undoCompaction()) ? "The summary is taken back." : "There is no summary to take back.");
  }
  say("Summarising the old turns …");
  const outcome = await agent.compact({ signal, ...(rest === "" ? {} : { focus: rest }) });
  if (outcome.state === "kept") say(outcome.reason);
  if (outcome.state === "cancelled") say("Stopped; nothing was changed.");
}

async function undo({ agent, say }: ReplContext, rest: string): Promise<void> {
  if (rest !== "" && rest !== "--force") return say(`/undo takes nothing, or --force; got "${rest}".`);
  const report = await agent.undo({ force: rest === "--force" });
  if (!report) return say("There is nothing to undo: no turn here changed a file.");
  const { restored, removed, skipped, notUndone } = report;
  const lines = [
    ...restored.map((path) => `put back   ${path}`),
    ...removed.map((path) => `removed    ${path}`),
    ...skipped.map(({ path, reason }) => `left alone ${path}: ${reason} (/undo --force does it all the same)`),
    ...notUndone.map((what) => `not undone ${what}`),
  ];
  say(lines.join("\n"));
}

async function listSessions({ runtime, terminal, show, say }: ReplContext): Promise<void> {
  const sessions = await (await runtime.sessions()).list(20);
  if (sessions.length === 0) return say("There is no conversation here yet.");
  const now = Date.now();
  show(
    neutralizeText(
      renderTable({
        columns: [
          { title: "SESSION" },
          { title: "AGE", align: "right" },
          { title: "PROMPTS", align: "right" },
          { title: "BEGINS" },
        ],
        rows: sessions.map(({ id, updatedAt, prompts, title }) => [
          id.slice(-8),
          formatAge(now - updatedAt),
          String(prompts),
          title,
        ]),
        width: terminal.width,
      }).trimEnd(),
    ),
  );
}
