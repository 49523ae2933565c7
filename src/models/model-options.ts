import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Clock } from "../core/clock.ts";

/** The wire protocols that are built in. */
export type ProviderKind = "anthropic" | "openai-compatible" | "google";

/** What configuration says about models; names of models and keys are not here. */
export interface ModelSettings {
  /** Instead of the provider's own address. */
  readonly baseUrl?: string;
  readonly maxOutputTokens?: number;
  readonly contextTokens?: number;
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
}

export interface ProviderSettings {
  readonly kind: ProviderKind;
  readonly baseUrl?: string;
  /** The variable that holds the key; without it no key is sent. */
  readonly keyVariable?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** All that is needed to send requests to one model. */
export interface ModelSource {
  readonly kind: ProviderKind | "package";
  readonly providerName: string;
  /** As people write the provider's name. */
  readonly title: string;
  readonly modelName: string;
  /** Empty when only the package knows it. */
  readonly baseUrl: string;
  readonly key: ModelKey | null;
  readonly takesThinking: boolean;
  readonly callIds: "any" | "nine";
  /** Sent with every request that does not say otherwise; null: the provider decides. */
  readonly maxOutputTokens: number | null;
  readonly clock: Clock;
  /** A reply of which no byte comes for so long is cut. */
  readonly stallMs: number;
  readonly fetch: typeof globalThis.fetch;
  /** Loads the provider's package when it is first asked. */
  create(fetch: typeof globalThis.fetch): Promise<LanguageModelV4>;
}

export interface ModelKey {
  readonly value: string;
  /** The variable it came from. */
  readonly variable: string;
}

/** The provider itself, not something that speaks its protocol. */
export function isOpenAi({ baseUrl }: Pick<ModelSource, "baseUrl">): boolean {
  return /(^|\.)openai\.com$/.test(URL.parse(baseUrl)?.hostname ?? "");
}
