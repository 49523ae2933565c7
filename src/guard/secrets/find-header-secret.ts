import { unwrapFrom } from "./joined-text.ts";
import { isCall, isExpression, isPlaceholder, isReference, isWordy, looksRandom } from "./judge-value.ts";
import { isInsideWord } from "./read-value.ts";
import type { Scan, SecretSpan, Trigger } from "./trigger-index.ts";

/** Credentials in the headers of a request, also in the arguments and strings that make one. */
export function headerTriggers(): Trigger[] {
  return [
    { word: "authorization", anyCase: true, find: findAuthorization },
    { word: "bearer", anyCase: true, find: findBearer },
    { word: "basic ", anyCase: true, find: findBasic },
    { word: "cookie", anyCase: true, find: findCookies },
  ];
}

const family = "header";
const gap = "(?:[ \\t]{1,4}|%20|\\+)";
const joint = `(?:\\\\*["'\`\\])])?[ \\t]{0,8}(?:=>|[:=,]|%3A)${gap}?(?:\\\\*["'\`])?`;
const withScheme = new RegExp(
  `^(?:proxy-)?authorization${joint}([A-Za-z][A-Za-z0-9_-]{1,30})${gap}["']?([^\\s"'\`<>\\\\,;)\\]}]{6,8192})`,
  "i",
);
const withoutScheme = new RegExp(`^authorization${joint}([^\\s"'\`<>\\\\,;)\\]}]{12,8192})`, "i");
const schemes =
  /^(?:bearer|basic|token|api-?key|key|bot|ssws|splunk|geniekey|negotiate|ntlm|dpop|oauth|apikey|jwt|privatekey|klaviyo-api-key|discogs|digest)$/i;

