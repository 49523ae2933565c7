import type { IncomingMessage } from "node:http";
import { FetchProblem } from "./fetch-problem.ts";
import { quote } from "./url-verdict.ts";

const redirects = new Set([301, 302, 303, 307, 308]);

/** Where a response sends us, as the URL that will be judged; undefined when it is the answer itself. */
export function locateRedirect(
  { statusCode, headers }: Pick<IncomingMessage, "statusCode" | "headers">,
  from: URL,
): string | undefined {
  if (!redirects.has(statusCode ?? 0) || headers.location === undefined) return undefined;
  // Headers are bytes to Node; servers mean UTF-8.
  const location = Buffer.from(headers.location, "latin1").toString();
  const to = URL.parse(location, from.href);
  if (to === null) {
    throw new FetchProblem("url.redirect", `The URL was redirected to ${quote(location)}, which is no URL.`);
  }
  if (from.protocol === "https:" && to.protocol === "http:") {
    const sentence = `The URL was redirected from https to ${quote(to.href)}, where anybody on the way could change it.`;
    throw new FetchProblem("url.redirect", sentence);
  }
  return to.href;
}
