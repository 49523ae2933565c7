import { isJoined } from "../terminal-text/rewrite-controls.ts";
import { classifyAddress } from "./classify-address.ts";
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

/**
 * Why a host name can't be one of the public internet, as `… <reason>`; undefined when it may be. Where it really leads only a
 * resolver knows; names that are known to lead inside are refused here already, for whoever asks without one.
 */
function judgeName(name: string): string | undefined {
  if (localNames.some((local) => isBelow(name, local))) return "is a name of this machine or of a local network";
  if (!name.includes(".")) return "is a single word, which only a local network can resolve";
  if (insideNames.some((inside) => isBelow(name, inside)))
    return "is known to lead to this machine or inside a network";
  if (!spellingServices.some((service) => isBelow(name, service))) return undefined;
  const inside = speltAddresses(name).flatMap((spelt) => classifyAddress(spelt) ?? []);
  const found = inside.find(({ kind }) => kind !== "public");
  return found === undefined ? undefined : `spells ${found.address}, ${found.what}`;
}

/** Reserved for machines and networks of one's own, by a standard or because they will never be delegated. */
const localNames = [
  "localhost localdomain localdomain4 localdomain6 local internal intranet private lan home home.arpa".split(" "),
  "corp domain workgroup router default svc cluster consul docker kubernetes".split(" "),
].flat();

/** Public names whose purpose is to lead inside: development aids, rebinding services, a cloud's metadata. */
const insideNames = [
  "localtest.me lvh.me vcap.me lacolhost.com fuf.me localdev.me local.gd localho.st localhost.direct".split(" "),
  "spoofed.burpcollaborator.net 1u.ms rbndr.us rebind.it".split(" "),
  "metadata.goog metadata.tencentyun.com metadata.packet.net metadata.platformequinix.com".split(" "),
].flat();

/** They answer with the address that stands in the name. */
const spellingServices = ["nip.io", "sslip.io", "xip.io", "traefik.me", "backname.io", "ip.addr.tools"];

/** Whatever in the name could be read as an address: which of several counts differs from service to service. */
function speltAddresses(name: string): string[] {
  const dotted = name.matchAll(/(?<=^|[.-])(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-])/g);
  const hex = name.matchAll(/(?<=^|[.-])([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?=\.)/g);
  const dashed = name.matchAll(/(?<=^|\.)[0-9a-f]*(?:-[0-9a-f]*){2,7}(?=\.)/g);
  return [
    ...Array.from(dotted, ([, ...bytes]) => bytes.map(Number).join(".")),
    ...Array.from(hex, ([, ...bytes]) => bytes.map((byte) => Number.parseInt(byte, 16)).join(".")),
    ...Array.from(dashed, ([groups]) => groups.replaceAll("-", ":")),
  ];
}

function isBelow(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}

const longest = 8192;
const noUserinfo = "has a user name or password before its host; take everything up to the @ away";

/**
 * What a URL parser repairs in silence and other programs read differently, so that the host a person sees may not be the one
 * that is reached. Undefined when there is nothing of it.
 */
function judgeSpelling(text: string): RefusedUrl | undefined {
  if (text === "") return refuseUrl("url.malformed", "is empty; expected something like https://example.com/page");
  if (text.length > longest) return refuseUrl("url.malformed", `is longer than ${longest} characters`);
  if (!text.isWellFormed()) return refuseUrl("url.malformed", "is not well-formed Unicode text");
  if (stray.test(text)) return refuseUrl("url.disguised", "has control characters in it or white space around it");
  const [, scheme, slashes = "", authority = ""] = /^([a-z][a-z0-9+.-]*):([/\\]*)([^/?#]*)/i.exec(text) ?? [];
  if (scheme === undefined) return refuseUrl("url.scheme", "has no scheme; it must begin with http:// or https://");
  if (!/^https?$/i.test(scheme)) {
    return refuseUrl("url.scheme", `has the scheme ${quote(scheme)}; only http and https may be fetched`);
  }
  if (slashes !== "//") return refuseUrl("url.disguised", `has ${quote(slashes)} after the scheme instead of "//"`);
  if (authority === "") return refuseUrl("url.malformed", "has no host");
  if (/^[^?#]*\\/.test(text)) return refuseUrl("url.disguised", "has a backslash, which programs read differently");
  if (authority.includes("@")) return refuseUrl("url.userinfo", noUserinfo);
  return judgeAuthority(authority);
}

function judgeAuthority(authority: string): RefusedUrl | undefined {
  if (authority.includes("%"))
    return refuseUrl("url.disguised", "has a percent sign in its host; write the host plainly");
  const characters = Array.from(authority);
  const isHidden = (character: string, index: number): boolean =>
    invisible.test(character) && !isJoined(character, characters[index - 1] ?? "", characters[index + 1] ?? "");
  if (characters.some(isHidden)) return refuseUrl("url.disguised", "has invisible characters or spaces in its host");
  const disguised = characters.find(standsForAscii);
  if (disguised === undefined) return undefined;
  return refuseUrl(
    "url.disguised",
    `has "${disguised}" in its host, which stands for "${disguised.normalize("NFKC")}"`,
  );
}

/** Look-alikes such as ① and ｌ. Letters of other scripts, accents and the ideographic full stop are what they seem. */
function standsForAscii(character: string): boolean {
  return character > "\u007f" && /^[a-z0-9./\\@:?#%]+$/i.test(character.normalize("NFKC"));
}

// oxlint-disable-next-line no-control-regex -- finding them is what this is for
const stray = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|^\s|\s$/;
const invisible = /[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
