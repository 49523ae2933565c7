import { looksVeryRandom } from "./judge-value.ts";
import { findKeyBefore, findKeyRest } from "./key-lines.ts";
import { isInsideWord } from "./read-value.ts";
import type { Scan, SecretSpan, Trigger } from "./trigger-index.ts";

/** Private keys: PEM blocks, also cut off, indented, quoted or with `\n` for line breaks; PuTTY; base64 of a whole file; JWK. */
export function privateKeyTriggers(): Trigger[] {
  return [
    { word: "PRIVATE KEY", anyCase: false, find: findBlock },
    { word: "Private-Lines:", anyCase: false, find: findPutty },
    { word: "LS0tLS1CRUdJTi", anyCase: false, find: findEncodedFile },
    { word: "b3BlbnNzaC1rZXktdjE", anyCase: false, find: findOpenSshBody },
    ...["MII", "MIG", "MHcCAQEE", "MHQCAQEE", "MC4CAQAw"].map((word) => ({ word, anyCase: false, find: findBareKey })),
    { word: "left out]", anyCase: false, find: findAfterGap },
    ...["d", "k"].map((name) => ({ word: `"${name}"`, anyCase: false, find: findJwk })),
  ];
}

const family = "private-key";
/** Where nothing says that no part is read twice. */
const maxBlock = 64 * 1024;

function findBlock(text: string, at: number, scan: Scan): SecretSpan | undefined {
  if (at < (scan.readTo.get(family) ?? 0)) return undefined;
  const before = /-{0,5} ?(BEGIN|END) (?:[A-Z0-9]+ ){0,3}$/.exec(text.slice(Math.max(0, at - 48), at));
  const after = /^PRIVATE KEY(?: BLOCK)? ?-{4,5}/.exec(text.slice(at, at + 24));
  if (!before || !after) return undefined;
  if (before[1] === "END") {
    const start = findKeyBefore(text, at - before[0].length, scan.readTo.get(family) ?? 0);
    const end = at + after[0].length;
    scan.readTo.set(family, end);
    return start === undefined ? undefined : { start, end, family };
  }
  const body = readBody(text, at + after[0].length, text.length);
  scan.readTo.set(family, body.end);
  return body.length < 16 ? undefined : { start: at - before[0].length, end: body.end, family };
}

function findPutty(text: string, at: number): SecretSpan | undefined {
  const count = /^Private-Lines: *\d+/.exec(text.slice(at, at + 32));
  if (!count) return undefined;
  const start = at + count[0].length;
  const body = readBody(text, start);
  return body.length < 16 ? undefined : { start: body.start, end: body.end, family };
}

/** The certificates of a kubeconfig begin in the same way and are public. */
function findEncodedFile(text: string, at: number): SecretSpan | undefined {
  const beginning = Buffer.from(text.slice(at, at + 88), "base64").toString("latin1");
  if (!beginning.includes("PRIVATE KEY")) return undefined;
  const body = readBody(text, at);
  return { start: at, end: Math.max(body.end, at + 16), family };
}

function findOpenSshBody(text: string, at: number): SecretSpan | undefined {
  const body = readBody(text, at);
  return body.length < 40 ? undefined : { start: at, end: body.end, family };
}

/** Without armour, told by what its first bytes say: a sequence of a version number and what only private keys have behind one. */
function findBareKey(text: string, at: number, scan: Scan): SecretSpan | undefined {
  if (at < (scan.readTo.get("bare-key") ?? 0) || isInsideWord(text, at, { ends: scan.ends, wordCharacter: base64 }))
    return undefined;
  const bytes = Buffer.from(text.slice(at, at + 24), "base64");
  const version = bytes[1]! < 0x80 ? 2 : 2 + (bytes[1]! & 0x7f);
  const [type, length, number, next] = bytes.subarray(version, version + 4);
  if (type !== 2 || length !== 1) return undefined;
  if (!(number === 0 && (next === 0x02 || next === 0x30)) && !(number === 1 && next === 0x04)) return undefined;
  // Its lines may be joined by anything.
  const end = Math.max(readBody(text, at).end, at + /^[A-Za-z0-9+/=]*/.exec(text.slice(at, at + maxBlock))![0].length);
  scan.readTo.set("bare-key", end);
  return end - at < 40 ? undefined : { start: at, end, family };
}

/** Behind our own note that a part of an output is not there. */
function findAfterGap(text: string, at: number): SecretSpan | undefined {
  const note = /^left out\](?: …)?\r?\n/.exec(text.slice(at, at + 16));
  const rest = note && findKeyRest(text, at + note[0].length);
  return rest ? { ...rest, family } : undefined;
}

function findJwk(text: string, at: number): SecretSpan | undefined {
  const found = /^"[dk]"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{40,1024})"/.exec(text.slice(at, at + 1100));
  if (!found) return undefined;
  const end = at + found[0].length - 1;
  return looksVeryRandom(found[1]!) ? { start: end - found[1]!.length, end, family } : undefined;
}

const base64 = /[A-Za-z0-9+/]/;
// What may stand between two lines: breaks, also escaped; quotes, signs and numbers that a program puts in front.
const between = /(?:\s|\\+[nrt]|["'`,+|>#*;]|(?<=\n)[ \t]*(?:\d{1,5}[:\t|→ ]|-(?!-)))*/y;
const chunk = /[A-Za-z0-9+/=_.…-]{1,4096}/y;
const armourHeader = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|X-[\w-]{1,20}) ?:[^\n\\]{0,200}/y;
const armourEnd = /-{4,5} ?END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;

interface Body {
  readonly start: number;
  readonly end: number;
  /** Of the key itself. */
  readonly length: number;
}

/** Reads on as long as it can be a key; up to and with the end of its armour, if that comes. */
function readBody(text: string, from: number, maxLength = maxBlock): Body {
  const limit = Math.min(text.length, from + maxLength);
  let [at, start, end, length] = [from, from, from, 0];
  while (at < limit) {
    const next = skip(between, text, at);
    const closed = skip(armourEnd, text, next);
    if (closed > next) return { start, end: closed, length };
    const header = skip(armourHeader, text, next);
    const after = header > next ? header : skip(chunk, text, next);
    if (after === next || (header === next && !isKeyPart(text, next, after))) break;
    if (header === next) length += after - next;
    if (end === from) start = next;
    at = end = after;
  }
  return { start, end, length };
}

/** A line of a key is long; a short one is its last, so nothing of the kind follows. */
function isKeyPart(text: string, start: number, end: number): boolean {
  const part = text.slice(start, end);
  if (!/^[A-Za-z0-9+/=]+$/.test(part)) return false;
  if (part.length >= 20 && !/^[a-z]+$/.test(part)) return true;
  if (part.endsWith("=") || (end === text.length && /\d|[+/]|[a-z][A-Z]/.test(part))) return true;
  const next = skip(between, text, end);
  return skip(armourEnd, text, next) > next;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
