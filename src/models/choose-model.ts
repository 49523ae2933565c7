import { findOllamaModel } from "./find-ollama.ts";
import type { Environment } from "./model-options.ts";
import { providers } from "./providers.ts";

export interface ChooseModelOptions {
  readonly env: Environment;
  /** The name from the command line or the configuration. */
  readonly configured: string | null;
  readonly fetch: typeof globalThis.fetch;
}

export type ModelChoice =
  | { readonly name: string; /** Half a sentence, to show beside the name. */ readonly why: string }
  | { readonly name: null; /** A short page of what to do. */ readonly advice: string };

/** Which model to talk to when nobody said: what is configured, what a key is for, what runs here, or none. */
export async function chooseModel({ env, configured, fetch }: ChooseModelOptions): Promise<ModelChoice> {
  if (configured?.trim()) return { name: configured.trim(), why: "as configured" };
  for (const { name, keyVariables, defaultModel } of providers) {
    const variable = keyVariables.find((each) => env[each]?.trim());
    if (variable && defaultModel) return { name: `${name}/${defaultModel}`, why: `because ${variable} is set` };
  }
  const local = await findOllamaModel({ env, fetch, timeoutMs: ollamaTimeoutMs });
  if (local) return { name: `ollama/${local}`, why: "because Ollama runs on this machine" };
  return { name: null, advice };
}

const ollamaTimeoutMs = 400;

const advice = `No model yet. Any one of these is enough:

  a key          export ANTHROPIC_API_KEY=…
                 (or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY,
                 GROQ_API_KEY, DEEPSEEK_API_KEY, MISTRAL_API_KEY, XAI_API_KEY)
  a local model  install Ollama, then: ollama pull qwen3
  a server       export OPENAI_BASE_URL=http://host:8000/v1
                 deckhand run --model openai/NAME "…"
  a script       deckhand run --model script:FILE "…"
                 needs no key and no network

To look around first: deckhand demo
`;
