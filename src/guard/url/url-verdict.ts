/** Which check said no, as a word a program can branch on. */
type UrlRule =
  | "url.malformed"
  | "url.scheme"
  | "url.userinfo"
  | "url.disguised" // written so that two readers may see two hosts
  | "url.port"
  | "url.host" // a name that can't be public
  | "url.address" // an address that is not public
  | "url.resolve" // no answer, or one that can't be used
  | "url.redirect";

export interface AllowedUrl {
  readonly allowed: true;
  readonly href: string;
  /** A name or an address, without brackets and trailing dot. */
  readonly host: string;
  readonly port: number;
  /** True: the host is the address that will be connected to; false: a resolver has to be asked. */
  readonly isAddress: boolean;
}

export interface RefusedUrl {
  readonly allowed: false;
  readonly rule: UrlRule;
  /** One sentence. */
  readonly reason: string;
}

export type UrlVerdict = AllowedUrl | RefusedUrl;

/** `what` goes on after "The URL". */
export function refuseUrl(rule: UrlRule, what: string): RefusedUrl {
  return { allowed: false, rule, reason: `The URL ${what}.` };
}

/** What others wrote, for a sentence: short, and without anything that a terminal obeys or hides. */
export function quote(text: string): string {
  const shown = text
    .slice(0, 80)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
  return `"${shown}${text.length > 80 ? "…" : ""}"`;
}

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
