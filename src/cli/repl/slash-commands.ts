import { messageOf } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { createTrust } from "../../permissions/trust/open-trust.ts";
import { permissionModes } from "../../core/permission.ts";
import { findWaiting, grantWaiting, isNothing, renderWaiting } from "../commands/agent/offer-trust.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapLines, wrapText } from "../terminal/wrap-text.ts";
import { describeToolProblems, renderTools } from "../commands/tools/tools-command.ts";
import { changeMode } from "./change-mode.ts";
import { listSessions, resumeSession } from "./change-session.ts";
import { compact, undo } from "./history-commands.ts";
import { askQuestion } from "./input/question-panel.ts";
import { lessonCommands } from "./lesson-commands.ts";
import type { ReplContext, SlashCommand, SlashResult } from "./repl-context.ts";
import { reloadTools } from "./reload-tools.ts";
import { giveFeedbackHere, showRollouts } from "./rollouts-here.ts";
import { runToolHere } from "./run-tool-here.ts";
import { showEvidence, showSkills } from "./show-agent.ts";
import { showOutput, showSpent } from "./show-agent-run.ts";

export const slashCommands: readonly SlashCommand[] = [
  {
    name: "/help",
    summary: "List these commands",
    run: ({ show, screen, terminal }) => show(renderHelp(screen.columns, terminal.styleError)),
  },
  {
    name: "/tools",
    summary: "List the tools",
    run: async ({ runtime, terminal, mode, show, say }) => {
      if (mode === "chat") return say("No tools: this is a chat. `deckhand agent` starts a conversation with tools.");
      await runtime.prepareTools();
      show(renderTools(runtime, terminal).trimEnd());
      for (const problem of describeToolProblems(runtime)) say(problem);
    },
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
    run: reloadTools,
  },
  { name: "/trust", summary: "Show what waits for your trust or approval here, and decide about it", run: trustHere },
  {
    name: "/rollout",
    takes: "[TOOL]",
    summary: "Show which new versions of tool files are tried, and how far they are",
    run: showRollouts,
    complete: ({ runtime }, words) =>
      words.length === 2 ? runtime.customTools().files.flatMap(({ tool }) => tool ?? []) : [],
  },
  {
    name: "/mode",
    takes: "[MODE]",
    summary: "Show or set how much happens without asking (also Shift-Tab)",
    run: changeMode,
    complete: (_context, words) => (words.length === 2 ? permissionModes : []),
  },
  { name: "/model", takes: "[MODEL]", summary: "Show or change the model", run: changeModel },
  {
    name: "/cost",
    summary: "Show what this conversation took: tokens, cache, money, and its calls since it was opened (also /stats)",
    run: showSpent,
  },
  {
    name: "/compact",
    takes: "[WHAT TO KEEP]",
    summary: "Make the old part of the conversation a summary; `/compact undo` takes it back",
    run: compact,
    complete: (_context, words) => (words.length === 2 ? ["undo"] : []),
  },
  {
    name: "/undo",
    takes: "[--force]",
    summary: "Put the files of the last turn back to what they were",
    run: undo,
    complete: (_context, words) => (words.length === 2 ? ["--force"] : []),
  },
  {
    name: "/feedback",
    takes: "bad [REASON]",
    summary: "Mark the last result of a tool file as bad; it counts against the version that ran it",
    run: giveFeedbackHere,
    complete: (_context, words) => (words.length === 2 ? ["bad"] : []),
  },
  {
    name: "/log",
    takes: "[N]",
    summary: "Show the whole output of the last call, or of the N-th last (also Ctrl-O)",
    run: showOutput,
  },
  { name: "/evidence", summary: "Show what the last answer says was done against what was done", run: showEvidence },
  { name: "/skills", summary: "List the skills, and say which one is in use", run: showSkills },
  ...lessonCommands,
  { name: "/reset", summary: "Start a new conversation", run: ({ startNew }) => startNew() },
  { name: "/sessions", summary: "List the conversations here", run: listSessions },
  { name: "/resume", takes: "[SESSION]", summary: "Go on with another conversation", run: resumeSession },
  { name: "/exit", summary: "Leave (also Ctrl-D)", run: () => "leave" },
];

/** A command, not a path: `/etc/hosts` is something to talk about. */
export function isSlash(line: string): boolean {
  return /^\/[^\s/]*(?:\s|$)/.test(line);
}

/** Runs `/name rest`. What goes wrong is told in a sentence; the conversation goes on. */
export async function runSlash(context: ReplContext, line: string): Promise<SlashResult> {
  const [name = "", ...words] = line.split(/\s+/);
  const rest = line.slice(name.length).trim();
  const command = slashCommands.find((each) => each.name === (aliases[name] ?? name));
  if (!command) {
    const names = slashCommands.map((each) => each.name);
    const [meant] = nearest(name, names, 1);
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

const aliases: Readonly<Record<string, string>> = {
  "/quit": "/exit",
  "/q": "/exit",
  "/new": "/reset",
  "/clear": "/reset",
  "/stats": "/cost",
  "/?": "/help",
};

function renderHelp(columns: number, style: Terminal["styleError"]): string {
  const width = Math.max(...slashCommands.map(({ name, takes = "" }) => `${name} ${takes}`.length));
  const lines = slashCommands.map(({ name, takes = "", summary }) => {
    const spaces = " ".repeat(width - `${name} ${takes}`.length + 2);
    const [first, ...rest] = wrapText(summary, columns - width - 4);
    const below = rest.map((line) => `\n${" ".repeat(width + 4)}${line}`).join("");
    return `  ${style("bold", name)} ${style("dim", takes)}${spaces}${first}${below}`;
  });
  const hints = [
    '  @file brings a file, a folder\'s list or a picture along (@"with spaces"); Tab completes',
    "  !command runs a command of yours, without a terminal of its own; the model hears of it",
    "  Alt-Enter begins a new line · Ctrl-R searches what you typed · Ctrl-Z gives you your shell",
    "  Ctrl-C stops the call, again the turn, again leaves · Esc stops the turn · Ctrl-D leaves",
  ];
  return [...lines, "", wrapLines(hints.join("\n"), columns)].join("\n");
}

async function changeModel({ runtime, agent, say }: ReplContext, rest: string): Promise<void> {
  if (rest === "") return say(`The model is ${agent.model.id}.`);
  const chosen = await runtime.openModel(rest);
  if (!chosen.model) return say(chosen.advice);
  agent.useModel(chosen.model);
  say(`The model is ${chosen.model.id} now.`);
}

/** `/trust`: shows what waits for trust or approval here, and asks. */
async function trustHere({ runtime, terminal, input, say, show, signal }: ReplContext): Promise<void> {
  const trust = createTrust(runtime.workdir, terminal.env);
  const waiting = findWaiting(trust);
  if (isNothing(waiting)) {
    return say("There is nothing here that still needs your trust.");
  }
  show(renderWaiting(trust, waiting, { style: terminal.styleError, maxLines: 60 }));
  const options = ["Trust them as they are now", "Leave them"];
  const answer = await askQuestion(input, { text: "These can run code or widen what is allowed.", options }, signal);
  if (!answer.answered || answer.text !== options[0]) return say("Nothing was trusted.");
  const paths = grantWaiting(trust, waiting);
  await runtime.prepareTools();
  const isSetting = paths.some((path) => path === "deckhand.json" || path === ".mcp.json");
  say(`Trusted: ${paths.join(", ")}.${isSetting ? " Settings count from the next start on." : ""}`);
}
