import type { JsonRequest } from "./request-json.ts";
import type { WebSettings } from "./web-settings.ts";

export interface SearchQuery {
  readonly query: string;
  readonly limit: number;
  /** Only results of this host and those below it. */
  readonly site: string | undefined;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A service that searches. */
export interface SearchBackend {
  readonly name: string;
  /** What to check when it does not take the request. */
  readonly advice: string;
  /** Null: its own address is no URL. */
  request(query: SearchQuery): JsonRequest | null;
  /** Where its results are, and what they are called there. */
  readonly results: readonly string[];
  readonly snippet: string;
}

export interface SearchParts {
  readonly settings: Pick<WebSettings, "searxngUrl">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Other addresses of the services, such as those of a gateway. */
  readonly endpoints?: { readonly brave?: string; readonly tavily?: string };
}

/** The one that is configured; the person's own comes first. Undefined: none. */
export function findSearchBackend({ settings, env, endpoints = {} }: SearchParts): SearchBackend | undefined {
  const searxng = settings.searxngUrl ?? (env["SEARXNG_URL"] || undefined);
  if (searxng !== undefined) return createSearxng(searxng);
  const braveKey = env["BRAVE_API_KEY"] || env["BRAVE_SEARCH_API_KEY"];
  if (braveKey) return createBrave(braveKey, endpoints.brave ?? "https://api.search.brave.com/res/v1/web/search");
  const tavilyKey = env["TAVILY_API_KEY"];
  if (tavilyKey) return createTavily(tavilyKey, endpoints.tavily ?? "https://api.tavily.com/search");
  return undefined;
}

function createSearxng(base: string): SearchBackend {
  return {
    name: "SearXNG",
    advice: "Check tools.web.search.searxng_url or SEARXNG_URL, and that its search.formats has json.",
    results: ["results"],
    snippet: "content",
    request(query) {
      const url = URL.parse(base);
      if (url === null || !/^https?:$/.test(url.protocol)) return null;
      const { username, password } = url;
      url.username = url.password = "";
      url.pathname = `${url.pathname.replace(/\/(?:search)?\/?$/, "")}/search`;
      url.searchParams.set("q", wordsOf(query));
      url.searchParams.set("format", "json");
      const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
      return { url, headers: username === "" ? {} : { authorization: `Basic ${credentials.toString("base64")}` } };
    },
  };
}

function createBrave(key: string, endpoint: string): SearchBackend {
  return {
    name: "Brave Search",
    advice: "Check BRAVE_API_KEY.",
    results: ["web", "results"],
    snippet: "description",
    request(query) {
      const url = new URL(endpoint);
      url.searchParams.set("q", wordsOf(query));
      url.searchParams.set("count", String(query.limit));
      return { url, headers: { "x-subscription-token": key } };
    },
  };
}

function createTavily(key: string, endpoint: string): SearchBackend {
  return {
    name: "Tavily",
    advice: "Check TAVILY_API_KEY.",
    results: ["results"],
    snippet: "content",
    request: ({ query, limit, site }) => ({
      url: new URL(endpoint),
      headers: { authorization: `Bearer ${key}` },
      body: { query, max_results: limit, ...(site === undefined ? {} : { include_domains: [site] }) },
    }),
  };
}

function wordsOf({ query, site }: SearchQuery): string {
  return site === undefined ? query : `${query} site:${site}`;
}
