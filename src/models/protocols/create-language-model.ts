import type { LanguageModelV4 } from "@ai-sdk/provider";
import { isOpenAi, type ModelKey } from "../model-source.ts";
import type { ProviderKind } from "../model-options.ts";

export interface LanguageModelOptions {
  readonly kind: ProviderKind;
  readonly providerName: string;
  readonly modelName: string;
  readonly baseUrl: string;
  readonly key: ModelKey | null;
  readonly headers: Readonly<Record<string, string>>;
}

type Fetch = typeof globalThis.fetch;

/** A model of the package that speaks the protocol. The package is loaded here and nowhere else. */
export async function createLanguageModel(options: LanguageModelOptions, fetch: Fetch): Promise<LanguageModelV4> {
  switch (options.kind) {
    case "anthropic":
      return createAnthropicModel(options, fetch);
    case "google":
      return createGoogleModel(options, fetch);
    case "openai-compatible":
      return createCompatibleModel(options, fetch);
  }
}

// Left alone, the packages look for a key in the process; a server that needs none gets this one.
const noKey = "none";

async function createAnthropicModel(options: LanguageModelOptions, fetch: Fetch): Promise<LanguageModelV4> {
  // The package reads it when it is loaded, and refuses an empty one. Empty means unset.
  if (process.env["ANTHROPIC_BASE_URL"]?.trim() === "") delete process.env["ANTHROPIC_BASE_URL"];
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const { baseUrl: baseURL, key, headers, modelName } = options;
  const isToken = key?.variable.endsWith("AUTH_TOKEN");
  const credential = isToken ? { authToken: key!.value } : { apiKey: key?.value ?? noKey };
  return createAnthropic({ baseURL, headers, fetch, ...credential })(modelName);
}

async function createGoogleModel(options: LanguageModelOptions, fetch: Fetch): Promise<LanguageModelV4> {
  const { createGoogle } = await import("@ai-sdk/google");
  const { baseUrl: baseURL, key, headers, modelName } = options;
  return createGoogle({ baseURL, headers, fetch, apiKey: key?.value ?? noKey })(modelName);
}

async function createCompatibleModel(options: LanguageModelOptions, fetch: Fetch): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { providerName: name, baseUrl, key, headers, modelName } = options;
  const { origin, pathname, searchParams } = new URL(baseUrl);
  return createOpenAICompatible({
    name,
    baseURL: `${origin}${pathname}`,
    headers,
    fetch,
    queryParams: Object.fromEntries(searchParams),
    // Mistral counts without being asked and rejects the question.
    includeUsage: name !== "mistral",
    ...(key && { apiKey: key.value }),
    ...(isOpenAi(options) && { transformRequestBody: renameMaxTokens }),
  })(modelName);
}

/** OpenAI's newer models reject the old name; other servers know only that one. */
function renameMaxTokens({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
