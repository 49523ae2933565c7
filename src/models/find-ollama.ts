import { ollamaBaseUrl } from "./protocols/base-url.ts";
import type { Environment } from "./model-options.ts";

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
export async function findOllamaModel({ env, fetch, timeoutMs }: OllamaOptions): Promise<string | null> {
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
