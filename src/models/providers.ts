import type { ProviderKind } from "./model-options.ts";

/** Where a provider is reached and what it needs. */
export interface Provider {
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  /** The first that is set wins. */
  readonly keyVariables: readonly string[];
  readonly baseUrlVariables: readonly string[];
  /** Runs on the person's own machine: no key, no price. */
  readonly isLocal: boolean;
  /** Taken when a key is all that is known; null when it can't be guessed. */
  readonly defaultModel: string | null;
  /** Takes its own thinking back with the conversation; the others reject a request that holds it. */
  readonly takesThinking: boolean;
  /** `nine`: call ids must be nine letters or digits. */
  readonly callIds: "any" | "nine";
}

/** In the order in which a key decides, see `choose-model.ts`. */
export const providers: readonly Provider[] = [
  hosted("anthropic", "Anthropic", {
    kind: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
    defaultModel: "claude-sonnet-5-5",
    takesThinking: true,
  }),
  hosted("openai", "OpenAI", {
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    defaultModel: "gpt-6-sol",
  }),
  hosted("google", "Google", {
    kind: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    baseUrlVariables: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
    defaultModel: "gemini-flash-latest",
    takesThinking: true,
  }),
  hosted("openrouter", "OpenRouter", {
    baseUrl: "https://openrouter.ai/api/v1",
    defaultModel: "openrouter/auto",
    takesThinking: true,
  }),
  hosted("groq", "Groq", { baseUrl: "https://api.groq.com/openai/v1", defaultModel: "openai/gpt-oss-120b" }),
  hosted("deepseek", "DeepSeek", {
    baseUrl: "https://api.deepseek.com/v1",
    defaultModel: "deepseek-chat",
    takesThinking: true,
  }),
  hosted("mistral", "Mistral", {
    baseUrl: "https://api.mistral.ai/v1",
    defaultModel: "mistral-large-latest",
    callIds: "nine",
  }),
  hosted("xai", "xAI", { baseUrl: "https://api.x.ai/v1", defaultModel: "grok-4", takesThinking: true }),
  local("ollama", "Ollama", { baseUrl: "http://127.0.0.1:11434/v1", baseUrlVariables: ["OLLAMA_HOST"] }),
  local("vllm", "vLLM", { baseUrl: "http://127.0.0.1:8000/v1" }),
  local("lmstudio", "LM Studio", {
    baseUrl: "http://127.0.0.1:1234/v1",
    baseUrlVariables: ["LMSTUDIO_BASE_URL", "LM_STUDIO_BASE_URL"],
  }),
];

export const providerAliases: Readonly<Record<string, string>> = { gemini: "google" };

/** A model that everybody knows by its name alone. */
export function providerOfBareName(name: string): string | null {
  if (name.startsWith("claude-")) return "anthropic";
  if (name.startsWith("gemini-")) return "google";
  // `gpt-oss` is everywhere but at OpenAI.
  if (/^(gpt-(?!oss)|chatgpt-|o[134](-|$))/.test(name)) return "openai";
  return null;
}

function hosted(name: string, title: string, given: Partial<Provider> & { readonly baseUrl: string }): Provider {
  return {
    name,
    title,
    kind: "openai-compatible",
    keyVariables: [`${name.toUpperCase()}_API_KEY`],
    baseUrlVariables: [`${name.toUpperCase()}_BASE_URL`],
    isLocal: false,
    defaultModel: null,
    takesThinking: false,
    callIds: "any",
    ...given,
  };
}

function local(name: string, title: string, given: Partial<Provider> & { readonly baseUrl: string }): Provider {
  return { ...hosted(name, title, given), isLocal: true, takesThinking: true };
}
