import type { AssistantPart, Message } from "../../../src/core/message.ts";
import type { ModelRequest, Usage } from "../../../src/core/model.ts";

/** What a provider would roughly count; a script that needs exact figures says them. */
export function estimateUsage(request: ModelRequest, reply: readonly AssistantPart[]): Usage {
  return {
    inputTokens: estimateInput(request),
    outputTokens: tokensOf(lengthOfParts(reply)),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
}

export function estimateInput({
  system,
  tools,
  messages,
}: Pick<ModelRequest, "system" | "tools" | "messages">): number {
  const texts = messages.reduce((sum, message) => sum + lengthOf(message), system.length);
  return tokensOf(texts + (tools.length === 0 ? 0 : JSON.stringify(tools).length));
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / 4);
}

function lengthOf(message: Message): number {
  if (message.role === "tool") return message.results.reduce((sum, { text }) => sum + text.length, 0);
  return lengthOfParts(message.parts);
}

function lengthOfParts(parts: Exclude<Message, { role: "tool" }>["parts"]): number {
  let sum = 0;
  for (const part of parts) {
    if (part.type === "call") sum += part.tool.length + part.inputText.length;
    // An image costs by its size in pixels, not by its bytes.
    else sum += part.type === "image" ? 4000 : part.text.length;
  }
  return sum;
}
