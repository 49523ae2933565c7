import { findProvider, unknownProvider } from "./find-provider.ts";
import { loadPackageModel } from "./load-package-model.ts";
import type { Environment } from "./model-options.ts";
import { pathOfScript, type OpenModelOptions } from "./open-model.ts";
import { ollamaBaseUrl } from "./protocols/create-language-model.ts";
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

export interface OllamaOptions {
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
}

interface OllamaModel {
  readonly name: string;
  readonly modified_at?: string;
  readonly details?: { readonly family?: string };
}

/** The newest model of a local Ollama that can chat, one that can call tools first; null when none answers in time. */
async function findOllamaModel({ env, fetch, timeoutMs }: OllamaOptions): Promise<string | null> {
  try {
    const root = ollamaBaseUrl(env["OLLAMA_HOST"]?.trim() || "127.0.0.1:11434").replace(/\/v1$/, "");
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(`${root}/api/tags`, { signal });
    if (!answer.ok) return null;
    const { models = [] } = (await answer.json()) as { models?: readonly OllamaModel[] };
    const candidates = models.filter(canChat).toSorted(byAge).slice(0, 5);
    const abilities = await Promise.all(candidates.map((model) => abilitiesOf(model, { root, fetch, signal })));
    const chosen = candidates.find((_, at) => abilities[at]?.includes("tools")) ?? candidates[0];
    return chosen?.name ?? null;
  } catch {
    // Nobody there, nobody in time, or somebody else.
    return null;
  }
}

function canChat({ name, details }: OllamaModel): boolean {
  return typeof name === "string" && !/embed|bert|rerank/i.test(`${name} ${details?.family ?? ""}`);
}

function byAge(a: OllamaModel, b: OllamaModel): number {
  return (Date.parse(b.modified_at ?? "") || 0) - (Date.parse(a.modified_at ?? "") || 0);
}

async function abilitiesOf(
  { name }: OllamaModel,
  {
    root,
    fetch,
    signal,
  }: { readonly root: string; readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  try {
    const answer = await fetch(`${root}/api/show`, { method: "POST", body: JSON.stringify({ model: name }), signal });
    const { capabilities } = (await answer.json()) as { capabilities?: readonly string[] };
    return Array.isArray(capabilities) ? capabilities : [];
  } catch {
    return [];
  }
}

/**
 * Whether there can be a model of that name, for whoever asks it later: the key may be elsewhere. Sends nothing. Throws
 * MODEL_INVALID with the sentence that opening it would give.
 */
export async function checkModelName(
  name: string,
  { settings, workdir, openScript }: Pick<OpenModelOptions, "settings" | "workdir" | "openScript">,
): Promise<void> {
  const script = pathOfScript(name, workdir);
  if (script !== undefined) return void (await openScript(script));
  const { provider, providerName, modelName } = findProvider(name, settings);
  if (provider) return;
  const create = await loadPackageModel({ providerName, modelName, baseUrl: null, key: null });
  if (!create) throw unknownProvider(providerName, settings);
}
