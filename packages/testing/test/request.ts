import type { Message } from "../../../src/core/message.ts";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../../src/core/model.ts";

/** A request of a conversation, as an agent would send it. */
export function requestOf(messages: readonly Message[], given: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "",
    messages,
    tools: [],
    toolChoice: "auto",
    maxOutputTokens: null,
    conversationId: "conversation",
    signal: new AbortController().signal,
    ...given,
  };
}

export async function eventsOf(model: Model, request: ModelRequest): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request)) events.push(event);
  return events;
}

export async function failureOf(model: Model, request: ModelRequest): Promise<ModelFailure | undefined> {
  const last = (await eventsOf(model, request)).at(-1);
  return last?.type === "failed" ? last.failure : undefined;
}

/** The whole text of the reply; what went wrong in brackets when it did. */
export async function textOf(model: Model, request: ModelRequest): Promise<string> {
  const last = (await eventsOf(model, request)).at(-1);
  if (last?.type === "failed") return `[${last.failure.kind}]`;
  return last?.type === "finished" ? last.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
}

export function user(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}

export function assistant(text: string): Message {
  return { role: "assistant", parts: [{ type: "text", text }] };
}

export function result(text: string, given: { tool?: string; isError?: boolean } = {}): Message {
  return { role: "tool", results: [{ callId: "call_1_1", tool: "read", isError: false, text, ...given }] };
}
