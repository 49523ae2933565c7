import { RuntimeError } from "../../core/errors.ts";
import type { ProviderKind } from "../model-options.ts";

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
