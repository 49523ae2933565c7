import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelRequest } from "../../core/model.ts";
import { isOpenAi, type ModelSource } from "../model-options.ts";
import { cacheBreakpoint, toPrompt } from "./to-prompt.ts";

export function toCallOptions(
  request: ModelRequest,
  source: ModelSource,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const maxOutputTokens = request.maxOutputTokens ?? source.maxOutputTokens;
  const tools = toTools(request, source);
  const providerOptions = toProviderOptions(request, source);
  return {
    prompt: toPrompt(request.system, request.messages, source),
    abortSignal,
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(tools.length > 0 && { tools, toolChoice: { type: toolChoices[request.toolChoice] } }),
    ...(providerOptions && { providerOptions }),
  };
}

const toolChoices = { auto: "auto", any: "required", none: "none" } as const;

function toTools({ tools }: ModelRequest, { kind }: ModelSource): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }, index) => ({
    type: "function",
    name,
    description,
    inputSchema: inputSchema as JSONSchema7,
    ...(kind === "anthropic" && index === tools.length - 1 && { providerOptions: cacheBreakpoint }),
  }));
}

/** Fields that only OpenAI itself knows; servers that merely speak its protocol may reject a request for them. */
function toProviderOptions(request: ModelRequest, source: ModelSource): SharedV4ProviderOptions | null {
  if (source.kind !== "openai-compatible" || !isOpenAi(source)) return null;
  // Newer models take tools over this protocol only while they do not reason.
  const mustNotReason = request.tools.length > 0 && /^gpt-(5\.[4-9]|[6-9])/.test(source.modelName);
  return {
    [source.providerName]: {
      prompt_cache_key: request.conversationId.slice(-64),
      ...(mustNotReason && { reasoningEffort: "none" }),
    },
  };
}
