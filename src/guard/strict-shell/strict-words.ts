/** The words of a command for which no shell is needed, or why there are none. */
export type StrictWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const mostBytes = 32_768;
const mostWords = 500;

/**
 * Splits a command at spaces and tabs; single and double quotes keep them. Whatever a shell could take for more than
 * plain words is refused, also within quotes: nobody then has to know what it would have meant.
 */
export function splitStrictWords(text: string): StrictWords {
  if (typeof text !== "string") return refuse("the command is not a text");
  if (Buffer.byteLength(text) > mostBytes) return refuse("the command is longer than 32 KiB");
  if (!text.isWellFormed()) return refuse("the command contains half of a surrogate pair");
  const character = refusedCharacter.exec(text)?.[0];
  if (character !== undefined) return refuse(`${nameCharacter(character)} is not allowed`);
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const each of text) {
    if (each === quote) quote = undefined;
    else if (quote === undefined && (each === "'" || each === '"')) {
      quote = each;
      word ??= "";
    } else if (quote === undefined && (each === " " || each === "\t")) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + each;
  }
  if (quote !== undefined) return refuse(`the quote ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  if (words.length === 0) return refuse("the command is empty");
  const isTooMuch = words.length > mostWords || words.some((each) => each.split(/[=:,@]/).length > mostWords / 10);
  return isTooMuch ? refuse("the command has too many words or parts") : { ok: true, words };
}

/** Metacharacters of shells, control characters but the tab, and what shows nothing or turns the text around. */
const refusedCharacter = /[;&|<>$`(){}[\]*?!#~\\]|(?!\t)\p{Control}|\p{Default_Ignorable_Code_Point}|[\p{Zl}\p{Zp}]/u;

function nameCharacter(character: string): string {
  const named = { "\n": "a line break", "\r": "a carriage return", "\0": "a NUL character" }[character];
  if (named !== undefined) return named;
  if (/[!-~]/.test(character)) return `the character ${character}`;
  return `the character U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Why a word may not stand in a command: it names something above or outside the workdir. */
export function pathProblem(word: string): string | undefined {
  const rest = afterOption(word);
  for (const part of rest === undefined ? [word] : [word, rest]) {
    if (absolute.test(part)) return `the absolute path in ${quoted(word)} is not allowed`;
    if (parent.test(part)) return `the parent folder in ${quoted(word)} is not allowed`;
    if (fileAddress.test(part)) return `the address in ${quoted(word)} is not allowed`;
  }
  return undefined;
}

/** At the start, or after a sign behind which programs look for a path. */
const absolute = /(?:^|[=:,@])\//;
const parent = /(?:^|[=:,@/])\.\.(?=[=:,@/]|$)/;
const fileAddress = /(?:^|[=:,@])file:/i;

/** What stands behind the letters of options in one word: `-Ix`, `-xf/etc`, `-xC..`. */
function afterOption(word: string): string | undefined {
  if (!/^-[^-=:,@]/.test(word)) return undefined;
  const letters = takesPath.test(word) ? undefined : /^-[A-Za-z0-9]+(?=\/|\.\.(?:\/|$))/.exec(word)?.[0];
  return word.slice(letters?.length ?? 2);
}

/** Options of one letter that are written together with a path: `-Isrc/include`. */
const takesPath = /^-[BDFILo][A-Za-z0-9_]+\//;

/** Everything in a word that a program might take for a path: `--out=x`, `a:b,c`, `@x`, `-Ix`. */
export function pathParts(word: string): string[] {
  const parts = [word, ...word.split(/[=:,@]/).slice(1)];
  for (const { index } of word.matchAll(/[=:,@]/g)) parts.push(word.slice(index + 1));
  const rest = afterOption(word);
  if (rest !== undefined) parts.push(rest);
  return [...new Set(parts)];
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function refuse(reason: string): StrictWords {
  return { ok: false, reason };
}
