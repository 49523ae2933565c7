import { judgeAddresses, judgeUrl } from "./judge-url.ts";
import type { UrlPolicy } from "./url-policy.ts";
import { quote, refuseUrl, type AllowedUrl, type RefusedUrl } from "./url-verdict.ts";

/** One step of a fetch, as far as it is known beforehand. */
export interface Step {
  /** Absolute, or relative to the step before. */
  readonly url: string;
  /** What its name leads to. Left out: nobody was asked, and the name alone is judged. */
  readonly addresses?: readonly string[];
}

/** `url`: the step that it is about. */
export type JourneyVerdict = (AllowedUrl | RefusedUrl) & { readonly url: string };

const mostRedirects = 5;

/** What a fetch would say to a URL and the redirects that follow it, without fetching anything. Never throws. */
export function judgeJourney(steps: readonly [Step, ...Step[]], policy: UrlPolicy): JourneyVerdict {
  let from: AllowedUrl | undefined;
  let verdict: JourneyVerdict | undefined;
  for (const [index, step] of steps.entries()) {
    const url = from === undefined ? step.url : (URL.parse(step.url, from.href)?.href ?? step.url);
    verdict = { ...judgeStep(url, step.addresses, policy), url };
    if (!verdict.allowed) return verdict;
    if (index > mostRedirects)
      return { ...refuseUrl("url.redirect", `was redirected more than ${mostRedirects} times`), url };
    if (from?.href.startsWith("https:") && verdict.href.startsWith("http:")) {
      return { ...refuseUrl("url.redirect", `was redirected from https to ${quote(url)}`), url };
    }
    from = verdict;
  }
  return verdict!;
}

function judgeStep(url: string, addresses: Step["addresses"], policy: UrlPolicy): AllowedUrl | RefusedUrl {
  const verdict = judgeUrl(url, policy);
  if (!verdict.allowed || verdict.isAddress || addresses === undefined) return verdict;
  return judgeAddresses(verdict, addresses, policy) ?? verdict;
}
