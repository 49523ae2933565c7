import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { callsOf } from "../../core/message.ts";
import type { ModelEvent, ModelRequest, StopReason, Usage } from "../../core/model.ts";
import { AnswerError } from "./answer-fault.ts";
import { collectReply, type ReplyCollector } from "./collect-reply.ts";
import type { ModelSource } from "../model-source.ts";
import { toCallOptions } from "../protocols/to-call-options.ts";
import { CutError, toFailure } from "../errors/to-failure.ts";
import { type RequestWatch, watchRequest } from "./watch-request.ts";

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
