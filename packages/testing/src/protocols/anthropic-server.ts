import type { AssistantPart, UserPart } from "../../../../src/core/message.ts";
import type { ModelFailure, StopReason, ToolOffer, Usage } from "../../../../src/core/model.ts";
import type { FinishedStep, Step } from "../play-script.ts";

import {
  frame,
  isDropped,
  numberOf,
  recordOf,
  recordsOf,
  RequestProblem,
  signatureOf,
  stringOf,
  textOf,
  valueOf,
  type JsonRecord,
  type Protocol,
  type ReadRequest,
  type ReplyFacts,
} from "./served-protocol.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

/** The Messages API. */
export const anthropic: Protocol = {
  name: "anthropic",
  read,
  createWriter,
  whole,
  statusOf: ({ status, kind }) => status ?? (kind === "script" ? 400 : 500),
  errorBody,
};

function read(body: JsonRecord): ReadRequest {
  if (!Array.isArray(body["messages"])) throw new RequestProblem("messages: Field required");
  const transcript = createTranscript();
  transcript.addSystem(textOf(body["system"]));
  for (const message of recordsOf(body["messages"])) readMessage(message, transcript);
  return {
    model: stringOf(body["model"]),
    isStreamed: body["stream"] === true,
    system: transcript.system,
    messages: transcript.messages,
    tools: recordsOf(body["tools"]).map(readTool),
    toolChoice: readChoice(recordOf(body["tool_choice"])["type"]),
    maxOutputTokens: numberOf(body["max_tokens"]),
  };
}

function readMessage({ role, content }: JsonRecord, transcript: Transcript): void {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);
  if (role === "system") return transcript.addSystem(textOf(content));
  if (role === "assistant") return transcript.addAssistant(blocks.flatMap(readAssistantBlock));
  for (const block of blocks) {
    if (block["type"] !== "tool_result") continue;
    const isError = block["is_error"] === true;
    transcript.addResult({ callId: stringOf(block["tool_use_id"]), text: textOf(block["content"]), isError });
  }
  transcript.addUser(blocks.flatMap(readUserBlock));
}

function readUserBlock(block: JsonRecord): UserPart[] {
  if (block["type"] === "text") return [{ type: "text", text: stringOf(block["text"]) }];
  if (block["type"] !== "image") return [];
  const source = recordOf(block["source"]);
  return [{ type: "image", mediaType: stringOf(source["media_type"]), data: stringOf(source["data"]) }];
}

function readAssistantBlock(block: JsonRecord): AssistantPart[] {
  if (block["type"] === "text") return [{ type: "text", text: stringOf(block["text"]) }];
  if (block["type"] === "thinking") {
    const opaque = { provider: "script", data: { signature: stringOf(block["signature"]) } };
    return [{ type: "thinking", text: stringOf(block["thinking"]), opaque }];
  }
  if (block["type"] !== "tool_use") return [];
  const inputText = JSON.stringify(block["input"] ?? {});
  return [{ type: "call", callId: stringOf(block["id"]), tool: stringOf(block["name"]), inputText }];
}

function readTool(tool: JsonRecord): ToolOffer {
  const { name, description, input_schema: inputSchema } = tool;
  return { name: stringOf(name), description: stringOf(description), inputSchema: recordOf(inputSchema) };
}

function readChoice(type: unknown): ReadRequest["toolChoice"] {
  if (type === "any" || type === "tool") return "any";
  return type === "none" ? "none" : "auto";
}

function createWriter(reply: ReplyFacts): (step: Step) => string {
  let index = -1;
  const event = (type: string, data: object): string => frame({ type, ...data }, type);
  return (step) => {
    switch (step.type) {
      case "started": {
        const usage = { ...toUsage(step.usage), output_tokens: 1 };
        const message = { ...envelope(reply), content: [], stop_reason: null, stop_sequence: null, usage };
        return event("message_start", { message }) + event("ping", {});
      }
      case "part_started":
        index++;
        return event("content_block_start", { index, content_block: emptyBlock(step.part) });
      case "piece":
        return event("content_block_delta", { index, delta: toDelta(step.part, step.text) });
      case "part_ended": {
        const signature = { type: "signature_delta", signature: signatureOf(step.part) };
        const signed = step.part.type === "thinking" ? event("content_block_delta", { index, delta: signature }) : "";
        return signed + event("content_block_stop", { index });
      }
      case "finished": {
        const delta = { stop_reason: stopReasons[step.stop], stop_sequence: null };
        return event("message_delta", { delta, usage: toUsage(step.usage) }) + event("message_stop", {});
      }
      case "failed":
        if (isDropped(step.failure)) return "";
        return frame(errorBody(step.failure, anthropic.statusOf(step.failure)), "error");
    }
  };
}

function whole({ parts, stop, usage }: FinishedStep, reply: ReplyFacts): unknown {
  const ends = { stop_reason: stopReasons[stop], stop_sequence: null, usage: toUsage(usage) };
  return { ...envelope(reply), content: parts.map(toBlock), ...ends };
}

function envelope({ id, model }: ReplyFacts): object {
  return { id: `msg_${id}`, type: "message", role: "assistant", model };
}

function emptyBlock(part: AssistantPart): object {
  if (part.type === "text") return { type: "text", text: "" };
  if (part.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { type: "tool_use", id: part.callId, name: part.tool, input: {} };
}

function toBlock(part: AssistantPart): object {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "thinking") return { type: "thinking", thinking: part.text, signature: signatureOf(part) };
  return { type: "tool_use", id: part.callId, name: part.tool, input: valueOf(part.inputText) };
}

function toDelta({ type }: AssistantPart, text: string): object {
  if (type === "text") return { type: "text_delta", text };
  if (type === "thinking") return { type: "thinking_delta", thinking: text };
  return { type: "input_json_delta", partial_json: text };
}

/** Here what the cache gave or took is not counted as input. */
function toUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): object {
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
  };
}

const stopReasons: Readonly<Record<StopReason, string>> = {
  end: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refused: "refusal",
  other: "pause_turn",
};

function errorBody({ kind, message }: ModelFailure, status: number): unknown {
  const text = kind === "window" ? `prompt is too long: ${message}` : message;
  return { type: "error", error: { type: errorTypes[status] ?? typeOfRange(status), message: text } };
}

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function typeOfRange(status: number): string {
  return status >= 500 ? "api_error" : "invalid_request_error";
}
