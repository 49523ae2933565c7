import type { AgentEvent } from "../../core/events.ts";
import { formatDuration } from "../../core/time.ts";
import { neutralizeLine, neutralizeText } from "../terminal/terminal-text.ts";
import { countOf, formatCost, formatTokens, percentOf } from "./format-figures.ts";

/** How loud a line is. */
export interface Remark {
  readonly tone: "quiet" | "warning" | "error";
  readonly text: string;
}

/** The events that are one line in what was said; undefined for all others, and where there is nothing to tell. */
export function describeEvent(event: AgentEvent): Remark | undefined {
  switch (event.type) {
    case "notice:told":
      return { tone: event.level === "warning" ? "warning" : "quiet", text: neutralizeText(event.text) };
    case "tools:offered":
      if (event.savedPercent <= 0) return undefined;
      return { tone: "quiet", text: `[tool-schema-opt] saved=${Math.round(event.savedPercent)}%` };
    case "calls:planned":
      if (event.running < 2) return undefined;
      return { tone: "quiet", text: `Running ${event.running} read-only calls in parallel` };
    case "context:compacted":
      return { tone: "quiet", text: describeCompaction(event) };
    case "evidence:checked":
      return describeEvidence(event);
    case "model:retrying":
      return { tone: "warning", text: `${neutralizeText(event.message)} ${describeRetry(event, event.delayMs)}` };
    default:
      return undefined;
  }
}

export function describeRetry(
  { attempt, maxAttempts }: { readonly attempt: number; readonly maxAttempts: number },
  delayMs: number,
): string {
  return `Trying again in ${formatDuration(Math.max(1, Math.ceil(delayMs / 1000)) * 1000)} (${attempt + 1} of ${maxAttempts}).`;
}

interface EndDetails {
  /** Calls that a rule or a person said no to. */
  readonly refused: readonly AgentEvent<"call:settled">[];
  /** What goes on with a task that a limit stopped, as a sentence. */
  readonly howToGoOn: string;
  /** How to allow calls that were refused because no one could be asked; null where there is someone to ask. */
  readonly howToAllow: string | null;
}

/** Whether it was refused only because no one could be asked: what a mode or a deny rule refuses, the inbox does not let through. */
function wasNotAsked({ error }: AgentEvent<"call:settled">): boolean {
  return error?.includes("nobody is there to ask") ?? false;
}

/** What a run was, when it is over: why it did not answer first, then its figures. */
export function describeEnd(event: AgentEvent<"run:ended">, details: EndDetails): Remark[] {
  const { refused, howToGoOn, howToAllow } = details;
  const { state, reason, statistics } = event;
  const { turns, calls, usage, cost, durationMs } = statistics;
  const failures = statistics.failures - refused.filter((call) => call.state === "failed").length;
  const bad = [
    ...(failures > 0 ? [`${failures} failed`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ];
  const read = formatTokens(usage.inputTokens);
  const cached = usage.cacheReadTokens > 0 ? ` (${percentOf(usage.cacheReadTokens, usage.inputTokens)}% cached)` : "";
  const figures = [
    countOf(turns, "turn"),
    ...(calls > 0 ? [[countOf(calls, "call"), ...bad].join(", ")] : []),
    ...(usage.inputTokens + usage.outputTokens > 0
      ? [`${read} tokens in${cached}, ${formatTokens(usage.outputTokens)} out`]
      : []),
    ...(cost === null ? [] : [formatCost(cost)]),
    formatDuration(durationMs),
  ].join(" · ");
  const ended = neutralizeText(reason ?? `The run ended as ${state.replaceAll("_", " ")}.`);
  const why = state === "max_turns" ? `${ended}\n${howToGoOn}` : ended;
  const tone = state === "failed" ? "error" : "warning";
  return [
    ...(state === "answered" ? [] : [{ tone, text: why } as const]),
    ...(howToAllow !== null && refused.some(wasNotAsked) ? [{ tone: "quiet", text: howToAllow } as const] : []),
    { tone: "quiet", text: figures },
  ];
}

function describeCompaction({ tokensBefore, tokensAfter, messages, pins }: AgentEvent<"context:compacted">): string {
  const kept = pins > 0 ? `, ${countOf(pins, "fact")} pinned` : "";
  const sizes = `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens`;
  return `compacted: ${sizes}, ${countOf(messages, "message")} summarised${kept}`;
}

function describeEvidence({ claims, unmatched, text }: AgentEvent<"evidence:checked">): Remark | undefined {
  if (claims === 0) return undefined;
  return { tone: unmatched.length === 0 ? "quiet" : "warning", text: neutralizeLine(text) };
}
