import type { AssistantPart, CallPart, UserPart } from "../../../../src/core/message.ts";
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

/** Gemini's generateContent. Names of fields come in camelCase or snake_case, as Google takes both. */
export const gemini: Protocol = { name: "gemini", read, createWriter, whole, statusOf, errorBody };

function read(body: JsonRecord, path: string): ReadRequest {
  if (!Array.isArray(body["contents"]))
    throw new RequestProblem("* GenerateContentRequest.contents: contents is not specified");
  const transcript = createTranscript();
  const system = recordOf(body["systemInstruction"] ?? body["system_instruction"]);
  transcript.addSystem(textOf(system["parts"]));
  for (const content of recordsOf(body["contents"])) readContent(content, transcript);
  const settings = recordOf(body["generationConfig"] ?? body["generation_config"]);
  return {
    model: decodeURIComponent(/\/models\/([^/:]+)/.exec(path)?.[1] ?? ""),
    isStreamed: path.endsWith(":streamGenerateContent"),
    system: transcript.system,
    messages: transcript.messages,
    tools: recordsOf(body["tools"])
      .flatMap((tool) => recordsOf(tool["functionDeclarations"] ?? tool["function_declarations"]))
      .map(readTool),
    toolChoice: readChoice(recordOf(body["toolConfig"] ?? body["tool_config"])),
    maxOutputTokens: numberOf(settings["maxOutputTokens"] ?? settings["max_output_tokens"]),
  };
}

function readContent({ role, parts: given }: JsonRecord, transcript: Transcript): void {
  const parts = recordsOf(given);
  if (role === "model") return transcript.addAssistant(parts.flatMap(readModelPart));
  const last = transcript.messages.findLast((message) => message.role === "assistant");
  const open = (last?.parts ?? []).filter((part) => part.type === "call");
  for (const part of parts) {
    const response = part["functionResponse"] ?? part["function_response"];
    if (response !== undefined) transcript.addResult(readResponse(recordOf(response), open));
  }
  transcript.addUser(parts.flatMap(readUserPart));
}

/** Without an id, it answers the first call of that name that has no answer yet. */
function readResponse(given: JsonRecord, open: CallPart[]): Parameters<Transcript["addResult"]>[0] {
  const tool = stringOf(given["name"]);
  const response = recordOf(given["response"]);
  const at = open.findIndex((call) => (given["id"] === undefined ? call.tool === tool : call.callId === given["id"]));
  const [call] = at === -1 ? [] : open.splice(at, 1);
  const output = response["output"] ?? response["content"] ?? response["result"] ?? response["error"] ?? response;
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { callId: call?.callId ?? stringOf(given["id"]), tool, text, isError: response["error"] !== undefined };
}

function readUserPart(part: JsonRecord): UserPart[] {
  if (typeof part["text"] === "string") return [{ type: "text", text: part["text"] }];
  const data = recordOf(part["inlineData"] ?? part["inline_data"]);
  if (data["data"] === undefined) return [];
  return [{ type: "image", mediaType: stringOf(data["mimeType"] ?? data["mime_type"]), data: stringOf(data["data"]) }];
}

function readModelPart(part: JsonRecord): AssistantPart[] {
  const call = part["functionCall"] ?? part["function_call"];
  if (call !== undefined) {
    const { id, name, args } = recordOf(call);
    return [{ type: "call", callId: stringOf(id), tool: stringOf(name), inputText: JSON.stringify(args ?? {}) }];
  }
  const text = stringOf(part["text"]);
  if (text === "") return [];
  return [part["thought"] === true ? { type: "thinking", text } : { type: "text", text }];
}

function readTool(tool: JsonRecord): ToolOffer {
  const { name, description, parameters, parametersJsonSchema } = tool;
  const inputSchema = recordOf(parametersJsonSchema ?? parameters);
  return { name: stringOf(name), description: stringOf(description), inputSchema };
}

