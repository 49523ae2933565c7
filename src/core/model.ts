import type { JsonSchema } from "./json.ts";
import type { AssistantPart, CallPart, Message } from "./message.ts";

/** Texts and settings adapt to it where a family needs that; everything else treats all models alike. */
export type ModelFamily = "anthropic" | "openai" | "google" | "other";

/** A model that can be talked to. Holds no conversation: each request carries it whole. */
export interface Model {
  /** `provider/name`, as the person named it. */
  readonly id: string;
  /** Whose opaque parts it understands. */
  readonly provider: string;
  readonly family: ModelFamily;
  readonly limits: ModelLimits;
  /** Null when nobody knows what it costs. */
  readonly price: ModelPrice | null;
  readonly acceptsImages: boolean;
  /**
   * One reply, as it comes. The last event is `finished` or `failed`, exactly one of them; nothing is thrown. Does not
   * try again by itself: whoever asks knows what must not happen twice.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface ModelLimits {
  /** Null when it is not known. */
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** The same bytes over a whole conversation, or the provider's cache is lost. */
  readonly tools: readonly ToolOffer[];
  /** `any`: it must call a tool. `none`: it must not. */
  readonly toolChoice: "auto" | "any" | "none";
  /** Null: as many as the model gives. */
  readonly maxOutputTokens: number | null;
  /** Requests of one conversation share a provider's cache. */
  readonly conversationId: string;
  readonly signal: AbortSignal;
}

/** A tool as a model sees it. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** The model names a tool; its arguments follow. */
  | { readonly type: "call_announced"; readonly callId: string; readonly tool: string }
  | { readonly type: "call_input"; readonly callId: string; readonly text: string }
  /** It must call a tool (`toolChoice: "any"`), but this model can't be forced to. */
  | { readonly type: "tool_choice_ignored" }
  /** The arguments are complete; the reply may go on. Once for each call, in the order of the reply. */
  | { readonly type: "call"; readonly call: CallPart }
  | {
      readonly type: "finished";
      /** The whole reply, also what came as pieces before. */
      readonly parts: readonly AssistantPart[];
      readonly stop: StopReason;
      readonly usage: Usage;
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** `length`: the reply was cut because the output or the window was full. */
export type StopReason = "end" | "calls" | "length" | "refused" | "other";

/** As the provider counted. `inputTokens` are all of them, those read from and written to the cache included. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/** In US dollars; null when the price is not known. */
export function costOf(usage: Usage, price: ModelPrice | null): number | null {
  if (!price) return null;
  const fresh = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const millionths =
    fresh * price.input +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWriteTokens * price.cacheWrite +
    usage.outputTokens * price.output;
  return millionths / 1_000_000;
}

/**
 * - `key`: no key, or one that the provider does not take
 * - `unknown_model`: the provider does not know it
 * - `unreachable`: nobody answered at that address
 * - `rate_limit`, `overloaded`, `server`: come back later
 * - `cut`: the reply ended in the middle
 * - `window`: the conversation is longer than the model can read
 * - `rejected`: the provider did not take the request, and would not take it again
 * - `aborted`: we stopped it
 * - `script`: a scripted model has no turn for this
 */
export type FailureKind =
  | "key"
  | "unknown_model"
  | "unreachable"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "cut"
  | "window"
  | "rejected"
  | "aborted"
  | "script";

export interface ModelFailure {
  readonly kind: FailureKind;
  /** One sentence for a person: what happened and what to do. Never holds a key. */
  readonly message: string;
  readonly status: number | null;
  /** What the server asked us to wait; null when it said nothing. */
  readonly retryAfterMs: number | null;
  /** How often at most the same request makes sense, the first time included; left out: as often as whoever asks wants. */
  readonly maxAttempts?: number;
}

/** Would the same request have a chance later? */
export function mayRetry({ kind }: ModelFailure): boolean {
  return ["unreachable", "rate_limit", "overloaded", "server", "cut"].includes(kind);
}
