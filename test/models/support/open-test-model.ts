import type { Message } from "../../../src/core/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../../src/core/model.ts";
import { openModel, type OpenModelOptions } from "../../../src/models/open-model.ts";
import type { Protocol } from "./wire-replies.ts";

const modelNames: Readonly<Record<Protocol, string>> = {
  anthropic: "anthropic/claude-sonnet-4-5",
  openai: "openai/gpt-4.1",
  google: "google/gemini-2.5-flash",
};

export const secretKey = "sk-very-secret-0123456789";

/** A model of that protocol that talks to a server of the test. */
export function openTestModel(
  protocol: Protocol,
  url: string,
  options: Partial<OpenModelOptions> = {},
): Promise<Model> {
  return openModel(modelNames[protocol], {
    env: { ANTHROPIC_API_KEY: secretKey, OPENAI_API_KEY: secretKey, GEMINI_API_KEY: secretKey },
    settings: { baseUrl: url },
    workdir: "/",
    openScript: () => Promise.reject(new Error("no script in this test")),
    fetch: globalThis.fetch,
    ...options,
  });
}

export function requestOf(request: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "Be brief.",
    messages: [userSays("hello")],
    tools: [tool("first"), tool("second"), tool("third")],
    toolChoice: "auto",
    maxOutputTokens: null,
    conversationId: "ses_1",
    signal: new AbortController().signal,
    ...request,
  };
}

export function userSays(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}

export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The last event, which is the one that ends a reply. */
export async function endOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent> {
  const all = await collect(events);
  const ends = all.filter(({ type }) => type === "finished" || type === "failed");
  if (ends.length !== 1 || all.at(-1) !== ends[0])
    throw new Error(`expected one end, at the end: ${JSON.stringify(all)}`);
  return ends[0]!;
}

function tool(name: string) {
  return {
    name,
    description: `The ${name} tool.`,
    inputSchema: { type: "object", properties: { path: { type: "string" } }, additionalProperties: false },
  };
}
