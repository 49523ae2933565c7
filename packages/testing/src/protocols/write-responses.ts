import type { AssistantPart } from "../../../../src/core/message.ts";
import type { ModelFailure, StopReason, Usage } from "../../../../src/core/model.ts";
import type { FinishedStep, Step } from "../play-script.ts";
import { openaiCodeOf } from "./openai-errors.ts";
import { splitName } from "./tool-namespace.ts";
import { frame, isDropped, signatureOf, type ReplyFacts } from "./served-protocol.ts";

/** The events of a reply: each part is an item, opened and closed, and the end repeats them all. */
export function createResponsesWriter(reply: ReplyFacts): (step: Step) => string {
  let sequence = 0;
  let index = -1;
  const done: AssistantPart[] = [];
  const { body } = reply;
  const event = (type: string, data: object): string => frame({ type, sequence_number: sequence++, ...data }, type);
  return (step) => {
    switch (step.type) {
      case "started": {
        const response = toResponse(reply, { status: "in_progress" });
        return event("response.created", { response }) + event("response.in_progress", { response });
      }
      case "part_started": {
        index++;
        const place = placeOf(reply, step.part, index);
        const item = toItem(step.part, { id: place.item_id, status: "in_progress", body });
        return event("response.output_item.added", { output_index: index, item }) + open(step.part, place, event);
      }
      case "piece": {
        const place = placeOf(reply, step.part, index);
        return event(`response.${names[step.part.type]}.delta`, { ...place, delta: step.text });
      }
      case "part_ended": {
        done.push(step.part);
        const place = placeOf(reply, step.part, index);
        const item = toItem(step.part, { id: place.item_id, status: "completed", body });
        return close(step.part, place, event) + event("response.output_item.done", { output_index: index, item });
      }
      case "finished": {
        const response = wholeResponse(step, reply);
        return event(`response.${stopOf(step.stop).status}`, { response });
      }
      case "failed":
        if (isDropped(step.failure)) return "";
        return event("response.failed", { response: failedResponse(step.failure, reply, done) });
    }
  };
}

export function wholeResponse({ parts, stop, usage }: FinishedStep, reply: ReplyFacts): object {
  return toResponse(reply, { ...stopOf(stop), output: toItems(parts, reply), usage: toUsage(usage) });
}

type WriteEvent = (type: string, data: object) => string;

interface Place {
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index?: number;
  readonly summary_index?: number;
}

function failedResponse(failure: ModelFailure, reply: ReplyFacts, done: readonly AssistantPart[]): object {
  const error = { code: openaiCodeOf(failure) ?? "server_error", message: failure.message };
  return toResponse(reply, { status: "failed", output: toItems(done, reply), error });
}

function toResponse({ id, model, createdAt, body }: ReplyFacts, rest: object): object {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: Math.floor(createdAt / 1000),
    status: "completed",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    metadata: body["metadata"] ?? {},
    model,
    output: [],
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: null,
    reasoning: body["reasoning"] ?? { effort: null, summary: null },
    store: body["store"] ?? true,
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    usage: null,
    ...rest,
  };
}

function toItems(parts: readonly AssistantPart[], reply: ReplyFacts): object[] {
  return parts.map((part, index) => {
    return toItem(part, { id: placeOf(reply, part, index).item_id, status: "completed", body: reply.body });
  });
}

function placeOf({ id }: ReplyFacts, { type }: AssistantPart, index: number): Place {
  const place = { item_id: `${prefixes[type]}_${id}_${index}`, output_index: index };
  if (type === "call") return place;
  return type === "text" ? { ...place, content_index: 0 } : { ...place, summary_index: 0 };
}

const prefixes = { text: "msg", thinking: "rs", call: "fc" } as const;
const names = { text: "output_text", thinking: "reasoning_summary_text", call: "function_call_arguments" } as const;

interface ItemFacts {
  readonly id: string;
  readonly status: "in_progress" | "completed";
  readonly body: ReplyFacts["body"];
}

function toItem(part: AssistantPart, { id, status, body }: ItemFacts): object {
  const isWhole = status === "completed";
  if (part.type === "call") {
    const { callId, tool, inputText } = part;
    const name = splitName(tool, body);
    return { id, type: "function_call", status, call_id: callId, ...name, arguments: isWhole ? inputText : "" };
  }
  if (part.type === "text") {
    return { id, type: "message", status, role: "assistant", content: isWhole ? [toText(part.text)] : [] };
  }
  const summary = isWhole ? [{ type: "summary_text", text: part.text }] : [];
  return { id, type: "reasoning", summary, encrypted_content: isWhole ? signatureOf(part) : null };
}

function toText(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function open({ type }: AssistantPart, place: Place, event: WriteEvent): string {
  if (type === "text") return event("response.content_part.added", { ...place, part: toText("") });
  if (type === "call") return "";
  return event("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
}

function close(part: AssistantPart, place: Place, event: WriteEvent): string {
  const end = `response.${names[part.type]}.done`;
  if (part.type === "call") return event(end, { ...place, name: part.tool, arguments: part.inputText });
  const { text } = part;
  if (part.type === "text") {
    return event(end, { ...place, text }) + event("response.content_part.done", { ...place, part: toText(text) });
  }
  const summary = { type: "summary_text", text };
  return event(end, { ...place, text }) + event("response.reasoning_summary_part.done", { ...place, part: summary });
}

function stopOf(stop: StopReason): {
  readonly status: "completed" | "incomplete";
  readonly incomplete_details: unknown;
} {
  if (stop === "length") return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  if (stop === "refused") return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  return { status: "completed", incomplete_details: null };
}

function toUsage({ inputTokens, outputTokens, cacheReadTokens }: Usage): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
