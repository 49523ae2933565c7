import type { RefusedUrl, UrlRule } from "./url-verdict.ts";

export type FetchRule =
  | UrlRule
  | "url.proxy" // it would go through a proxy that nobody trusts
  | "fetch.failed" // no connection, or it broke
  | "fetch.timeout"
  | "fetch.cancelled"
  | "fetch.size"
  | "fetch.type" // not text
  | "fetch.encoding"; // compressed in a way that can't be undone here

/** Ends a fetch from wherever it is; `createGuardedFetch` turns it into the answer, so nobody outside ever sees it thrown. */
export class FetchProblem extends Error {
  override readonly name = "FetchProblem";
  readonly rule: FetchRule;
  constructor(rule: FetchRule, message: string, options?: ErrorOptions) {
    super(message, options);
    this.rule = rule;
  }
}

export function problemOf({ rule, reason }: RefusedUrl): FetchProblem {
  return new FetchProblem(rule, reason);
}
