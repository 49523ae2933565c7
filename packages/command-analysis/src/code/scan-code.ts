import type { Language } from "./interpreters.ts";
import { findPatternEnd } from "./find-pattern-end.ts";

/** Program text with its string literals taken out, so that what a text only talks about is not taken for what it does. */
export interface ScannedCode {
  /** Each literal stands as `"n"`, the index into `strings`; comments are gone. */
  readonly code: string;
  /** Escapes are decoded and constant joins made: `'child_' + 'process'` is one. */
  readonly strings: readonly string[];
  /** Which of them are run as commands: backticks of perl, ruby and php. */
  readonly commands: readonly number[];
}

const lineComments: Partial<Record<Language, readonly string[]>> = {
  python: ["#"],
  perl: [],
  ruby: [],
  php: ["//"],
  javascript: ["//"],
  mongo: ["//"],
  lua: ["--"],
  awk: ["#"],
  applescript: ["--"],
  other: [],
};

export function scanCode(language: Language, text: string): ScannedCode {
  const strings: string[] = [];
  const commands: number[] = [];
  const parts: string[] = [];
  const comments = lineComments[language] ?? [];
  // A quote that is not closed once is not closed later either; looking again and again would take the square of the length.
  const dead = new Set<string>();
  let plain = 0;
  let index = 0;
  const flush = (end: number): void => {
    if (end > plain) parts.push(text.slice(plain, end));
  };
  while (index < text.length) {
    const character = text[index]!;
    const comment = comments.find((marker) => text.startsWith(marker, index) && isCommentStart(text, index));
    if (comment !== undefined) {
      flush(index);
      const end = text.indexOf("\n", index);
      index = end < 0 ? text.length : end;
      plain = index;
    } else if (text.startsWith("/*", index) && /^(?:javascript|mongo|php)$/.test(language)) {
      flush(index);
      const end = text.indexOf("*/", index + 2);
      index = end < 0 ? text.length : end + 2;
      plain = index;
    } else if (character === "'" || character === '"' || character === "`") {
      const literal = dead.has(character) ? null : readLiteral(text, index, language);
      if (literal === null) {
        dead.add(character);
        index++;
        continue;
      }
      flush(index);
      addString({ strings, parts, language }, literal.value);
      if (character === "`" && language !== "javascript" && language !== "mongo" && language !== "lua")
        commands.push(strings.length - 1);
      // What a template computes is code again.
      for (const inner of literal.embedded) parts.push(` (${inner}) `);
      index = literal.end;
      plain = index;
    } else {
      const end = findPatternEnd(language, text, index);
      if (end === null) {
        index++;
        continue;
      }
      // The second half of a substitution may be code; quotes in a pattern are none.
      flush(index);
      parts.push(text.slice(index, end).replace(/["'`]/g, " "));
      index = end;
      plain = index;
    }
  }
  flush(text.length);
  const code = parts.join("");
  return { code: language === "python" ? resolveAliases(code) : code, strings, commands };
}

/** `import subprocess as s` and `from os import system as run`: the names that tables know stand again where they are used. */
function resolveAliases(code: string): string {
  let resolved = code;
  const aliases = [...code.matchAll(/\b([A-Za-z_]\w*)\s+as\s+([A-Za-z_]\w*)/g)].slice(0, 16);
  for (const [, name, alias] of aliases) resolved = resolved.replace(new RegExp(`\\b${alias!}\\b`, "g"), name!);
  return resolved;
}

/** `http://` in JavaScript outside a string is a label at most; in a regular expression it is not a comment. */
function isCommentStart(text: string, index: number): boolean {
  return index === 0 || !/[\\:]/.test(text[index - 1]!);
}

interface Literal {
  readonly value: string;
  readonly end: number;
  readonly embedded: readonly string[];
}

/** Null when it never ends: then the quote was none. */
function readLiteral(text: string, start: number, language: Language): Literal | null {
  const quote = text[start]!;
  const triple = quote.repeat(3);
  const marker = language === "python" && text.startsWith(triple, start) ? triple : quote;
  const from = start + marker.length;
  let end = from;
  while (end < text.length && !text.startsWith(marker, end)) end += text[end] === "\\" ? 2 : 1;
  if (end >= text.length) return null;
  const raw = text.slice(from, end);
  const opener =
    quote === "`" && (language === "javascript" || language === "mongo")
      ? "${"
      : quote === '"' && language === "ruby"
        ? "#{"
        : null;
  return {
    value: decodeEscapes(raw),
    end: end + marker.length,
    embedded: opener === null ? [] : findEmbedded(raw, opener),
  };
}

function findEmbedded(raw: string, opener: string): string[] {
  const found: string[] = [];
  let from = raw.indexOf(opener);
  while (from >= 0) {
    const end = raw.indexOf("}", from);
    found.push(raw.slice(from + opener.length, end < 0 ? raw.length : end));
    from = end < 0 ? -1 : raw.indexOf(opener, end);
  }
  return found;
}

function decodeEscapes(raw: string): string {
  if (!raw.includes("\\")) return raw;
  const escape = /\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|[0-7]{2,3}|.)/gs;
  return raw.replace(escape, (found) => {
    const body = found.slice(1);
    if (/^[xu]./.test(body)) return fromCode(Number.parseInt(body.replace(/[xu{}]/g, ""), 16));
    if (/^[0-7]{2,3}$/.test(body)) return fromCode(Number.parseInt(body, 8));
    return body === "n" ? "\n" : body === "t" ? "\t" : body;
  });
}

function fromCode(code: number): string {
  return code > 0x10ffff ? "" : String.fromCodePoint(code);
}

/** Joins with the literal before it when only a joining operator stands between them. */
function addString(target: { strings: string[]; parts: string[]; language: Language }, value: string): void {
  const { strings, parts, language } = target;
  const before = parts.at(-1);
  const previous = parts.at(-2);
  const joiner = /^(?:perl|php)$/.test(language) ? "." : language === "lua" ? ".." : "+";
  if (before !== undefined && previous === `"${strings.length - 1}"` && before.trim() === joiner) {
    strings[strings.length - 1] += value;
    parts.pop();
    return;
  }
  // Python, awk and ruby also join literals that stand side by side.
  if (before === `"${strings.length - 1}"` && (language === "python" || language === "awk")) {
    strings[strings.length - 1] += value;
    return;
  }
  strings.push(value);
  parts.push(`"${strings.length - 1}"`);
}
