import type { Terminal } from "../../terminal/terminal.ts";
import { displayWidth } from "../../terminal/terminal-text.ts";

export type Look =
  | "bold"
  | "italic"
  | "strikethrough"
  | "underline"
  | "dim"
  | "cyan"
  | "green"
  | "red"
  | "yellow"
  | "magenta";

/** Text of one look, without line ends. */
export interface Span {
  readonly text: string;
  readonly looks: readonly Look[];
}

/** Before the first row of a line and before the rows it is wrapped to; both equally wide. */
export interface Prefix {
  readonly first: readonly Span[];
  readonly rest: readonly Span[];
}

/** Lays text out in rows of at most `width` columns. A row once given is never changed. */
export interface WrapWriter {
  /** A new line begins; what was there before must have been ended. */
  begin(prefix: Prefix): void;
  /** Broken at spaces, Chinese and Japanese between characters; a word is kept back until it is whole. */
  put(span: Span): void;
  /** Broken only where the row is full; it holds no tabs. */
  putExact(span: Span): void;
  /** A row that is styled and fitted already. */
  putRow(row: string): void;
  /** Goes on in the next row, with the prefix for further rows. */
  breakRow(): void;
  endLine(): void;
  /** What can be printed since it was last asked. */
  take(): string;
}

export const noPrefix: Prefix = { first: [], rest: [] };

export function createWrapWriter(options: { readonly width: number; readonly style: Terminal["style"] }): WrapWriter {
  const { style } = options;
  const width = Math.max(narrowest, options.width);
  let output = "";
  let rest: readonly Span[] = [];
  let start = 0;
  let column = 0;
  let spaces: Span | null = null;
  let word: Span[] = [];
  let lastCharacter = "";

  function print({ text, looks }: Span): void {
    output += looks.length === 0 ? text : style([...looks], text);
    column += displayWidth(text);
  }

  function openRow(prefix: readonly Span[]): void {
    column = 0;
    for (const span of prefix) print(span);
    start = column;
    spaces = null;
  }

  function nextRow(): void {
    output += "\n";
    openRow(rest);
  }

  function flushWord(): void {
    if (word.length === 0) return;
    const spans = mergeSpans(word);
    word = [];
    lastCharacter = "";
    const wordWidth = displayWidth(spans.map(({ text }) => text).join(""));
    const gap = column === start ? 0 : (spaces?.text.length ?? 0);
    if (column + gap + wordWidth > width && column > start && wordWidth <= width - start) {
      nextRow();
    } else if (gap > 0 && spaces !== null && column + gap < width) {
      print(spaces);
    } else if (gap > 0) {
      nextRow();
    }
    spaces = null;
    for (const span of spans) printBroken(span);
  }

  /** A word without an end is given in parts, but only where no two characters could belong together. */
  function isEndless(next: string): boolean {
    return word.length >= longestWord && next < "\u007f" && lastCharacter < "\u007f";
  }

  function printBroken({ text, looks }: Span): void {
    if (column + displayWidth(text) <= width) {
      print({ text, looks });
      return;
    }
    let piece = "";
    let used = column;
    for (const character of splitCharacters(text)) {
      const characterWidth = displayWidth(character);
      if (used + characterWidth > width && used > start) {
        if (piece !== "") print({ text: piece, looks });
        piece = "";
        nextRow();
        used = column;
      }
      piece += character;
      used += characterWidth;
    }
    if (piece !== "") print({ text: piece, looks });
  }

  return {
    begin(prefix) {
      const prefixWidth = displayWidth(prefix.first.map(({ text }) => text).join(""));
      const fits = prefixWidth <= width / 2;
      rest = fits ? prefix.rest : [];
      openRow(fits ? prefix.first : []);
      // Without room the indentation goes, but not the bullet or number that it ends with.
      const marker = fits ? undefined : prefix.first.at(-1);
      if (marker && marker.text.trim() !== "") printBroken(marker);
    },
    put({ text, looks }) {
      for (const character of text) {
        if (character === " " || character === "\t") {
          flushWord();
          spaces = { text: `${spaces?.text ?? ""} `, looks: spaces?.looks ?? looks.filter(isSeenOnSpaces) };
        } else {
          if (mayBreakBetween(lastCharacter, character) || isEndless(character)) flushWord();
          word.push({ text: character, looks });
          lastCharacter = character;
        }
      }
    },
    putExact(span) {
      flushWord();
      printBroken(span);
    },
    putRow(row) {
      output += row;
    },
    breakRow() {
      flushWord();
      nextRow();
    },
    endLine() {
      flushWord();
      spaces = null;
      output += "\n";
      column = 0;
      start = 0;
    },
    take() {
      const taken = output;
      output = "";
      return taken;
    },
  };
}

/** Room for two wide characters. */
const narrowest = 4;
const longestWord = 400;

function isSeenOnSpaces(look: Look): boolean {
  return look === "underline" || look === "strikethrough";
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && last.looks.join() === span.looks.join())
      merged[merged.length - 1] = { ...last, text: last.text + span.text };
    else merged.push(span);
  }
  return merged;
}

const breaksAnywhere = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Below it no character of these scripts is found. */
const firstBroken = "\u2e80";
const staysWithPrevious = /[\p{Mark}\p{Emoji_Modifier}\u200d\p{Pe}\p{Pf}\p{Po}ー々]/u;
const staysWithNext = /[\p{Ps}\p{Pi}\u200d]/u;

function mayBreakBetween(before: string, after: string): boolean {
  if (before < firstBroken && after < firstBroken) return false;
  if (before === "" || (!breaksAnywhere.test(before) && !breaksAnywhere.test(after))) return false;
  return !staysWithPrevious.test(after) && !staysWithNext.test(before);
}

let segmenter: Intl.Segmenter | undefined;

function* splitCharacters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}
