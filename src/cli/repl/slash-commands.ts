import { readAnswers } from "../../agent/evidence/read-answers.ts";
import type { Execution } from "../../core/call.ts";
import { messageOf } from "../../core/errors.ts";
import { permissionModes } from "../../core/permission.ts";
import { nearest } from "../../core/text.ts";
import { createTrust } from "../../permissions/trust/open-trust.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import { findWaiting, grantWaiting, isNothing, renderWaiting } from "../commands/agent/offer-trust.ts";
import { describeMark } from "../commands/rollout/rollout-feedback-command.ts";
import { remarkOn, renderRollouts } from "../commands/rollout/rollout-status-command.ts";
import { askRollouts } from "../commands/rollout/with-rollouts.ts";
import { describeToolProblems, renderTools } from "../commands/tools/tools-command.ts";
import { countOf, formatTokens } from "../output/format-figures.ts";
import { neutralizeLine, wrapLines, wrapText } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { changeMode, listSessions, resumeSession } from "./change-session.ts";
import { askQuestion } from "./input/question-panel.ts";
import { reloadTools } from "./reload-tools.ts";
import type { ReplContext, SlashCommand, SlashResult } from "./repl-context.ts";
import { runToolHere } from "./run-tool-here.ts";
import { showOutput, showSpent } from "./show-agent-run.ts";
import { countPrompts } from "./show-conversation.ts";

/** What agents remember of this workdir: shown, editable, removable, and never kept unasked. */
const lessonCommands: readonly SlashCommand[] = [
  {
    name: "/lessons",
    takes: "[learn | remove N]",
    summary: "Show what is remembered of this folder; `learn` proposes what to keep of this conversation",
    run: runLessons,
    complete: (_context, words) => (words.length === 2 ? ["learn", "remove"] : []),
  },
];

async function runLessons(context: ReplContext, rest: string): Promise<void> {
  const { agent, say } = context;
  if (rest === "learn") return learn(context);
  const lessons = await agent.lessons.list();
  const [, which] = /^remove\s+(\d+)$/.exec(rest) ?? [];
  if (which !== undefined) {
    const lesson = lessons[Number(which) - 1];
    if (lesson === undefined) return say(`There is no lesson ${which}; there are ${lessons.length}.`);
    await agent.lessons.remove(lesson);
    return say(`Removed: ${lesson}`);
  }
  if (rest !== "") return say(`/lessons takes nothing, "learn", or "remove N"; got "${rest}".`);
  if (lessons.length === 0) return say("Nothing is remembered of this folder. /lessons learn proposes something.");
  say([...lessons.map((lesson, index) => `${index + 1}. ${lesson}`), `In ${agent.lessons.file}`].join("\n"));
}

/** The line that ends a conversation speaks of it; nothing is kept that the person did not pick. */
async function learn({ agent, input, say, signal }: ReplContext): Promise<void> {
  const { lessons, problem } = await agent.lessons.propose(signal);
  if (lessons.length === 0) return say(problem ?? "There is nothing to keep of this conversation.");
  const question = { text: "Which of these should be remembered for this folder?", options: lessons, multiple: true };
  const answer = await askQuestion(input, question, signal);
  if (!answer.answered) return say("Nothing was kept.");
  const kept = await agent.lessons.keep(answer.selected ?? []);
  say(kept.length === 0 ? "Nothing was kept." : `Kept ${kept.length}; /lessons shows them.`);
}

/** `/compact [WHAT TO KEEP]`, `/compact undo` */
async function compact({ agent, say, signal }: ReplContext, rest: string): Promise<void> {
  if (rest === "undo") {
    return say((await agent.undoCompaction()) ? "The summary is taken back." : "There is no summary to take back.");
  }
  say("Summarising the old turns …");
  const outcome = await agent.compact({ signal, ...(rest === "" ? {} : { focus: rest }) });
  if (outcome.state === "kept") return say(outcome.reason);
  if (outcome.state === "cancelled") return say("Stopped; nothing was changed.");
  const { tokensBefore, tokensAfter, pins } = outcome.body;
  say(
    `${countOf(outcome.messages, "message")} summarised, ${countOf(pins.length, "fact")} pinned: ` +
      `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens. /compact undo takes it back.`,
  );
  for (const problem of outcome.problems) say(problem);
}

