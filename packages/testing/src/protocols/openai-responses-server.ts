import type { AssistantPart, CallPart, UserPart } from "../../../../src/core/message.ts";
import { openaiErrorBody, openaiStatusOf } from "./openai-errors.ts";
import { readImageUrl } from "./read-image-url.ts";
import {
  numberOf,
  recordOf,
  recordsOf,
  RequestProblem,
  stringOf,
  textOf,
  type JsonRecord,
  type Protocol,
  type ReadRequest,
} from "./served-protocol.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import { joinName } from "./tool-namespace.ts";
import { createResponsesWriter, wholeResponse } from "./write-responses.ts";

/** The Responses API, without what OpenAI would keep on its side: every request carries its conversation. */
export const openaiResponses: Protocol = {
  name: "openai_responses",
  read,
  createWriter: createResponsesWriter,
  whole: wholeResponse,
  statusOf: openaiStatusOf,
  errorBody: openaiErrorBody,
};

function read(body: JsonRecord): ReadRequest {
  const { input, previous_response_id: previous } = body;
  if (typeof previous === "string") {
    throw new RequestProblem(
      `Previous response with id '${previous}' not found: send the whole conversation as input.`,
    );
  }
  if (typeof input !== "string" && !Array.isArray(input))
    throw new RequestProblem("Missing required parameter: 'input'.");
  const transcript = createTranscript();
  transcript.addSystem(stringOf(body["instructions"]));
  if (typeof input === "string") transcript.addUser([{ type: "text", text: input }]);
  else for (const item of recordsOf(input)) readItem(item, transcript);
  return {
    model: stringOf(body["model"]),
    isStreamed: body["stream"] === true,
    system: transcript.system,
    messages: transcript.messages,
    tools: recordsOf(body["tools"]).flatMap((tool) => {
      if (tool["type"] !== "namespace") return [readTool(tool, "")];
      return recordsOf(tool["tools"]).map((each) => readTool(each, stringOf(tool["name"])));
    }),
    toolChoice: readChoice(body["tool_choice"]),
    maxOutputTokens: numberOf(body["max_output_tokens"]),
  };
}

function readTool(
  { name, type, description, parameters }: JsonRecord,
  namespace: string,
): ReadRequest["tools"][number] {
  return {
    // Tools of OpenAI itself have a type and no name.
    name: joinName(namespace, stringOf(name) || stringOf(type)),
    description: stringOf(description),
    inputSchema: recordOf(parameters),
  };
}

function readItem(item: JsonRecord, transcript: Transcript): void {
  const type = stringOf(item["type"]) || "message";
  if (type === "message") return readMessage(item, transcript);
  if (type === "reasoning") return transcript.addAssistant([readReasoning(item)]);
  if (type.endsWith("_call")) return transcript.addAssistant([readCall(item)]);
  if (!type.endsWith("_call_output")) return;
  const { output } = item;
  transcript.addResult({ callId: stringOf(item["call_id"]), text: textOf(output), isError: false });
}

function readMessage({ role, content }: JsonRecord, transcript: Transcript): void {
  if (role === "system" || role === "developer") return transcript.addSystem(textOf(content));
  if (role === "assistant") return transcript.addAssistant([{ type: "text", text: textOf(content) }]);
  const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : recordsOf(content);
  transcript.addUser(parts.flatMap(readUserPart));
}

function readUserPart(part: JsonRecord): UserPart[] {
  if (part["type"] === "input_text") return [{ type: "text", text: stringOf(part["text"]) }];
  return part["type"] === "input_image" ? readImageUrl(stringOf(part["image_url"])) : [];
}

function readReasoning(item: JsonRecord): AssistantPart {
  const signature = stringOf(item["encrypted_content"]);
  const text = textOf(item["summary"]);
  if (signature === "") return { type: "thinking", text };
  return { type: "thinking", text, opaque: { provider: "script", data: { signature } } };
}

function readCall(item: JsonRecord): CallPart {
  const inputText = item["arguments"] ?? item["input"] ?? JSON.stringify(item["action"] ?? {});
  const tool = joinName(stringOf(item["namespace"]), stringOf(item["name"]) || stringOf(item["type"]));
  return { type: "call", callId: stringOf(item["call_id"]), tool, inputText: stringOf(inputText) };
}

function readChoice(choice: unknown): ReadRequest["toolChoice"] {
  if (choice === "required" || (typeof choice === "object" && choice !== null)) return "any";
  return choice === "none" ? "none" : "auto";
}
