import { looksVeryRandom } from "./judge-value.ts";

/** A part of a private key whose beginning is missing: in a tail, after a gap, or when somebody showed the last lines only. */
export interface KeyRest {
  readonly start: number;
  readonly end: number;
}

const leastLine = 20;
/** Lines of a block are as long as each other; programs make them of 64, 70 or 76 characters. */
const leastFullLine = 48;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a word can be a line of a key: base64 of nothing readable. */
function isKeyLine(line: string): boolean {
  return (
    line.length >= leastLine &&
    line.length <= 4096 &&
    base64.test(line) &&
    /[a-z]/.test(line) &&
    /[A-Z]/.test(line) &&
    /[0-9+/]/.test(line)
  );
}

/** What goes on before the end of a block: the lines above it, back to the first that can't be of a key. */
export function findKeyBefore(text: string, end: number, least: number): number | undefined {
  let [at, start, short, isSure] = [skipLineNumber(text, end), end, 0, false];
  for (;;) {
    const wordEnd = skipBack(text, at, least);
    const wordStart = wordStartOf(text, wordEnd, least);
    if (wordStart === wordEnd) break;
    const word = text.slice(wordStart, wordEnd);
    // Above the armour's end are the last line, which may be of any length, and with PGP a checksum.
    if (isKeyLine(word)) isSure = true;
    else if (isSure || (short += 1) > 2) break;
    else if (word.endsWith("=") && looksVeryRandom(word)) isSure = true;
    [at, start] = [skipLineNumber(text, wordStart), wordStart];
  }
  return isSure ? start : undefined;
}

/**
 * What may be the rest of a key where a text goes on after something that is not there: its first line, perhaps not whole,
 * and the lines below it, down to the first that can't be of a key.
 */
export function findKeyRest(text: string, from: number): KeyRest | undefined {
  const cut = readLine(text, from);
  // The cut may have gone through the first line of the armour.
  const first = /^[A-Z ]{0,40}-{1,5}$/.test(cut.word) ? readLine(text, cut.next) : cut;
  if (!base64.test(first.word)) return undefined;
  let [end, full, isSure] = [first.end, 0, isKeyLine(first.word) && looksVeryRandom(first.word)];
  for (let line = readLine(text, first.next); line.next > line.lineStart; line = readLine(text, line.next)) {
    const { word } = line;
    if (/^-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY/.test(word)) return { start: first.start, end: line.end };
    if (full === 0 ? isFirstFullLine(word, first.word) : word.length === full && base64.test(word)) {
      [full, isSure, end] = [word.length, true, line.end];
      continue;
    }
    // The last line is shorter.
    const isLast = isSure && (isKeyLine(word) || /^[A-Za-z0-9+/]{1,76}={1,2}$/.test(word));
    if (isLast) end = line.end;
    break;
  }
  return isSure ? { start: first.start, end } : undefined;
}

/** A path may be long and of the same letters, but is made of words. */
function isFirstFullLine(word: string, before: string): boolean {
  return word.length >= Math.max(leastFullLine, before.length) && isKeyLine(word) && looksVeryRandom(word);
}

/** Where lines begin that the rest of the text may show to be of a key; a stream waits with them. */
export function findOpenKeyLines(text: string, from: number, to: number): number {
  const least = Math.max(from, to - maxHeldLines - 4096);
  let [start, lineStart, short] = [to, to, 0];
  while (lineStart > least) {
    const before = Math.max(least, lineStart < 2 ? 0 : text.lastIndexOf("\n", lineStart - 2) + 1);
    const word = trimSigns(text.slice(before, lineStart));
    const isShort = start === to && short < 2 && /^=?[A-Za-z0-9+/]{1,76}={0,2}$/.test(word);
    if (lastWordIsKeyLine(word)) start = before;
    else if (isShort) short += 1;
    else break;
    lineStart = before;
  }
  return start;
}

/** A key may be a part of the line only, as in a string of a program. */
function lastWordIsKeyLine(line: string): boolean {
  if (base64.test(line)) return isKeyLine(line);
  const wordStart = wordStartOf(line, line.length, Math.max(0, line.length - 4096));
  return isKeyLine(line.slice(wordStart));
}

/** In characters: more than any usual key has. */
export const maxHeldLines = 16 * 1024;

interface Line {
  readonly lineStart: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
  readonly word: string;
}

function readLine(text: string, lineStart: number): Line {
  const lineBreak = text.indexOf("\n", lineStart);
  const lineEnd = lineBreak < 0 ? text.length : lineBreak;
  const line = text.slice(lineStart, lineEnd);
  const start = lineStart + (line.length - line.replace(/^[\s"'`>|]+/, "").length);
  const word = trimSigns(line);
  return { lineStart, start, end: start + word.length, next: Math.min(text.length, lineEnd + 1), word };
}

function trimSigns(line: string): string {
  const inner = line.replace(/^[\s"'`>|]+/, "");
  return inner.slice(0, skipBack(inner, inner.length, 0));
}

/** What `grep -n`, `cat -n` and others put before a line. */
function skipLineNumber(text: string, at: number): number {
  return at - (/(?:^|\n)([ \t]*\d{1,5}[-:\t|→ ])$/.exec(text.slice(Math.max(0, at - 16), at))?.[1]?.length ?? 0);
}

function skipBack(text: string, from: number, limit: number): number {
  let at = from;
  while (at > limit) {
    if (/[\s"'`,|>#*;\\]/.test(text[at - 1]!)) at -= 1;
    else if (at - 1 > limit && text[at - 2] === "\\" && /[nrt]/.test(text[at - 1]!)) at -= 2;
    else break;
  }
  return at;
}

function wordStartOf(text: string, end: number, limit: number): number {
  let start = end;
  while (start > limit && /[A-Za-z0-9+/=]/.test(text[start - 1]!)) start -= 1;
  // The `n` of an escaped line break.
  return start > 0 && start < end && text[start - 1] === "\\" && /[nrt]/.test(text[start]!) ? start + 1 : start;
}
