import { isPlaceholder, isReference, looksRandom } from "./judge-value.ts";
import type { Scan, SecretSpan, Trigger } from "./trigger-index.ts";

/** The password in `scheme://user:password@host`, a token that stands there for a user, and signatures in a query. */
export function urlTriggers(): Trigger[] {
  return [
    { word: "://", anyCase: false, find: findUserinfo },
    ...["?", "&", ";", "%26", "%3F"].flatMap((before) =>
      ["sig", "Signature", "code"].map((name) => ({ word: `${before}${name}=`, anyCase: false, find: findSignature })),
    ),
  ];
}

const maxUrl = 2048;
/** Shorter ones are `a:b@` of somebody who explains how links are made. */
const leastLength = 4;

function findUserinfo(text: string, at: number, scan: Scan): SecretSpan | undefined {
  if (!/[A-Za-z0-9]/.test(text[at - 1] ?? "")) return undefined;
  const start = at + 3;
  const end = findUserinfoEnd(text, start, scan);
  if (end === undefined) return undefined;
  const userinfo = text.slice(start, end);
  const colon = userinfo.indexOf(":");
  if (colon < 0) return isSecretUser(userinfo) ? { start, end, family: "url-token" } : undefined;
  const password = userinfo.slice(colon + 1);
  if (password === "" || password === "x-oauth-basic") {
    return isSecretUser(userinfo.slice(0, colon)) ? { start, end: start + colon, family: "url-token" } : undefined;
  }
  if (password.length < leastLength || isExample(password) || isReference(password)) return undefined;
  return { start: start + colon + 1, end, family: "url-password" };
}

/**
 * The last `@` before the host. Passwords hold what a URL should have encoded: a `#` or `?` belongs to one when an `@` comes
 * behind it and before any slash; a slash, when what is before it is no host with a port.
 */
function findUserinfoEnd(text: string, start: number, scan: Scan): number | undefined {
  if (start < (scan.readTo.get("url") ?? 0)) return undefined;
  let [end, slash] = [start, -1];
  for (; end < text.length && end < start + maxUrl; end++) {
    const character = text[end]!;
    if (/[\s"'`<>|\\]/.test(character) || text.startsWith("://", end)) break;
    if (slash < 0 && character === "/") slash = end;
  }
  scan.readTo.set("url", end);
  const authority = text.slice(start, slash < 0 ? end : slash);
  const plain = /^[^?#]*@[\w-]+\.[\w.-]+(?::\d+)?(?=[?#])/.exec(authority)?.[0] ?? authority;
  if (plain.includes("@")) return start + plain.lastIndexOf("@");
  const last = text.slice(start, end).lastIndexOf("@");
  const isHostAndPort = /:\d{0,5}$/.test(authority) || !authority.includes(":");
  return last < 0 || isHostAndPort || !/[A-Za-z0-9[]/.test(text[start + last + 1] ?? "") ? undefined : start + last;
}

function isSecretUser(user: string): boolean {
  return user.length >= 16 && looksRandom(user) && !isPlaceholder(user) && !isReference(user);
}

function isExample(password: string): boolean {
  return (
    /^(?:pass|pwd|pw|passwd|password|user|username|xxx+|\*+|\.+|…)$/i.test(password) ||
    (password.length >= 8 && isPlaceholder(password))
  );
}

function findSignature(text: string, at: number): SecretSpan | undefined {
  const found = /^[^=]+=([A-Za-z0-9%+/=_~-]{20,600})/.exec(text.slice(at, at + 640));
  if (!found || isPlaceholder(found[1]!) || !looksRandom(found[1]!)) return undefined;
  const end = at + found[0].length;
  return { start: end - found[1]!.length, end, family: "signature" };
}
