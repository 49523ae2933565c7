import { classifyAddress } from "./classify-address.ts";
import { judgeName } from "./judge-name.ts";
import { judgeSpelling } from "./judge-spelling.ts";
import { listsHost, permitsAddress, permitsPort, type Target, type UrlPolicy } from "./url-policy.ts";
import { quote, refuseUrl, type AllowedUrl, type RefusedUrl, type UrlVerdict } from "./url-verdict.ts";

/** Whether this URL may be fetched, as far as its text says: names are not resolved. Never throws. */
export function judgeUrl(text: string, policy: UrlPolicy): UrlVerdict {
  const misspelt = judgeSpelling(text);
  if (misspelt) return misspelt;
  const url = URL.parse(text);
  if (url === null) return refuseUrl("url.malformed", "is not valid; expected something like https://example.com/page");
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const refused = judgePort(policy, { host, port }) ?? judgeHost(policy, { host, port });
  if (refused) return refused;
  return { allowed: true, href: url.href, host, port, isAddress: classifyAddress(host) !== undefined };
}

/** Whether the addresses that the name was resolved to may be connected to: all of them, or none. */
export function judgeAddresses(
  { host, port }: AllowedUrl,
  addresses: readonly string[],
  policy: UrlPolicy,
): RefusedUrl | undefined {
  if (addresses.length === 0) return refuseUrl("url.resolve", `has the host ${quote(host)}, which has no address`);
  for (const address of addresses) {
    const found = classifyAddress(address);
    if (!found) {
      const answer = `the resolver's answer ${quote(address)} is no address that can be checked`;
      return refuseUrl("url.resolve", `has the host ${quote(host)}; ${answer}`);
    }
    if (!permitsAddress(policy, { host, port }, found)) {
      return refuseUrl("url.address", `leads to ${found.address}, ${found.what}; only public addresses may be reached`);
    }
  }
  return undefined;
}

function judgePort(policy: UrlPolicy, target: Target): RefusedUrl | undefined {
  if (permitsPort(policy, target)) return undefined;
  const why = policy.blockPorts.includes(target.port)
    ? "which is Deckhand's own"
    : "which is not a port of the web; list the host with it in tools.web.allow_hosts to reach it";
  return refuseUrl("url.port", `has port ${target.port}, ${why}`);
}

function judgeHost(policy: UrlPolicy, target: Target): RefusedUrl | undefined {
  const { host } = target;
  const found = classifyAddress(host);
  if (found) {
    if (permitsAddress(policy, target, found)) return undefined;
    return refuseUrl("url.address", `leads to ${found.address}, ${found.what}; only public addresses may be reached`);
  }
  if (!isName(host)) return refuseUrl("url.malformed", `has the host ${quote(host)}, which is no valid name`);
  if (policy.allowPrivate || listsHost(policy, target)) return undefined;
  const inside = judgeName(host);
  return inside === undefined ? undefined : refuseUrl("url.host", `has the host ${quote(host)}, which ${inside}`);
}

function isName(host: string): boolean {
  return host.length <= 253 && host.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}
