import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { type AssistantPart, callsOf, type Opaque } from "../../core/message.ts";
import type { ModelEvent, ModelRequest, StopReason, Usage } from "../../core/model.ts";
import { CutError, toFailure } from "../errors/to-failure.ts";
import type { ModelSource } from "../model-options.ts";
import { toCallOptions } from "../protocols/to-call-options.ts";
import { collectCalls, type PendingCall } from "./collect-calls.ts";
import { AnswerError, type RequestWatch, watchRequest } from "./watch-request.ts";

/** One reply of a model of the AI SDK's provider packages. See `Model.stream` for what it promises. */
export async function* streamReply(source: ModelSource, request: ModelRequest): AsyncGenerator<ModelEvent, void> {
  const { clock, fetch, stallMs } = source;
  const watch = watchRequest({ signal: request.signal, fetch, clock, stallMs });
  try {
    yield* readReply(source, request, watch);
  } catch (thrown) {
    yield { type: "failed", failure: toFailure(thrown, { source, watch }) };
  } finally {
    watch.close();
  }
}

/** Of text, thinking and arguments. The longest replies of today have a tenth of it. */
const mostCharacters = 16_000_000;
const tooMuch = "more than 16 million characters";

async function* readReply(
  source: ModelSource,
  request: ModelRequest,
  watch: RequestWatch,
): AsyncGenerator<ModelEvent, void> {
  watch.signal.throwIfAborted();
  const model = await source.create(watch.fetch);
  const { stream } = await model.doStream(toCallOptions(request, source, watch.signal));
  const reader = stream.getReader();
  try {
    const reply = collectReply({
      provider: source.providerName,
      modelName: source.modelName,
      usedCallIds: callIdsOf(request),
      endsCallsLate: source.kind !== "anthropic" && source.kind !== "google",
    });
    let characters = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new CutError("it ended before the reply was complete");
      if (value.type === "error" && !isUnknownEvent(value.error)) throw value.error;
      if ("delta" in value) characters += value.delta.length;
      if (characters > mostCharacters) throw new AnswerError({ kind: "too_long", limit: tooMuch });
      if (value.type === "stream-start" && request.toolChoice === "any" && value.warnings.some(isAboutToolChoice)) {
        yield { type: "tool_choice_ignored" };
      }
      if (value.type !== "finish") yield* reply.take(value);
      else {
        const events = finish(reply, value);
        // The connection can be used again once its end was read.
        await readToEnd(reader, source);
        yield* events;
        return;
      }
    }
  } finally {
    // Not awaited: a package may hold it until the connection is gone, which it is after this.
    reader.cancel().catch(() => {
      // It had failed before.
    });
  }
}

/** The provider packages replace what a model does not take, and say so here. */
function isAboutToolChoice(warning: SharedV4Warning): boolean {
  return warning.type === "unsupported" && warning.feature === "toolChoice";
}

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

function finish(reply: ReplyCollector, { finishReason, usage }: Finish): ModelEvent[] {
  if (finishReason.unified === "interrupted") throw new CutError("it ended before the reply was complete");
  if (finishReason.unified === "error") throw new CutError(finishReason.raw ?? "the provider gave no reason");
  const { events, parts } = reply.finish(toStop(finishReason, false));
  const stop = toStop(finishReason, callsOf(parts).length > 0);
  return [...events, { type: "finished", parts, stop, usage: toUsage(usage) }];
}

function toStop({ unified }: LanguageModelV4FinishReason, hasCalls: boolean): StopReason {
  if (unified === "length") return "length";
  if (unified === "content-filter") return "refused";
  // Some servers say "stop" although they call.
  if (hasCalls) return "calls";
  return unified === "stop" || unified === "tool-calls" ? "end" : "other";
}

/** Servers count as they like; what follows from it must stay a figure that can be true. */
const mostTokens = 1e9;

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const read = toCount(inputTokens.cacheRead);
  const written = toCount(inputTokens.cacheWrite);
  const total = toCount(inputTokens.total ?? toCount(inputTokens.noCache) + read + written);
  const cacheReadTokens = Math.min(read, total);
  return {
    inputTokens: total,
    outputTokens: toCount(outputTokens.total),
    cacheReadTokens,
    cacheWriteTokens: Math.min(written, total - cacheReadTokens),
  };
}

function toCount(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.min(Math.round(value), mostTokens) : 0;
}

function callIdsOf({ messages }: ModelRequest): Set<string> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? callsOf(message.parts) : []));
  return new Set(calls.map(({ callId }) => callId));
}

