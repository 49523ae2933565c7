import type { ProxySetting } from "../../guard/url/decide-proxy.ts";

/** `tools.web` of the settings, complete. */
export interface WebSettings {
  /** Hosts that may be reached although they are private; with a port only on that one. */
  readonly allowHosts: readonly string[];
  readonly allowPrivate: boolean;
  /** What to do where the environment names a proxy. */
  readonly proxy: ProxySetting;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Null: SEARXNG_URL decides. */
  readonly searxngUrl: string | null;
}
