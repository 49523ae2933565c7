import type { ErrorType } from "../../core/errors.ts";
import type { FetchRefusal } from "../../guard/url/guarded-fetch.ts";
import { failure, type Failure } from "../failure.ts";

/** Why a page could not be had, and what to do instead. */
export function describeRefusal({ rule, reason, url }: FetchRefusal, askedUrl: string): Failure {
  const [errorType, hint] = answers[rule];
  const at = url === askedUrl ? "" : ` (after a redirect to ${url.slice(0, 200)})`;
  const error = at === "" ? reason : `${reason.replace(/\.$/, "")}${at}.`;
  return failure(errorType, error, hint);
}

const correct = "Give the whole address, as in https://example.com/page.";
const listed =
  "Only public addresses are fetched. If the user wants this one reached, they list its host in tools.web.allow_hosts of the settings.";

const answers: Readonly<Record<FetchRefusal["rule"], readonly [errorType: ErrorType, hint: string]>> = {
  "url.malformed": ["invalid_input", correct],
  "url.scheme": ["invalid_input", correct],
  "url.userinfo": ["invalid_input", correct],
  "url.disguised": ["invalid_input", correct],
  "url.port": ["denied", "If the user wants this port reached, they list host:port in tools.web.allow_hosts."],
  "url.host": ["denied", listed],
  "url.address": ["denied", listed],
  "url.resolve": ["not_found", "Check the spelling of the host, or look for the page with a search."],
  "url.redirect": ["denied", "Ask for the address that it leads to, if that is what you want."],
  "url.proxy": ["denied", 'The user can set tools.web.proxy to "trust" in the settings.'],
  "fetch.failed": ["io", "Check the host and try once more, or use another source."],
  "fetch.timeout": ["timeout", "Try once more later, or use another source; tools.web.timeout_ms sets the limit."],
  "fetch.cancelled": ["cancelled", "It was stopped before it was done."],
  "fetch.size": ["too_large", "Ask for a smaller page; tools.web.max_bytes sets the limit."],
  "fetch.type": ["binary", "Download it with a command, then use a program that knows this kind of file."],
  "fetch.encoding": ["encoding", "Use another source."],
};
