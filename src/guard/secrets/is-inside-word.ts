import type { Scan } from "./secret-span.ts";

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
