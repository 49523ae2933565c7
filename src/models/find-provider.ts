import { RuntimeError } from "../core/errors.ts";
import { nearest } from "../core/text.ts";
import type { ModelSettings } from "./model-options.ts";
import { type Provider, providerAliases, providerOfBareName, providers } from "./providers.ts";

export interface NamedModel {
  readonly providerName: string;
  /** As the provider knows it; may itself hold slashes. */
  readonly modelName: string;
  /** Null: not one of ours; perhaps a package of that name is installed. */
  readonly provider: Provider | null;
}

/** `provider/name`, or a name that everybody knows. Throws when it says neither. */
export function findProvider(name: string, settings: ModelSettings): NamedModel {
  const text = name.trim();
  const slash = text.indexOf("/");
  if (slash === -1) return fromBareName(text, settings);
  const given = text.slice(0, slash).toLowerCase();
  const modelName = text.slice(slash + 1);
  const providerName = settings.providers?.[given] ? given : (providerAliases[given] ?? given);
  if (modelName === "") {
    throw new RuntimeError("MODEL_INVALID", `"${text}" names no model; write ${exampleOf(providerName)}.`);
  }
  return { providerName, modelName, provider: configuredProvider(providerName, settings) ?? builtIn(providerName) };
}

/** One sentence for a provider that is neither built in, nor configured, nor installed. */
export function unknownProvider(providerName: string, settings: ModelSettings): RuntimeError {
  const known = knownNames(settings);
  const near = nearest(providerName, known);
  const advice = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `known are ${known.join(", ")}.`;
  return new RuntimeError(
    "MODEL_INVALID",
    `There is no provider "${providerName}", and no package @ai-sdk/${providerName} is installed beside deckhand; ${advice}`,
  );
}

function fromBareName(name: string, settings: ModelSettings): NamedModel {
  const providerName = providerOfBareName(name.toLowerCase());
  if (providerName) return { providerName, modelName: name, provider: builtIn(providerName) };
  const asProvider = providerAliases[name.toLowerCase()] ?? name.toLowerCase();
  if (knownNames(settings).includes(asProvider)) {
    throw new RuntimeError(
      "MODEL_INVALID",
      `"${name}" is a provider; say which of its models, such as ${exampleOf(asProvider)}.`,
    );
  }
  throw new RuntimeError(
    "MODEL_INVALID",
    `A model is named provider/name, such as anthropic/claude-sonnet-5-5 or ollama/qwen3, but "${name}" came; ` +
      `name its provider (${knownNames(settings).join(", ")}) or a script as script:FILE.`,
  );
}

function configuredProvider(name: string, { providers: configured = {} }: ModelSettings): Provider | null {
  const settings = Object.hasOwn(configured, name) ? configured[name] : undefined;
  if (!settings) return null;
  const base = builtIn(name);
  const baseUrl = settings.baseUrl ?? (base?.kind === settings.kind ? base.baseUrl : ownAddressOf(settings.kind));
  if (baseUrl === undefined) {
    throw new RuntimeError("MODEL_INVALID", `The provider "${name}" needs a base_url in the configuration.`);
  }
  return {
    name,
    title: base?.title ?? name,
    kind: settings.kind,
    baseUrl,
    keyVariables: settings.keyVariable ? [settings.keyVariable] : (base?.keyVariables ?? []),
    baseUrlVariables: [],
    isLocal: base?.isLocal ?? false,
    defaultModel: null,
    takesThinking: base?.takesThinking ?? true,
    callIds: base?.callIds ?? "any",
  };
}

function ownAddressOf(kind: Provider["kind"]): string | undefined {
  return kind === "openai-compatible" ? undefined : providers.find((each) => each.kind === kind)?.baseUrl;
}

function builtIn(name: string): Provider | null {
  return providers.find((each) => each.name === name) ?? null;
}

function knownNames({ providers: configured = {} }: ModelSettings): string[] {
  return [...new Set([...providers.map(({ name }) => name), ...Object.keys(configured)])];
}

function exampleOf(providerName: string): string {
  return `${providerName}/${builtIn(providerName)?.defaultModel ?? "NAME"}`;
}
