import type { AssistantPart, UserPart } from "../../../../src/core/message.ts";
import { textOfParts } from "../../../../src/core/message.ts";
import type { StopReason, ToolOffer, Usage } from "../../../../src/core/model.ts";
import type { FinishedStep, Step } from "../play-script.ts";
import { openaiErrorBody, openaiStatusOf } from "./openai-errors.ts";
import { readImageUrl } from "./read-image-url.ts";
import {
  frame,
  isDropped,
  numberOf,
  recordOf,
  recordsOf,
  RequestProblem,
  stringOf,
  textOf,
  type JsonRecord,
  type Protocol,
  type ReadRequest,
  type ReplyFacts,
} from "./served-protocol.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

/** Chat Completions, of OpenAI and all who speak like it. Thinking goes as `reasoning_content`, as most of them do. */
export const openaiChat: Protocol = {
  name: "openai_chat",
  read,
  createWriter,
  whole,
  statusOf: openaiStatusOf,
  errorBody: openaiErrorBody,
};

function read(body: JsonRecord): ReadRequest {
  if (!Array.isArray(body["messages"])) throw new RequestProblem("Missing required parameter: 'messages'.");
  const transcript = createTranscript();
  for (const message of recordsOf(body["messages"])) readMessage(message, transcript);
  return {
    model: stringOf(body["model"]),
    isStreamed: body["stream"] === true,
    system: transcript.system,
    messages: transcript.messages,
    tools: recordsOf(body["tools"]).map(readTool),
    toolChoice: readChoice(body["tool_choice"]),
    maxOutputTokens: numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]),
  };
}

function readMessage(message: JsonRecord, transcript: Transcript): void {
  const { role, content } = message;
  if (role === "system" || role === "developer") transcript.addSystem(textOf(content));
  else if (role === "tool") {
    transcript.addResult({ callId: stringOf(message["tool_call_id"]), text: textOf(content), isError: false });
  } else if (role === "assistant") transcript.addAssistant(readAssistant(message));
  else if (typeof content === "string") transcript.addUser([{ type: "text", text: content }]);
  else transcript.addUser(recordsOf(content).flatMap(readUserPart));
}

function readUserPart(part: JsonRecord): UserPart[] {
  if (part["type"] === "text") return [{ type: "text", text: stringOf(part["text"]) }];
  return part["type"] === "image_url" ? readImageUrl(stringOf(recordOf(part["image_url"])["url"])) : [];
}

function readAssistant(message: JsonRecord): AssistantPart[] {
  const thinking = stringOf(message["reasoning_content"]);
  const text = textOf(message["content"]);
  const calls = recordsOf(message["tool_calls"]).map((call): AssistantPart => {
    const { name, arguments: inputText } = recordOf(call["function"]);
    return { type: "call", callId: stringOf(call["id"]), tool: stringOf(name), inputText: stringOf(inputText) };
  });
  return [
    ...(thinking === "" ? [] : [{ type: "thinking", text: thinking } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls,
  ];
}

function readTool(tool: JsonRecord): ToolOffer {
  const { name, description, parameters } = recordOf(tool["function"]);
  return { name: stringOf(name), description: stringOf(description), inputSchema: recordOf(parameters) };
}

function readChoice(choice: unknown): ReadRequest["toolChoice"] {
  if (choice === "required" || (typeof choice === "object" && choice !== null)) return "any";
  return choice === "none" ? "none" : "auto";
}

function createWriter(reply: ReplyFacts): (step: Step) => string {
  const withUsage = recordOf(reply.body["stream_options"])["include_usage"] === true;
  let calls = -1;
  const chunk = (delta: object, finishReason: string | null = null): string => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
    return frame({ ...envelope(reply, "chat.completion.chunk"), choices, ...(withUsage ? { usage: null } : {}) });
  };
  return (step) => {
    switch (step.type) {
      case "started":
        return chunk({ role: "assistant", content: "" });
      case "part_started": {
        if (step.part.type !== "call") return "";
        calls++;
        const { callId: id, tool: name } = step.part;
        return chunk({ tool_calls: [{ index: calls, id, type: "function", function: { name, arguments: "" } }] });
      }
      case "piece":
        if (step.part.type === "text") return chunk({ content: step.text });
        if (step.part.type === "thinking") return chunk({ reasoning_content: step.text });
        return chunk({ tool_calls: [{ index: calls, function: { arguments: step.text } }] });
      case "part_ended":
        return "";
      case "finished": {
        const usage = { ...envelope(reply, "chat.completion.chunk"), choices: [], usage: toUsage(step.usage) };
        return `${chunk({}, finishReasons[step.stop])}${withUsage ? frame(usage) : ""}data: [DONE]\n\n`;
      }
      case "failed":
        if (isDropped(step.failure)) return "";
        return frame(openaiErrorBody(step.failure, openaiStatusOf(step.failure)));
    }
  };
}

function whole({ parts, stop, usage }: FinishedStep, reply: ReplyFacts): unknown {
  const thinking = parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
  const calls = parts.filter((part) => part.type === "call");
  const message = {
    role: "assistant",
    content: textOfParts(parts) || null,
    refusal: null,
    ...(thinking === "" ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ callId: id, tool: name, inputText }) => {
            return { id, type: "function", function: { name, arguments: inputText } };
          }),
        }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReasons[stop] }];
  return { ...envelope(reply, "chat.completion"), choices, usage: toUsage(usage) };
}

function envelope({ id, model, createdAt }: ReplyFacts, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(createdAt / 1000), model, system_fingerprint: null };
}

function toUsage({ inputTokens, outputTokens, cacheReadTokens }: Usage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

const finishReasons: Readonly<Record<StopReason, string>> = {
  end: "stop",
  calls: "tool_calls",
  length: "length",
  refused: "content_filter",
  other: "other",
};
