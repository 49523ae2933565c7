import type { AssistantPart, ImagePart, Message, UserPart } from "../../core/message.ts";
import type { ToolOffer } from "../../core/model.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** About what one message takes of the window, its envelope included. */
export function estimateMessage(message: Message): number {
  if (message.role === "tool") {
    return message.results.reduce((sum, { text }) => sum + envelopeTokens + estimateTokens(text), 0);
  }
  const parts: readonly (UserPart | AssistantPart)[] = message.parts;
  return parts.reduce((sum, part) => sum + estimatePart(part), envelopeTokens);
}

/** What the offered tools take of every request. */
export function estimateOffers(tools: readonly ToolOffer[]): number {
  return tools.reduce((sum, tool) => sum + envelopeTokens + estimateTokens(JSON.stringify(tool)), 0);
}

/** Role, ids and marks around each message, call and result. */
const envelopeTokens = 6;

function estimatePart(part: UserPart | AssistantPart): number {
  switch (part.type) {
    case "text":
    case "thinking":
      return estimateTokens(part.text);
    case "call":
      return envelopeTokens + estimateTokens(part.tool) + estimateTokens(part.inputText);
    case "image":
      return estimateImage(part);
  }
}

/** Providers count pixels, which are not known here; the size of the file tells an icon from a photograph. */
function estimateImage({ data }: ImagePart): number {
  if (data.length < 20_000) return 300;
  return data.length < 200_000 ? 900 : 1_600;
}
