import { anthropic } from "./protocols/anthropic-server.ts";
import { gemini } from "./protocols/gemini-server.ts";
import { openaiChat } from "./protocols/openai-chat-server.ts";
import { openaiResponses } from "./protocols/openai-responses-server.ts";
import type { Protocol } from "./protocols/served-protocol.ts";

/** What a request is about. `count`: how many tokens it would be. */
export type Route =
  | { readonly kind: "reply" | "count"; readonly protocol: Protocol }
  | { readonly kind: "models"; readonly protocol: Protocol; readonly model: string | null };

/** Paths are known by their ends: whether `/v1` is part of a base URL is told differently everywhere. */
export function findRoute(method: string, path: string, isAnthropic: boolean): Route | undefined {
  if (method === "POST") return posts.find(({ end }) => end.test(path))?.route;
  const found = /\/models(?:\/(?<model>.+))?$/.exec(path);
  if (method !== "GET" || !found) return undefined;
  const protocol = isAnthropic ? anthropic : path.includes("/v1beta/") ? gemini : openaiChat;
  return { kind: "models", protocol, model: found.groups?.["model"] ?? null };
}

/** One model, or the list of them, in the words of the vendor. */
export function describeModels({ protocol, model }: Extract<Route, { kind: "models" }>): unknown {
  const id = model ?? "script";
  if (protocol.name === "gemini") {
    const supportedGenerationMethods = ["generateContent", "countTokens"];
    const one = { name: `models/${id}`, displayName: id, supportedGenerationMethods };
    return model === null ? { models: [one] } : one;
  }
  if (protocol.name === "anthropic") {
    const one = { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
    return model === null ? { data: [one], has_more: false, first_id: id, last_id: id } : one;
  }
  const one = { id, object: "model", created: 0, owned_by: "script" };
  return model === null ? { object: "list", data: [one] } : one;
}

const posts: readonly { readonly end: RegExp; readonly route: Route }[] = [
  { end: /\/messages$/, route: { kind: "reply", protocol: anthropic } },
  { end: /\/messages\/count_tokens$/, route: { kind: "count", protocol: anthropic } },
  { end: /\/chat\/completions$/, route: { kind: "reply", protocol: openaiChat } },
  { end: /\/responses$/, route: { kind: "reply", protocol: openaiResponses } },
  { end: /\/models\/[^/]+:(?:streamG|g)enerateContent$/, route: { kind: "reply", protocol: gemini } },
  { end: /\/models\/[^/]+:countTokens$/, route: { kind: "count", protocol: gemini } },
];
