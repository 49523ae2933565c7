import type { RunEnd } from "../core/agent-events.ts";
import { messageOf } from "../core/errors.ts";
import type { Execution } from "../core/execution.ts";
import { textOfParts, type UserPart } from "../core/message.ts";
import { noUsage } from "../core/model.ts";
import type { AgentParts } from "./agent-parts.ts";
import { isPlainQuestion } from "./is-plain-question.ts";
import { statisticsSince } from "./run-statistics.ts";
import { tellNews } from "./tell-news.ts";
import { over, takeTurn, type Run, type Stop } from "./take-turn.ts";

/** Takes what the person said to the model and its calls to the tools, until the model answers or a limit is reached. */
export async function runPrompt(
  parts: AgentParts,
  prompt: readonly UserPart[],
  signal: AbortSignal,
): Promise<{ readonly end: RunEnd; readonly executions: readonly Execution[] }> {
  const { session, host, emit, clock } = parts;
  const began = clock.monotonic();
  const before = host.statistics(session.id);
  const run: Run = { signal, turn: 0, usage: noUsage, cost: 0, text: "", emptyReplies: 0, executions: [] };
  emit("run:started", { sessionId: session.id, model: parts.model().id });
  const stop = await takeTurns(parts, run, prompt).catch((thrown: unknown) => over("failed", messageOf(thrown)));
  const end: RunEnd = {
    ...stop,
    text: run.text,
    statistics: {
      ...statisticsSince(before, host.statistics(session.id)),
      toolsUsed: [...new Set(run.executions.flatMap(({ toolId }) => toolId ?? []))],
      turns: run.turn,
      usage: run.usage,
      cost: run.cost,
      durationMs: clock.monotonic() - began,
    },
  };
  return { end, executions: run.executions };
}

/** Rejects only when the session can't be written: then nothing more may happen, because nobody would remember it. */
async function takeTurns(parts: AgentParts, run: Run, prompt: readonly UserPart[]): Promise<Stop> {
  const { session, host, settings, offers, context } = parts;
  await tellNews(parts);
  host.beginTurn(session.append({ type: "user", parts: prompt }).id);
  context.added({ role: "user", parts: prompt });
  const words = textOfParts(prompt);
  host.log("user_input", words);
  if (settings.maxCost !== null && parts.model().price === null) {
    parts.tell("warning", `Nobody knows what ${parts.model().id} costs, so --max-cost can't stop it.`);
  }
  const mustCall = settings.forceFirstTool && offers.length > 0 && !isPlainQuestion(words);
  for (;;) {
    const stop = await takeTurn(parts, run, mustCall && run.turn === 0);
    if (stop) return stop;
  }
}
