import { isInsideWord } from "./is-inside-word.ts";
import { unwrapFrom } from "./joined-text.ts";
import type { Scan, SecretSpan, Trigger } from "./secret-span.ts";

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
