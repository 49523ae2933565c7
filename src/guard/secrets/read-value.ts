import type { Scan, SecretSpan } from "./trigger-index.ts";

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

/**
 * Whether what begins here only goes on with a word. What is written for another character (`\n`, `%20`, `=3D`), what colours
 * a text, and a secret that ends here are no word.
 */
export function isInsideWord(text: string, at: number, { ends, wordCharacter = /[A-Za-z0-9]/ }: Bounds): boolean {
  if (at === 0 || !wordCharacter.test(text[at - 1]!)) return false;
  return !ends.has(at) && !writtenOut.test(text.slice(Math.max(0, at - longestWrittenOut), at));
}

interface Bounds extends Pick<Scan, "ends"> {
  /** What words are made of. */
  readonly wordCharacter?: RegExp;
}

const longestWrittenOut = 40;
const escapes = String.raw`\\(?:[abefnrtv]|x[0-9a-fA-F]{2}|0?[0-7]{3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
// The sequences that programs put around words to colour them, as they are, as `cat -v` shows them, and as sources say them.
const escapeCharacter = String.raw`(?:\u001b|\^\[|\\(?:e|x1[bB]|0?33|u001[bB]|u\{1[bB]\}))`;
const colour = String.raw`${escapeCharacter}\[[0-9;:]{0,24}[A-Za-z]`;
// Mail says `=` as `=3D`, always in capitals: `x=desk-…` is a word.
const writtenOut = new RegExp(`(?:${escapes}|%[0-9a-fA-F]{2}|=[0-9A-F]{2}|${colour})$`);

const operators = ";&|<>()`";

/**
 * Ends what begins outside quotes at the first operator of the shell: behind one is another command, and who approves must
 * see it. Where lines disagree about what is quoted, because of a comment or a here-document, nothing counts as quoted.
 */
export function cutAtOperators(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (!spans.some(({ start, end }) => /[;&|<>()`]/.test(text.slice(start, end)))) return spans;
  const places = [...new Set([...findOperators(text, "text"), ...findOperators(text, "line")])].sort((a, b) => a - b);
  let next = 0;
  return spans.flatMap((span) => {
    while (next < places.length && places[next]! < span.start) next += 1;
    if (span.value !== undefined || span.family === "private-key") return [span];
    const end = Math.min(span.end, places[next] ?? span.end);
    return end === span.start ? [] : [{ ...span, end }];
  });
}

/** The same in any text, where such a sign may as well be a part of a password: only when a command follows it. */
export function endBeforeCommand(text: string, value: ReadValue): ReadValue {
  if (value.isQuoted) return value;
  for (let at = value.start + 1; at < value.end; at++) {
    if (!operators.includes(text[at]!) || text[at - 1] === "\\") continue;
    if (beforeCommand.test(text.slice(at, at + 80))) return { ...value, end: at };
  }
  return value;
}

const beforeCommand =
  /^(?!&(?:amp|lt|gt|quot|#\d{1,5});)(?:[;&|]{1,2}|[<>]{1,3}&?|[()`]{1,2})[ \t]*(?:[./~$]|[a-z_][a-z_.-]{0,40}\d{0,2}(?:$|[\s;&|<>()"'`\\]))/;

/** Where operators stand outside quotes; quotes reach over the whole text, or not beyond a line. */
function findOperators(text: string, reach: "text" | "line"): number[] {
  const places: number[] = [];
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "\n" && reach === "line") quote = "";
    else if (quote !== "") {
      if (sign === "\\" && quote === '"') at += 1;
      else if (sign === quote) quote = "";
    } else if (sign === "\\") at += 1;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (operators.includes(sign)) places.push(at);
  }
  return places;
}
