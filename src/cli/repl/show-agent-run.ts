import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import type { ReplContext, ShownCall } from "./repl-context.ts";
import type { RunStatistics } from "../../core/call.ts";
import type { SessionEntry } from "../../core/session.ts";

/** `/log [N]`: what the one-line form of a call leaves out. */
export async function showOutput({ runtime, calls, say, show }: ReplContext, rest: string): Promise<void> {
  const back = rest === "" ? 1 : Number(rest);
  if (!Number.isInteger(back) || back < 1) return say(`/log takes a number from 1 on; got "${rest}".`);
  const one = calls.at(-back);
  if (!one) return say(calls.length === 0 ? "No tool was called yet." : `There were only ${calls.length} calls.`);
  const execution = await runtime.get(one.executionId);
  if (!execution) return say(`The record of ${one.executionId} is gone.`);
  const { result, error, state } = execution;
  const output = cleanText(result?.output ?? "").trimEnd();
  say(`${one.title} · ${state} · ${one.executionId}`);
  if (output !== "") show(output);
  if (error !== null) say(error);
  if (result?.files && result.files.length > 0) say(`Files: ${result.files.join(", ")}`);
}

/** The calls of a conversation that is taken up again. */
export function callsIn(history: readonly SessionEntry[]): ShownCall[] {
  return history.flatMap((entry) =>
    entry.type === "call" ? [{ title: entry.tool, executionId: entry.executionId }] : [],
  );
}

/** `/cost`, also `/stats` */
export function showSpent({ agent, runtime, say }: ReplContext): void {
  const { usage, cost } = agent.spent;
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  const cached = inputTokens === 0 ? 0 : Math.round((cacheReadTokens / inputTokens) * 100);
  const money = cost === null ? "the price of this model is not known" : `$${cost.toFixed(4)}`;
  const { context } = agent;
  say(
    [
      `${number(inputTokens)} tokens in (${cached} % from the cache), ${number(outputTokens)} out; ${money}.`,
      describeCalls(runtime.statistics(agent.sessionId)),
      ...(context ? [`The context holds ${number(context.tokens)} of ${number(context.maxTokens)} tokens.`] : []),
    ].join("\n"),
  );
}

/** The calls since the conversation was opened. */
function describeCalls(statistics: RunStatistics): string {
  const { calls, successes, failures, cancelled, blockedRepeats, recoveries } = statistics;
  const { consecutiveErrors, consecutiveReadOnlySuccesses, consecutiveNonMutatingSuccesses } = statistics;
  return [
    `${count(calls, "call")} since it was opened: ${number(successes)} completed, ${number(failures)} failed, ` +
      `${number(cancelled)} cancelled; ${count(blockedRepeats, "blocked repeat")}, ${count(recoveries, "recovery", "recoveries")}.`,
    `In a row: ${count(consecutiveErrors, "error")}, ${count(consecutiveReadOnlySuccesses, "read-only success", "read-only successes")}, ` +
      `${count(consecutiveNonMutatingSuccesses, "success", "successes")} that changed nothing.`,
  ].join("\n");
}

function count(value: number, one: string, more = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : more}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