function findAuthorization(text: string, at: number, scan: Scan): readonly SecretSpan[] | undefined {
  if (at < (scan.readTo.get(family) ?? 0)) return undefined;
  const rest = text.slice(at, at + 8400);
  const line = rest.includes("\n") ? rest.slice(0, rest.indexOf("\n")) : rest;
  if (/aws4-hmac|digest|oauth|signature/i.test(line.slice(0, 64))) return findParameters(line, at);
  const found = withScheme.exec(line);
  if (found) {
    scan.readTo.set(family, at + found[0].length);
    const [whole, scheme = "", credentials = ""] = found;
    const parameter = /^(?:token|key)=["']?/i.exec(credentials)?.[0] ?? "";
    const value = credentials.slice(parameter.length);
    if (isCredential(value, schemes.test(scheme) && isLast(line, whole.length)))
      return [{ start: at + whole.length - value.length, end: at + whole.length, family }];
    return undefined;
  }
  const single = withoutScheme.exec(line);
  if (single) scan.readTo.set(family, at + single[0].length);
  return single && isCredential(single[1]!, false)
    ? [{ start: at + single[0].length - single[1]!.length, end: at + single[0].length, family }]
    : undefined;
}

function findParameters(line: string, at: number): SecretSpan[] {
  return [
    ...line.matchAll(/\b(?:signature|response|oauth_signature|oauth_token|nonce)=["']?([A-Za-z0-9%+/=_-]{16,1024})/gi),
  ].map((found) => {
    const end = at + found.index + found[0].length;
    return { start: end - found[1]!.length, end, family: "signature" };
  });
}

function findBearer(text: string, at: number): SecretSpan | undefined {
  const found = /^bearer(?:[ \t]{1,4}|%20|\+)["']?([A-Za-z0-9._~+/=-]{8,8192})/i.exec(text.slice(at, at + 8200));
  if (!found || !isCredential(found[1]!, false)) return undefined;
  return { start: at + found[0].length - found[1]!.length, end: at + found[0].length, family };
}

function findBasic(text: string, at: number): SecretSpan | undefined {
  const found = /^basic {1,4}([A-Za-z0-9+/_-]{8,2048}={0,2})/i.exec(text.slice(at, at + 2100));
  if (!found || !/^[\x21-\x7e]{0,256}:[\x20-\x7e]{1,1024}$/.test(Buffer.from(found[1]!, "base64").toString("latin1")))
    return undefined;
  return { start: at + found[0].length - found[1]!.length, end: at + found[0].length, family };
}

function isCredential(value: string, isSure: boolean): boolean {
  const head = value.slice(0, 256);
  if (
    isReference(head) ||
    isPlaceholder(head) ||
    isCall(head) ||
    isExpression(head) ||
    /^(?:token|authentication|authorization|credentials?|required)/i.test(head)
  )
    return false;
  return (
    looksRandom(head) ||
    (isSure && !/^[A-Za-z]{1,11}$/.test(head) && !/[-_.](?:token|key)$/i.test(head)) ||
    (isSure && !isWordy(head))
  );
}

function isLast(line: string, end: number): boolean {
  return /^["'\\`]*[\s,;)\]}]*(?:$|["'\\`])/.test(line.slice(end, end + 12));
}

const attributes = /^(?:path|expires|max-age|domain|samesite|secure|httponly|priority|partitioned|version|comment)$/i;
const sessionName = /sess|sid|auth|token|jwt|csrf|xsrf|secret|login|remember|credential|^id$|_id$/i;

/** Every value that looks random, and any longer one of a cookie that is named after a session. */
function findCookies(text: string, at: number, scan: Scan): readonly SecretSpan[] | undefined {
  if (at < (scan.readTo.get("cookie") ?? 0)) return undefined;
  const opening = /^cookie(?:\\*["'`\])])?[ \t]{0,8}(?:=>|[:=,])[ \t]{0,8}(?:\\*["'`])?/i.exec(text.slice(at, at + 32));
  if (!opening) return undefined;
  const start = at + opening[0].length;
  const line = /^[^\n\r"'`]{0,8192}/.exec(text.slice(start, start + 8192))![0];
  scan.readTo.set("cookie", start + line.length);
  return [...line.matchAll(/([^\s=;,]{1,128})=([^\s;,\\]{8,4096})/g)].flatMap((found) => {
    const [whole, name = "", value = ""] = found;
    if (attributes.test(name) || isReference(value) || isPlaceholder(value)) return [];
    if (!looksRandom(value) && !sessionName.test(name)) return [];
    const end = start + found.index + whole.length;
    return [{ start: end - value.length, end, family: "cookie" }];
  });
}

export function webTokenTriggers(): Trigger[] {
  return [{ word: "eyJ", anyCase: false, find: findWebToken }];
}

const token =
  /eyJ[A-Za-z0-9_-]{8,4096}\.([A-Za-z0-9_-]{4,16384})(?:\.[A-Za-z0-9_-]{0,4096}(?:\.[A-Za-z0-9_-]{1,4096}){0,2})?/y;

/** A JSON Web Token: its first part is JSON that names an algorithm. */
function findWebToken(text: string, at: number, scan: Scan): SecretSpan | undefined {
  if (isInsideWord(text, at, scan)) return undefined;
  const joined = unwrapFrom(text, at, scan);
  const read = joined && isLonger(joined.text, text, at) ? joined : null;
  token.lastIndex = read ? 0 : at;
  const found = token.exec(read ? read.text : text);
  if (!found) return undefined;
  const isWhole = found[0].split(".").length > 2 || found[1]!.startsWith("eyJ");
  if (!isWhole || !isHeader(found[0].slice(0, found[0].indexOf(".")))) return undefined;
  if (read) return { start: at, end: read.endOf(found[0].length), family: "jwt", value: found[0] };
  return { start: at, end: at + found[0].length, family: "jwt" };
}

/** It is whole only with the lines that follow. */
function isLonger(joined: string, text: string, at: number): boolean {
  token.lastIndex = 0;
  const whole = token.exec(joined)?.[0] ?? "";
  token.lastIndex = at;
  const here = token.exec(text)?.[0] ?? "";
  if (whole.length <= here.length) return false;
  const parts = here.split(".");
  // A signature that is there already may be followed by any word.
  return parts.length < 3 || (parts[2]!.length < 40 && /\d/.test(whole.slice(here.length)));
}

function isHeader(encoded: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    return typeof header === "object" && header !== null && ["alg", "enc", "typ", "kid"].some((key) => key in header);
  } catch {
    return false;
  }
}
