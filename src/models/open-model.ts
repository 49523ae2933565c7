import { resolve } from "node:path";
import { type Clock, systemClock } from "../core/clock.ts";
import { RuntimeError } from "../core/errors.ts";
import type { Model } from "../core/model.ts";
import { createLanguageModel, normalizeBaseUrl, ollamaBaseUrl } from "./protocols/create-language-model.ts";
import { findProvider, type NamedModel, unknownProvider } from "./find-provider.ts";
import { loadPackageModel } from "./load-package-model.ts";
import { modelFacts, modelFamily } from "./model-facts.ts";
import type { Environment, ModelKey, ModelSettings, ModelSource } from "./model-options.ts";
import { openFetch } from "./http/open-fetch.ts";
import type { Provider } from "./providers.ts";
import { streamReply } from "./streaming/stream-reply.ts";

export interface OpenModelOptions {
  readonly env: Environment;
  readonly settings: ModelSettings;
  /** Instead of one that follows the proxies and certificates of `env`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** A reply of which no byte comes for so long is cut; 5 minutes unless told. */
  readonly stallMs?: number;
  /** Where a script's path starts from. */
  readonly workdir: string;
  openScript(path: string): Promise<Model>;
}

/**
 * The model of that name: `provider/name`, a name that everybody knows, or `script:FILE`. Sends nothing yet. Throws
 * MODEL_INVALID with one sentence when the name, the key or the address can't work.
 */
export async function openModel(name: string, options: OpenModelOptions): Promise<Model> {
  const script = pathOfScript(name, options.workdir);
  if (script !== undefined) return options.openScript(script);
  const named = findProvider(name, options.settings);
  const { provider } = named;
  return provider ? openProvider({ ...named, provider }, options) : openPackage(named, options);
}

/** Of `script:FILE`; undefined for other names. */
export function pathOfScript(name: string, workdir: string): string | undefined {
  return name.startsWith("script:") ? resolve(workdir, name.slice("script:".length)) : undefined;
}

async function openProvider(named: NamedModel & { readonly provider: Provider }, options: OpenModelOptions) {
  const { provider, providerName, modelName } = named;
  const { env, settings } = options;
  const { baseUrl, isOwn } = addressOf(provider, options);
  const key = keyOf(provider.keyVariables, env);
  // Another server than the provider's own may well want none; if it does, it will say so.
  if (!key && !provider.isLocal && isOwn && provider.keyVariables.length > 0) throw missingKey(provider);
  const { kind, title, takesThinking, callIds } = provider;
  const headers = settings.providers?.[providerName]?.headers ?? {};
  const create: ModelSource["create"] = (fetch) =>
    createLanguageModel({ kind, providerName, modelName, baseUrl, key, headers }, fetch);
  return toModel(
    { kind, providerName, title, modelName, baseUrl, key, takesThinking, callIds, create, ...channel(named, options) },
    { options, isFree: provider.isLocal, isPriced: !settings.providers?.[providerName] },
  );
}

async function openPackage({ providerName, modelName }: NamedModel, options: OpenModelOptions): Promise<Model> {
  const key = keyOf([`${providerName.toUpperCase().replaceAll("-", "_")}_API_KEY`], options.env);
  const baseUrl = options.settings.baseUrl ?? null;
  const create = await loadPackageModel({ providerName, modelName, baseUrl, key });
  if (!create) throw unknownProvider(providerName, options.settings);
  const source: ModelSource = {
    kind: "package",
    providerName,
    title: providerName,
    modelName,
    baseUrl: baseUrl ?? "",
    key,
    takesThinking: true,
    callIds: "any",
    create: async (fetch) => create(fetch),
    ...channel({ providerName, modelName, provider: null }, options),
  };
  return toModel(source, { options, isFree: false, isPriced: true });
}

interface ModelTraits {
  readonly options: OpenModelOptions;
  readonly isFree: boolean;
  readonly isPriced: boolean;
}

function toModel(source: ModelSource, { options: { settings }, isFree, isPriced }: ModelTraits): Model {
  const facts = modelFacts(source.modelName);
  return {
    id: `${source.providerName}/${source.modelName}`,
    provider: source.providerName,
    family: modelFamily(source.modelName),
    limits: {
      contextTokens: settings.contextTokens ?? facts.contextTokens,
      maxOutputTokens: settings.maxOutputTokens ?? facts.maxOutputTokens,
    },
    price: isFree ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } : isPriced ? facts.price : null,
    acceptsImages: facts.acceptsImages,
    stream: (request) => streamReply(source, request),
  };
}

/** Room to answer at length, and far from what would not fit beside a long conversation. */
const longestReplyTokens = 32_000;
const unknownReplyTokens = 8192;

function channel({ provider, modelName }: NamedModel, { env, settings, ...options }: OpenModelOptions) {
  const known = modelFacts(modelName).maxOutputTokens ?? unknownReplyTokens;
  const demanded = provider?.kind === "anthropic" ? Math.min(known, longestReplyTokens) : null;
  return {
    maxOutputTokens: settings.maxOutputTokens ?? demanded,
    fetch: options.fetch ?? openFetch(env),
    clock: options.clock ?? systemClock,
    stallMs: options.stallMs ?? 300_000,
  };
}

/** The first that says one: the configuration, a variable, the provider's own. */
function addressOf(provider: Provider, { env, settings }: OpenModelOptions): { baseUrl: string; isOwn: boolean } {
  if (settings.baseUrl !== undefined) {
    return { baseUrl: normalizeBaseUrl(settings.baseUrl, provider.kind, "base_url"), isOwn: false };
  }
  const variable = provider.baseUrlVariables.find((each) => env[each]?.trim());
  if (variable === undefined) {
    const baseUrl = normalizeBaseUrl(provider.baseUrl, provider.kind, `base_url of "${provider.name}"`);
    return { baseUrl, isOwn: true };
  }
  const text = env[variable]!;
  const baseUrl = variable === "OLLAMA_HOST" ? ollamaBaseUrl(text) : normalizeBaseUrl(text, provider.kind, variable);
  return { baseUrl, isOwn: false };
}

function keyOf(variables: readonly string[], env: Environment): ModelKey | null {
  for (const variable of variables) {
    // A line break at the end is a slip of the shell, and no header may hold it.
    const value = env[variable]?.trim();
    if (value) return { value, variable };
  }
  return null;
}

function missingKey({ title, keyVariables }: Provider): RuntimeError {
  const [first, ...others] = keyVariables;
  const also = others.length > 0 ? ` (or ${others.join(", ")})` : "";
  return new RuntimeError("MODEL_INVALID", `${title} needs a key: set ${first}${also}.`);
}
