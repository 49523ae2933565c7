import type { Scan } from "./secret-span.ts";

/** The value behind a key, without its quotes. */
export interface ReadValue {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

const maxQuoted = 4096;
const maxPlain = 512;
const maxRest = 8192;

/** The value that begins here; in quotes, or up to what ends a word in the surroundings of a query, a list, a call or a string. */
export function readValue(text: string, at: number, scan: Scan): ReadValue | undefined {
  const opening = /^(?:[bBrRuUfF@$]{1,2}(?=["']))?(\\+["']|["'`]{3}|["'`])/.exec(text.slice(at, at + 8));
  if (!opening) return readPlain(text, at, scan);
  const start = at + opening[0].length;
  const end = findClosing(text, start, opening[1]!);
  // Cut off in the middle of a string: what there is of it.
  return end === undefined ? readPlain(text, start, scan) : { start, end, isQuoted: true };
}

function findClosing(text: string, start: number, quote: string): number | undefined {
  const limit = Math.min(text.length, start + maxQuoted);
  for (let i = start; i < limit; i++) {
    const character = text[i]!;
    if (character === "\n") return undefined;
    if (text.startsWith(quote, i)) return i;
    if (character === "\\") i += 1;
  }
  return undefined;
}

function readPlain(text: string, start: number, scan: Scan): ReadValue | undefined {
  const { plain } = scan;
  // A key inside the value of another one: what was read then is not read again.
  const isInside = plain.start < start && start < plain.end;
  const limit = Math.min(text.length, start + maxPlain);
  let end = isInside ? plain.end : start;
  let isOver = isInside && plain.isOver;
  while (!isOver && end < limit) {
    isOver = isEnd(text, start, end);
    if (!isOver) end += 1;
  }
  scan.plain = { start: isInside ? plain.start : start, end, isOver };
  while (end > start && /[.,;:]/.test(text[end - 1]!)) end -= 1;
  return end > start ? { start, end, isQuoted: false } : undefined;
}

/** The value up to what ends it, for places where nothing else does. */
export function readUpTo(text: string, start: number, end: RegExp): ReadValue | undefined {
  const rest = text.slice(start, start + maxPlain);
  const length = end.exec(rest)?.index ?? rest.length;
  return length > 0 ? { start, end: start + length, isQuoted: false } : undefined;
}

/** A value that is longer than any word goes up to the next space, whatever it is. */
export function extendValue(text: string, { start, end, isQuoted }: ReadValue): number {
  if (isQuoted || end < start + maxPlain) return end;
  const rest = /^[^\s"'`<>]*/.exec(text.slice(end, start + maxRest));
  return end + (rest?.[0].length ?? 0);
}

function isEnd(text: string, start: number, at: number): boolean {
  switch (text[at]) {
    case " ":
    case "\t":
    case "\n":
    case "\r":
    case '"':
    case "'":
    case "`":
    case "\0":
    case "\u001b":
      return true;
    case "<":
      return at > start && /^<(?:\/|[A-Za-z!])/.test(text.slice(at, at + 2));
    case ">":
      return text[start - 1] === "<" || text[at + 1] === undefined || /[\s<]/.test(text[at + 1]!);
    case "\\":
      return /^\\+(?:[nrt"'`]|u00)/.test(text.slice(at, at + 6));
    case "&":
      return /^&(?:amp;)?(?:[A-Za-z_][\w.[\]%-]{0,60}=|$|\s)/.test(text.slice(at, at + 66));
    case "#":
      return false;
    case ",":
      return /^,(?:\s|$|["'`]|[A-Za-z_][\w.-]{0,60}[=:])/.test(text.slice(at, at + 64));
    case ";":
      return /^;(?:\s|$|["'`]|[A-Za-z_][\w. -]{0,60}=)/.test(text.slice(at, at + 64));
    case ")":
    case "]":
    case "}":
      return closesOuter(text, start, at);
    case "|":
      return /\s/.test(text[at + 1] ?? " ");
    default:
      return false;
  }
}

/** A bracket ends the value when it closes one that was open before it, and nothing but more of that kind follows. */
function closesOuter(text: string, start: number, at: number): boolean {
  if (!/^[)\]}]+(?:$|[\s,;:"'`|<.]|\\)/.test(text.slice(at, at + 8))) return false;
  const open = { ")": "(", "]": "[", "}": "{" }[text[at]!]!;
  return !text.slice(start, at).includes(open);
}
