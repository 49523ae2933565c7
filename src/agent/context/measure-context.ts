import type { Message } from "../../core/message.ts";
import type { ModelFailure, ModelLimits, ToolOffer, Usage } from "../../core/model.ts";
import { estimateMessage, estimateOffers } from "./estimate-message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { formatCount } from "./format-count.ts";

/**
 * How full the window is. Keeps sums: what a turn costs does not grow with the conversation.
 * As long as a provider tells its own figures they count, and what was added since is estimated, at the rate at which
 * this provider's figures and our estimates differed so far.
 */
export interface ContextMeter {
  readonly maxTokens: number;
  /** Of the next request, as it stands. */
  readonly tokens: number;
  /** How many tokens of the provider one estimated token is. */
  readonly rate: number;
  /** A message of the person or results that will be sent with the next request. */
  add(message: Message): void;
  /** The reply to a request with all that was added before. */
  addReply(reply: Message, usage: Usage): void;
  /** The conversation is another one now: compacted, put back or resumed. */
  restart(messages: readonly Message[]): void;
  /** What the person should be told now; each once, until the conversation has become smaller again. */
  takeNotice(hasOldTurns?: () => boolean): ContextNotice | null;
}

export interface ContextNotice {
  readonly level: "info" | "warning";
  readonly text: string;
}

export function createContextMeter(options: {
  readonly system: string;
  readonly tools: readonly ToolOffer[];
  readonly maxTokens: number;
}): ContextMeter {
  const { maxTokens } = options;
  const fixed = estimateTokens(options.system) + estimateOffers(options.tools);
  let estimated = fixed;
  /** The provider's own figure, and our estimate of what it covers. */
  let counted: { readonly tokens: number; readonly estimate: number } | null = null;
  let rate = 1;
  const told = { info: false, warning: false };

  function measure(): number {
    if (!counted) return Math.round(estimated * rate);
    return Math.round(counted.tokens + (estimated - counted.estimate) * rate);
  }

  return {
    maxTokens,
    get tokens() {
      return measure();
    },
    get rate() {
      return rate;
    },
    add(message) {
      estimated += estimateMessage(message);
    },
    addReply(reply, { inputTokens, outputTokens }) {
      const sent = estimated;
      estimated += estimateMessage(reply);
      if (inputTokens <= 0) return;
      rate = Math.min(highestRate, Math.max(lowestRate, inputTokens / Math.max(1, sent)));
      counted = { tokens: inputTokens + outputTokens, estimate: estimated };
    },
    restart(messages) {
      counted = null;
      estimated = messages.reduce((sum, message) => sum + estimateMessage(message), fixed);
    },
    takeNotice(hasOldTurns = () => true) {
      const tokens = measure();
      const level = tokens >= maxTokens ? "warning" : tokens >= maxTokens * infoShare ? "info" : null;
      if (level !== "warning") told.warning = false;
      if (level === null) told.info = false;
      if (level === null || told[level]) return null;
      told[level] = true;
      told.info = true;
      return { level, text: describe(level, { tokens, maxTokens, hasOldTurns: hasOldTurns() }) };
    },
  };
}

/** The configured maximum, else the model's own window, else 100,000. */
export function contextLimit(configured: number | null, { contextTokens }: ModelLimits): number {
  return configured ?? contextTokens ?? unknownWindow;
}

/** Before a request: is it time? Also when the provider said that the request before was too long. */
export function shouldCompact(
  meter: Pick<ContextMeter, "tokens" | "maxTokens">,
  failure: ModelFailure | null = null,
): boolean {
  return failure?.kind === "window" || meter.tokens >= meter.maxTokens * compactionShare;
}

/** One sentence when a request can't fit whatever the conversation is; null when it can. */
export function describeTooSmallWindow(options: {
  readonly system: string;
  readonly tools: readonly ToolOffer[];
  readonly maxTokens: number;
}): string | null {
  const { maxTokens } = options;
  const system = estimateTokens(options.system);
  const tools = estimateOffers(options.tools);
  if (system + tools + leastRoom <= maxTokens) return null;
  return (
    `The window of ${formatCount(maxTokens)} tokens is too small: the system prompt takes about ${formatCount(system)}, ` +
    `the ${options.tools.length} tools about ${formatCount(tools)}, and a conversation needs ${formatCount(leastRoom)} more. ` +
    "Choose a model with a larger window, raise max_context_tokens, or offer fewer tools."
  );
}

const unknownWindow = 100_000;
const infoShare = 0.8;
const compactionShare = 0.85;
/** A question, a call with a result, an answer. */
const leastRoom = 1_000;
/** Beyond these it is not our estimate that is wrong: the provider counts something else. */
const lowestRate = 0.5;
const highestRate = 3;

function describe(
  level: ContextNotice["level"],
  context: { readonly tokens: number; readonly maxTokens: number; readonly hasOldTurns: boolean },
): string {
  const { tokens, maxTokens, hasOldTurns } = context;
  const share = Math.round((tokens / maxTokens) * 100);
  const figures = `${formatCount(tokens)} of ${formatCount(maxTokens)} tokens (${share} %)`;
  const what = level === "info" ? "filling up" : "full";
  if (!hasOldTurns)
    return `The context is ${what}: ${figures}. Nothing is summarised: all of the conversation is among its latest turns.`;
  const next =
    level === "info"
      ? "Old turns will be summarised soon; /compact does it now."
      : "Old turns are summarised before the next request.";
  return `The context is ${what}: ${figures}. ${next}`;
}