/** A kind of event that the package is too old to know. Providers add some and ask everybody to skip what they do not know. */
function isUnknownEvent(error: unknown): boolean {
  const { name, value } = Object(error) as { readonly name?: unknown; readonly value?: unknown };
  if (name !== "AI_TypeValidationError") return false;
  const { type } = Object(value) as { readonly type?: unknown };
  return typeof type === "string" && !/^(message_|content_block_|error|ping)/.test(type);
}

const longestEndMs = 200;

async function readToEnd(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  { clock }: ModelSource,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancelTimer = clock.after(longestEndMs, resolve);
  const end = (async () => {
    while (!(await reader.read()).done);
  })();
  try {
    await Promise.race([end, late]);
  } catch {
    // The reply is complete: how its connection ends is of no interest.
  } finally {
    cancelTimer();
    end.catch(() => {
      // As above.
    });
  }
}

export interface ReplyOptions {
  readonly provider: string;
  readonly modelName: string;
  /** Ids of calls that the conversation already has: a reply never brings one of them again. */
  readonly usedCallIds: ReadonlySet<string>;
  /** The protocol says only at the end of the reply that a call's arguments are complete. */
  readonly endsCallsLate: boolean;
}

/** Gathers one reply from its pieces. Each piece gives the events it stands for; the whole is there at the end. */
interface ReplyCollector {
  take(part: LanguageModelV4StreamPart): ModelEvent[];
  /** What was still open is closed; then the whole reply. */
  finish(stop: StopReason): { readonly events: ModelEvent[]; readonly parts: AssistantPart[] };
}

interface Block {
  readonly type: "text" | "thinking";
  text: string;
  metadata: Metadata | undefined;
}

type Metadata = SharedV4ProviderMetadata;
type Slot = Block | PendingCall;

function collectReply(options: ReplyOptions): ReplyCollector {
  const slots: Slot[] = [];
  const open = new Map<string, Block>();
  const calls = collectCalls(options, (call) => slots.push(call));

  function start(type: Block["type"], id: string): Block {
    const block: Block = { type, text: "", metadata: undefined };
    open.set(`${type} ${id}`, block);
    slots.push(block);
    return block;
  }

  function grow(type: Block["type"], piece: Piece): ModelEvent[] {
    const block = open.get(`${type} ${piece.id}`) ?? start(type, piece.id);
    addMetadata(block, piece.providerMetadata);
    const text = piece.delta ?? "";
    block.text += text;
    return text === "" ? [] : [{ type, text }];
  }

  return {
    take(part) {
      switch (part.type) {
        case "text-start":
        case "reasoning-start": {
          const block = start(part.type === "text-start" ? "text" : "thinking", part.id);
          addMetadata(block, part.providerMetadata);
          return calls.closeEmpty();
        }
        case "text-delta":
        case "text-end":
          return grow("text", part);
        case "reasoning-delta":
        case "reasoning-end":
          return grow("thinking", part);
        case "tool-input-start":
          return part.providerExecuted ? [] : [...calls.closeEmpty(), ...calls.start(part)];
        case "tool-input-delta":
          return calls.grow(part);
        case "tool-call":
          return part.providerExecuted ? [] : calls.end(part);
        default:
          return [];
      }
    },
    finish(stop) {
      const events = calls.closeAll(stop);
      return { events, parts: slots.flatMap((slot) => toPart(slot, options)) };
    },
  };
}

interface Piece {
  readonly id: string;
  readonly delta?: string;
  readonly providerMetadata?: Metadata;
}

function addMetadata(slot: Slot, metadata: Metadata | undefined): void {
  if (!metadata) return;
  const merged: Metadata = { ...slot.metadata };
  for (const [key, value] of Object.entries(metadata)) merged[key] = { ...merged[key], ...value };
  slot.metadata = merged;
}

function toPart(slot: Slot, options: ReplyOptions): AssistantPart[] {
  const opaque = opaqueOf(slot.metadata, options);
  if (slot.type === "call") {
    const { callId, tool, inputText } = slot;
    return [{ type: "call", callId, tool, inputText, ...(slot.metadata && { opaque }) }];
  }
  // Thinking that is not shown comes without a text, but its signature must go back.
  if (slot.text === "" && !slot.metadata) return [];
  if (slot.type === "thinking") return [{ type: "thinking", text: slot.text, opaque }];
  return [{ type: "text", text: slot.text, ...(slot.metadata && { opaque }) }];
}

/** What a provider wants back is good for the very model that gave it. */
function opaqueOf(metadata: Metadata | undefined, { provider, modelName }: ReplyOptions): Opaque {
  return { provider, data: { model: modelName, metadata: metadata ?? null } };
}
