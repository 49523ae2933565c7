import { clipText } from "../../core/text.ts";
import { textOfParts } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { tellReconciled } from "../commands/agent/open-cli-agent.ts";
import { neutralizeLine, wrapText } from "../terminal/terminal-text.ts";
import { countTools } from "./reload-tools.ts";
import { shortId } from "./change-session.ts";
import { countOf } from "../output/format-figures.ts";
import { createMarkdownStream } from "../output/markdown/markdown-stream.ts";
import { renderStatusLine } from "../output/status-line.ts";
import type { ReplContext } from "./repl-context.ts";

/** What the person should know before they type. */
export function greet(context: ReplContext): void {
  const { agent, runtime, terminal, mode, say, show } = context;
  const style = terminal.styleError;
  const tools = mode === "chat" ? "no tools" : countOf(countTools(runtime), "tool");
  const about = neutralizeLine(`· ${agent.model.id} · ${tools} · ${runtime.workdir} · /help`);
  show(`${style("bold", "deckhand")} ${style("dim", about)}`);
  tellReconciled(agent, say);
  const prompts = countPrompts(agent.history);
  if (prompts === 0) return;
  say(`Going on with ${agent.sessionId}: ${countOf(prompts, "prompt")} so far.`);
  showLastExchange(context);
}

/** What was said last, so that nobody has to remember where it was. */
function showLastExchange({ agent, terminal, screen, show }: ReplContext): void {
  const asked = agent.history.findLast((entry) => entry.type === "user");
  if (asked?.type !== "user") return;
  const style = terminal.styleError;
  const words = textOfParts(asked.parts).split("\n", 1)[0] ?? "";
  show(`${style("dim", "›")} ${neutralizeLine(clipText(words, 200))}`);
  const later = agent.history.slice(agent.history.indexOf(asked));
  const answer = later.findLast((entry) => entry.type === "assistant" && textOfParts(entry.parts) !== "");
  if (answer?.type !== "assistant") return;
  const markdown = createMarkdownStream({ width: screen.columns, style });
  show((markdown.push(textOfParts(answer.parts)) + markdown.end()).trimEnd());
}

/** A quiet word when the person leaves: nothing is learnt unasked, and nobody has to know that it can be. */
export function bidFarewell({ agent, terminal, screen, show }: ReplContext): void {
  if (countPrompts(agent.history) === 0) return;
  const lines = [
    `deckhand resume ${agent.sessionId.slice(-shortId)} goes on with this conversation.`,
    ...(agent.lessons.hasSomethingToLearn() ? ["/lessons learn in it proposes what to remember for next time."] : []),
  ];
  const wrapped = lines.flatMap((line) => wrapText(line, screen.columns));
  show(wrapped.map((line) => terminal.styleError("dim", line)).join("\n"));
}

export function countPrompts(history: readonly SessionEntry[]): number {
  return history.filter(({ type }) => type === "user").length;
}

/** The row below the prompt. */
export function promptStatus({ agent, runtime, terminal }: ReplContext, columns: number): string {
  const { usage, cost } = agent.spent;
  const { inputTokens, cacheReadTokens } = usage;
  return renderStatusLine(
    {
      model: agent.model.id,
      contextTokens: agent.context?.tokens ?? null,
      maxContextTokens: agent.context?.maxTokens ?? null,
      cost,
      cachedPercent: cacheReadTokens === 0 ? null : Math.round((cacheReadTokens / inputTokens) * 100),
      mode: runtime.permissionMode,
      elapsedMs: null,
    },
    columns,
    terminal.styleError,
  );
}