/** `/undo [--force]` */
async function undo({ agent, say }: ReplContext, rest: string): Promise<void> {
  if (rest !== "" && rest !== "--force") return say(`/undo takes nothing, or --force; got "${rest}".`);
  const report = await agent.undo({ force: rest === "--force" });
  if (!report) return say("There is nothing to undo: no turn here changed a file.");
  const { restored, removed, alreadyBack, skipped, notUndone, corrected } = report;
  const lines = [
    ...restored.map((path) => `put back   ${path}`),
    ...removed.map((path) => `removed    ${path}`),
    ...alreadyBack.map((path) => `unchanged  ${path}: it was as before already`),
    ...skipped.map(({ path, reason, forceHelps }) => `left alone ${path}: ${reason}${forceHelps ? forceHint : ""}`),
    ...notUndone.map((what) => `not undone ${what}`),
    ...corrected.map((version) => `corrected  ${version}: ${countsAsWrong}`),
  ];
  say(lines.join("\n"));
}

const countsAsWrong = "it answered before these changes were made; its trial counts this as a wrong result";
const forceHint = " (/undo --force does it all the same)";

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

/** `/skills` */
function showSkills({ agent, terminal, say, show }: ReplContext): void {
  const { all, inUse } = agent.skills;
  if (all.length === 0)
    return say("There are no skills here: a skill is a folder with a SKILL.md in skills/ or .agents/skills/.");
  const used = inUse();
  const lines = all.map(({ name, description, allowedTools }) => {
    const tools = allowedTools === null ? "" : ` [${allowedTools.map(({ tool, rule }) => rule ?? tool).join(", ")}]`;
    const mark = name === used?.name ? "● " : "  ";
    return `${mark}${terminal.styleError("bold", neutralizeLine(name))}  ${neutralizeLine(`${description}${tools}`)}`;
  });
  show([...lines, used ? `In use: ${neutralizeLine(used.name)}.` : "None is in use."].join("\n"));
}

/** `/evidence`: the whole of the quiet line that followed the last answer. */
function showEvidence({ agent, runtime, terminal, say }: ReplContext): void {
  const answers = countPrompts(agent.history) === 0 ? [] : readAnswers(runtime.workdir, terminal.env, agent.sessionId);
  const last = answers.at(-1);
  if (!last) return say("There is no answer yet.");
  say(last.rendered);
}

/** `/rollout [TOOL]`: the same as `deckhand rollout status`. */
async function showRollouts({ runtime, terminal, show, say }: ReplContext, rest: string): Promise<void> {
  await runtime.prepareTools();
  const tool = rest === "" ? undefined : rest;
  const views = await askRollouts(runtime, tool, (rollouts) => rollouts.list(tool));
  if (views.length > 0) show(renderRollouts(views, terminal).trimEnd());
  const remark = tool === undefined ? remarkOn(views) : undefined;
  if (remark !== undefined) say(remark);
}

/** `/feedback bad [REASON]`: about the last call of a tool file in this conversation. */
async function giveFeedbackHere({ runtime, calls, say }: ReplContext, rest: string): Promise<void> {
  const [, verdict = "", reason = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (verdict !== "bad") return say("/feedback bad [REASON] marks the last result of a tool file as bad.");
  const call = await findLastResult(runtime, calls);
  if (!call) return say("No call of a tool file has succeeded in this conversation: there is nothing to mark.");
  const tool = call.toolId!;
  const mark = await askRollouts(runtime, tool, (rollouts) =>
    rollouts.markBad(tool, call, reason === "" ? undefined : reason),
  );
  say(`The last result of a tool file here is ${call.id}. ${describeMark(mark)}`);
}

async function findLastResult(runtime: Runtime, calls: ReplContext["calls"]): Promise<Execution | undefined> {
  await runtime.prepareTools();
  const fromFiles = new Set(runtime.customTools().files.flatMap(({ tool }) => tool ?? []));
  for (const { executionId } of calls.toReversed()) {
    const call = await runtime.get(executionId);
    if (call?.state === "completed" && call.toolId !== null && fromFiles.has(call.toolId)) return call;
  }
  return undefined;
}
