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
