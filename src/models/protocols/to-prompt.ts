import { createHash } from "node:crypto";
import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AssistantPart, CallPart, Message, Opaque, UserPart } from "../../core/message.ts";
import type { ModelSource } from "../model-options.ts";

type Target = Pick<ModelSource, "kind" | "providerName" | "modelName" | "takesThinking" | "callIds">;
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];

/** The conversation as the provider packages take it. What a provider would reject for its form alone is left out or wrapped. */
export function toPrompt(system: string, messages: readonly Message[], target: Target): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system.trim() === "" ? [] : [{ role: "system", content: system }];
  for (const message of messages) {
    const content = rememberedContent(message, target);
    // An empty reply leaves nothing to send back.
    if (content.content.length > 0) prompt.push(content);
  }
  return target.kind === "anthropic" ? withBreakpoints(prompt) : prompt;
}

type Content = Exclude<LanguageModelV4Message, { role: "system" }>;

/** Each message is sent with every request that follows it, and never changes. */
const converted = new WeakMap<Message, { readonly target: Target; readonly content: Content }>();

function rememberedContent(message: Message, target: Target): Content {
  const known = converted.get(message);
  if (known?.target === target) return known.content;
  const content = contentOf(message, target);
  converted.set(message, { target, content });
  return content;
}

function contentOf(message: Message, target: Target): Content {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.parts.flatMap(toUserContent) };
    case "assistant":
      return { role: "assistant", content: message.parts.flatMap((part) => toAssistantContent(part, target)) };
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ callId, tool, text, isError }) => ({
          type: "tool-result",
          toolCallId: toCallId(callId, target),
          toolName: toToolName(tool),
          output: { type: isError ? "error-text" : "text", value: text },
        })),
      };
  }
}

function toUserContent(part: UserPart): UserContent {
  if (part.type === "image") {
    return [{ type: "file", mediaType: part.mediaType, data: { type: "data", data: part.data } }];
  }
  return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
}

function toAssistantContent(part: AssistantPart, target: Target): AssistantContent {
  const given = optionsFrom(part.opaque, target);
  const providerOptions = given?.options ? { providerOptions: given.options } : {};
  switch (part.type) {
    case "text":
      if (part.text.trim() === "" && !given?.options) return [];
      return [{ type: "text", text: part.text, ...providerOptions }];
    case "thinking":
      return given && target.takesThinking ? [{ type: "reasoning", text: part.text, ...providerOptions }] : [];
    case "call": {
      const input = toInput(part, target);
      const toolCallId = toCallId(part.callId, target);
      return [{ type: "tool-call", toolCallId, toolName: toToolName(part.tool), input, ...providerOptions }];
    }
  }
}

/** Null when it comes from another model: a signature is good for the one that gave it. */
function optionsFrom(
  opaque: Opaque | undefined,
  { providerName, modelName }: Target,
): { readonly options: SharedV4ProviderOptions | null } | null {
  if (opaque?.provider !== providerName) return null;
  const { model, metadata } = Object(opaque.data) as { model?: unknown; metadata?: SharedV4ProviderOptions | null };
  return model === modelName ? { options: metadata ?? null } : null;
}

function toInput({ inputText }: CallPart, { kind }: Target): unknown {
  const parsed = parseObject(inputText);
  // Providers take objects only; the model still sees what it wrote.
  if (!parsed) return { malformed_arguments: inputText };
  // There the text goes back as it came, which keeps a local server's cache. The package takes names of prototypes for an attack.
  return kind === "openai-compatible" && !/__proto__|constructor/.test(inputText) ? inputText : parsed;
}

/** Null for anything else, and for what is nested beyond reason. */
function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return isDeeper(value, mostLevels) ? null : value;
  } catch {
    return null;
  }
}

/** Servers take hardly more, and far deeper values can be read but not be written again. */
const mostLevels = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Another provider's id may have a form that this one rejects; the same id always becomes the same. */
function toCallId(callId: string, { callIds }: Target): string {
  const isFine = callIds === "nine" ? /^[a-zA-Z0-9]{9}$/ : /^[a-zA-Z0-9_-]{1,64}$/;
  if (isFine.test(callId)) return callId;
  const digest = createHash("sha256").update(callId).digest("hex");
  return callIds === "nine" ? digest.slice(0, 9) : `call_${digest.slice(0, 24)}`;
}

/** A name that a model made up may hold what providers do not take back. */
function toToolName(tool: string): string {
  return tool.replaceAll(/[^a-zA-Z0-9_.:-]/g, "_").slice(0, 128) || "unnamed";
}

export const cacheBreakpoint: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Marks up to where the provider shall cache: the system prompt, and the last two messages that are not the model's own,
 * so that each request reads what the one before wrote. With the tools that makes four, which is all there are.
 */
function withBreakpoints(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const rolling = prompt.filter(({ role }) => role === "user" || role === "tool").slice(-2);
  return prompt.map((message) =>
    message.role === "system" || rolling.includes(message) ? { ...message, providerOptions: cacheBreakpoint } : message,
  );
}
