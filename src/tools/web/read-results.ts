import type { SearchBackend, SearchResult } from "./search-backend.ts";
import { stripHtml } from "./strip-html.ts";

const longestSnippet = 500;

/** The results in what a service sent, at most `limit`; undefined when it is not what the service is known to send. */
export function readResults(value: unknown, backend: SearchBackend, limit: number): SearchResult[] | undefined {
  let list = value;
  for (const step of backend.results) {
    // A service that found nothing may leave the whole part out.
    if (typeof list !== "object" || list === null || Array.isArray(list)) return undefined;
    list = (list as Readonly<Record<string, unknown>>)[step] ?? (step === "web" ? { results: [] } : undefined);
  }
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((each: unknown) => toResult(each, backend.snippet)).slice(0, limit);
}

function toResult(value: unknown, snippetKey: string): SearchResult[] {
  const entry = Object(value) as Readonly<Record<string, unknown>>;
  const url = typeof entry["url"] === "string" ? URL.parse(entry["url"]) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  const title = oneLine(entry["title"], 200) || url.hostname;
  return [{ title, url: url.href, snippet: oneLine(entry[snippetKey], longestSnippet) }];
}

/** As text on one line: services mark the words that were found with tags. */
function oneLine(value: unknown, longest: number): string {
  if (typeof value !== "string") return "";
  const text = stripHtml(value.slice(0, 10_000))
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