function readChoice(config: JsonRecord): ReadRequest["toolChoice"] {
  const { mode } = recordOf(config["functionCallingConfig"] ?? config["function_calling_config"]);
  if (mode === "ANY") return "any";
  return mode === "NONE" ? "none" : "auto";
}

function createWriter(reply: ReplyFacts): (step: Step) => string {
  // A thought is signed on the part that comes of it.
  let signature = "";
  let call = "";
  let usage: object | undefined;
  const sign = (part: object): object => {
    const signed = signature === "" ? part : { ...part, thoughtSignature: signature };
    signature = "";
    return signed;
  };
  const chunk = (parts: readonly object[], finishReason?: string): string =>
    frame({ ...candidate(parts, finishReason), usageMetadata: usage, ...envelope(reply) });
  return (step) => {
    switch (step.type) {
      case "started":
        usage = toUsage({ ...step.usage, outputTokens: 0 });
        return "";
      case "part_started":
        // Arguments are sent whole, so a cut call is half an event.
        if (step.part.type === "call") call = chunk([sign(toPart(step.part))]);
        return "";
      case "piece":
        if (step.part.type === "call") return "";
        return chunk([step.part.type === "thinking" ? { text: step.text, thought: true } : sign({ text: step.text })]);
      case "part_ended": {
        const whole = call;
        call = "";
        if (step.part.type === "thinking") signature = signatureOf(step.part);
        return whole;
      }
      case "finished":
        usage = toUsage(step.usage);
        return chunk(signature === "" ? [] : [sign({ text: "" })], finishReasons[step.stop]);
      case "failed":
        if (isDropped(step.failure)) return call.slice(0, call.indexOf('"args":') + '"args":{"'.length);
        return frame(errorBody(step.failure, statusOf(step.failure)));
    }
  };
}

function whole({ parts, stop, usage }: FinishedStep, reply: ReplyFacts): unknown {
  let signature = "";
  const signed = parts.map((part) => {
    if (part.type === "thinking") {
      signature = signatureOf(part);
      return toPart(part);
    }
    const given = signature === "" ? toPart(part) : { ...toPart(part), thoughtSignature: signature };
    signature = "";
    return given;
  });
  return { ...candidate(signed, finishReasons[stop]), usageMetadata: toUsage(usage), ...envelope(reply) };
}

function candidate(parts: readonly object[], finishReason?: string): object {
  const finish = finishReason === undefined ? {} : { finishReason };
  return { candidates: [{ content: { parts, role: "model" }, index: 0, ...finish }] };
}

function envelope({ id, model }: ReplyFacts): object {
  return { modelVersion: model, responseId: id };
}

function toPart(part: AssistantPart): object {
  if (part.type === "text") return { text: part.text };
  if (part.type === "thinking") return { text: part.text, thought: true };
  return { functionCall: { id: part.callId, name: part.tool, args: valueOf(part.inputText) } };
}

function toUsage({ inputTokens, outputTokens, cacheReadTokens }: Usage): object {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
    ...(cacheReadTokens > 0 ? { cachedContentTokenCount: cacheReadTokens } : {}),
  };
}

const finishReasons: Readonly<Record<StopReason, string>> = {
  end: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  refused: "SAFETY",
  other: "OTHER",
};

function statusOf({ status, kind }: ModelFailure): number {
  // 529 is Anthropic's own; a script may still order it.
  if (kind === "overloaded") return status === null || status === 529 ? 503 : status;
  return status ?? (kind === "script" ? 400 : 500);
}

function errorBody({ message, retryAfterMs }: ModelFailure, status: number): unknown {
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${(retryAfterMs ?? 0) / 1000}s` };
  const details = retryAfterMs === null ? {} : { details: [retry] };
  return { error: { code: status, message, status: statusNames[status] ?? nameOfRange(status), ...details } };
}

const statusNames: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function nameOfRange(status: number): string {
  return status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT";
}
