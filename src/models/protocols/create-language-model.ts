import type { LanguageModelV4 } from "@ai-sdk/provider";
import { RuntimeError } from "../../core/errors.ts";
import { isOpenAi, type ModelKey, type ProviderKind } from "../model-options.ts";

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

/**
 * The address as the provider packages want it: with its version, without a slash at the end. People write it with and
 * without both, and sometimes paste the whole endpoint.
 */
export function normalizeBaseUrl(text: string, kind: ProviderKind, source: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`;
  const url = URL.parse(withScheme);
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new RuntimeError(
      "MODEL_INVALID",
      `${source} must be an address like https://host/v1, but it is ${JSON.stringify(text)}; correct or remove it.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/(chat\/completions|messages)$/, "");
  return `${url.origin}${versioned(path, kind)}${url.search}`;
}

/** OLLAMA_HOST is what the server listens on: a host, a port, or both, with or without a scheme. */
export function ollamaBaseUrl(host: string): string {
  const text = host.trim().replace(/\/+$/, "");
  const withHost = text.startsWith(":") ? `127.0.0.1${text}` : text;
  const isSecure = withHost.startsWith("https://");
  const bare = withHost.replace(/^https?:\/\//, "");
  const named = /^[^/]*:\d+(\/|$)/.test(bare) || isSecure ? bare : bare.replace(/^([^/]*)/, "$1:11434");
  // 0.0.0.0 is an address to listen on, not one to talk to.
  const reachable = named.replace(/^0\.0\.0\.0(?=[:/]|$)/, "127.0.0.1");
  return normalizeBaseUrl(`${isSecure ? "https" : "http"}://${reachable}`, "openai-compatible", "OLLAMA_HOST");
}

function versioned(path: string, kind: ProviderKind): string {
  if (/\/v\d+(beta|alpha)?\d*$/.test(path)) return path;
  if (kind === "anthropic") return `${path}/v1`;
  if (kind === "google") return `${path}/v1beta`;
  // A path of its own is meant as it is: not every compatible server has a /v1.
  return path === "" ? "/v1" : path;
}
