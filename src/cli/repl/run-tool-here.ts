import { systemClock } from "../../core/clock.ts";
import type { Execution } from "../../core/call.ts";
import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import { describeOutcome } from "../describe-outcome.ts";
import { createCallLines } from "../output/call-lines.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/tool NAME JSON`: no model request, the same rails, a record, and the result as it is. */
export async function runToolHere(context: ReplContext, rest: string): Promise<void> {
  const [, name = "", inputText = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (name === "") return context.say(`Say which tool: /tool read {"file_path": "README.md"}. /tools lists them.`);
  tellExecution(context, await callHere(context, { tool: name, inputText, title: inputText }));
}

/** `!command`: the person's own command. The model hears of it with the next prompt. */
export async function runShellHere(context: ReplContext, command: string): Promise<void> {
  if (command === "")
    return context.say("Say which command: !git status. Its output is shown, and the model hears of it.");
  const execution = await callHere(context, { tool: "bash", inputText: JSON.stringify({ command }), title: command });
  tellExecution(context, execution);
  if (needsTerminal(command)) {
    context.say(
      "A command behind ! has no terminal to draw on or to ask at; Ctrl-Z gives you your shell, `fg` comes back.",
    );
  }
  context.agent.remark(describeForModel(command, execution));
}

const mostToldCharacters = 4000;

function describeForModel(command: string, { state, result, error }: Execution): string {
  const output = result?.output ?? error ?? "";
  const which =
    output.length > mostToldCharacters ? `The last ${mostToldCharacters} characters of its output` : "Its output";
  return `The person ran \`${command}\` themselves (${state}). ${which}:\n${output.slice(-mostToldCharacters)}`;
}

const fullScreen =
  /^(?:vim?|nvim|nano|emacs|pico|less|more|man|top|htop|watch|tmux|screen|ssh|su|passwd|mysql|psql|sqlite3|gdb|fzf)$/;

function needsTerminal(command: string): boolean {
  return fullScreen.test(/^\S+/.exec(command)?.[0] ?? "");
}

interface OwnCall {
  readonly tool: string;
  readonly inputText: string;
  readonly title: string;
}

/** One live row while it runs, as for the calls of a model. */
async function callHere(context: ReplContext, { tool, inputText, title }: OwnCall): Promise<Execution> {
  const { runtime, agent, signal, screen, terminal } = context;
  const lines = createCallLines({ style: terminal.styleError, now: () => systemClock.monotonic() });
  const stopWatching = runtime.on("*", (event) => lines.runtime(event));
  try {
    const call = runtime.call(tool, undefined, {
      inputText: inputText || "{}",
      door: "cli",
      conversationId: agent.sessionId,
      signal,
    });
    const added = { callId: call.id, executionId: call.id, tool, title, input: inputText, isEarly: false } as const;
    lines.agent({ type: "call:added", at: systemClock.now(), ...added });
    screen.setLive((view) => lines.liveRows(view));
    return await call;
  } finally {
    stopWatching();
    screen.setLive(null);
  }
}

function tellExecution({ say, show }: ReplContext, execution: Execution): void {
  const output = execution.result?.output ?? "";
  if (output !== "") show(cleanText(output).replace(/\n$/, ""));
  const { error, remarks } = describeOutcome(execution);
  if (error === undefined) return;
  for (const line of [error, ...remarks]) say(line);
}
