import type { Language } from "./interpreters.ts";

const withPatterns: ReadonlySet<Language> = new Set(["javascript", "mongo", "perl", "ruby", "awk"]);
const pairs: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]", "<": ">" };

/** Longer ones are taken for divisions; a search to the end for each slash would take the square of the length. */
const longest = 2000;

/** Where the regular expression that begins here ends, or null when none does. Its quotes would be taken for strings. */
export function findPatternEnd(language: Language, text: string, index: number): number | null {
  if (!withPatterns.has(language)) return null;
  const character = text[index]!;
  if (character === "/" && text[index + 1] !== "/" && text[index + 1] !== "*" && isOperandPosition(text, index))
    return skipPart(text, index + 1, "/");
  if (language !== "perl" || !/[smtyq]/.test(character) || /[A-Za-z0-9_$@%>&-]/.test(text[index - 1] ?? " "))
    return null;
  const operator = /^(?:s|m|y|tr|qr)(?=[^A-Za-z0-9_\s,;=)])/.exec(text.slice(index, index + 3))?.[0];
  if (operator === undefined) return null;
  const open = text[index + operator.length]!;
  const close = pairs[open] ?? open;
  const middle = skipPart(text, index + operator.length + 1, close);
  if (middle === null || operator === "m" || operator === "qr") return middle;
  return skipPart(text, close === open ? middle : middle + 1, close);
}

/** After an operator or at the beginning `/` opens a pattern, after a value it divides. */
function isOperandPosition(text: string, index: number): boolean {
  let before = index - 1;
  while (before >= 0 && text[before] === " ") before--;
  return (
    before < 0 ||
    /[(,=:[!&|?{};~\n>]/.test(text[before]!) ||
    /(?:^|[^A-Za-z0-9_$])(?:return|if|unless|and|or|not|split|grep|when|print)$/.test(
      text.slice(Math.max(0, before - 9), before + 1),
    )
  );
}

function skipPart(text: string, from: number, close: string): number | null {
  let index = from;
  const limit = Math.min(text.length, from + longest);
  while (index < limit && text[index] !== close) {
    if (text[index] === "\n") return null;
    index += text[index] === "\\" ? 2 : 1;
  }
  return index < limit ? index + 1 : null;
}
