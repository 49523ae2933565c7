import type { ValueSetting } from "./judge-value.ts";
import type { KeyJoin } from "./key-join.ts";
import type { ReadValue } from "./read-value.ts";

/** A key and what may be its value. */
export interface KeyedValue {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly keyJoin: KeyJoin;
  readonly value: ReadValue;
}

/** In what surroundings a value stands; nothing when it can't be one. */
export function settleValue(text: string, { keyStart, keyEnd, keyJoin, value }: KeyedValue): ValueSetting | undefined {
  const { join, sign, end, isEncoded } = keyJoin;
  const { isQuoted } = value;
  const before = text.slice(Math.max(0, keyStart - 48), keyStart).replaceAll(colour, "");
  const name = text.slice(keyStart, keyEnd);
  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const startsLine =
    /^[\s#;/-]*(?:export |set |- )?["']?$/.test(lineBefore) && (before.length < 48 || before.includes("\n"));
  const endsLine = /^["']?[ \t]*(?:\r?\n|$|#| \\)/.test(text.slice(value.end, value.end + 8));
  const hasOwnLine = startsLine && endsLine;
  const literal = { isQuoted, hasOwnLine, isLiteral: true, isSetting: true, isLoose: false };
  const loose = { ...literal, isLiteral: false, isLoose: true };
  const isShouted = /^[A-Z][A-Z\d_]*$/.test(name);
  const isOption = /^--?\w/.test(name) && /(?:^|[\s"'=([])$/.test(before);
  switch (join) {
    case "below":
      // Without a sign it is a heading, which has its line for itself.
      if (sign === "" && !/^[\s#*_>`"'-]*$/.test(lineBefore)) return undefined;
      return { ...literal, isLiteral: false, isBelow: true };
    case "assign": {
      // Before an arrow is a parameter or a key; no parameter has a word of its own before the word for a secret.
      if (sign === "=>" && !isQuoted && !/[a-z][_-][a-z]/.test(name)) return loose;
      // The shell's own way to name a variable, with a default or a complaint.
      if (before.endsWith("${")) return sign === ":-" || sign === ":=" ? loose : undefined;
      if (sign === ":-") return undefined;
      if (/^[!=]==?$/.test(sign)) return isQuoted ? loose : undefined;
      const isTight = !/[ \t]/.test(text.slice(keyEnd, end));
      const isVariable =
        sign === "=" &&
        isTight &&
        (isShouted ||
          isOption ||
          hasOwnLine ||
          /[?&]$|--[\w-]{1,40}=$|=[^;=\n]{1,40};[ ]?$|\w=\S{1,40} $/.test(before));
      return { ...literal, isLiteral: isVariable || isEncoded, isSetting: isTight || /^[:：]/.test(sign) };
    }
    case "pair":
      return literal;
    case "element":
      if (!text.startsWith("</", value.end) || text[value.start] === "<") return undefined;
      return /(?<!\?)<(?:[\w-]+:)?$|=["']$/.test(before) ? literal : undefined;
    case "list":
      return isOption || (isShouted && /\w\(\s*["']$/.test(before)) ? literal : loose;
    case "column":
    case "sentence":
      if (isOption || /(?:^|\s)(?:ENV|ARG|setenv|SetEnv|setx|set -\w+|env|(?:config|configure) set)\s+$/.test(before)) {
        return text[value.start] === "-" ? undefined : literal;
      }
      // A .netrc, whose words may be on one line or on one each.
      if (/(?:^|\s)(?:machine|login)[ \t][^\n]*\n?[ \t]*$/.test(before)) return literal;
      // A verb, or a word before the next key.
      return /^pass$/i.test(name) || /^[\w-]{1,40}=/.test(text.slice(value.start, value.end)) ? undefined : loose;
    default:
      return undefined;
  }
}

// oxlint-disable-next-line no-control-regex -- the sequences that programs put around words to colour them
const colour = /\u001b\[[0-9;]{0,8}m/g;
