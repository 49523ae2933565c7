import { displayWidth } from "../../terminal/terminal-text.ts";

let segmenter: Intl.Segmenter | undefined;

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const plain = /^[\u0020-\u007e\n]*$/;

/** What a person sees as one character each. */
export function splitGraphemes(text: string): string[] {
  if (plain.test(text)) return text.split("");
  return Array.from(segments(text), ({ segment }) => segment);
}

const widths = new Map<string, number>();
const mostWidths = 5000;

/** The columns of one character; measuring takes time, and a text has few that differ. */
export function widthOf(grapheme: string): number {
  const known = widths.get(grapheme);
  if (known !== undefined) return known;
  const width = displayWidth(grapheme);
  if (widths.size >= mostWidths) widths.clear();
  widths.set(grapheme, width);
  return width;
}

/** Where the character after `at` ends. */
export function nextBorder(text: string, at: number): number {
  for (const { segment } of segments(text.slice(at))) return at + segment.length;
  return text.length;
}

/** Where the character before `at` begins. */
export function previousBorder(text: string, at: number): number {
  return at <= 0 ? 0 : (segments(text).containing(at - 1)?.index ?? 0);
}

/** How far into `line` a column is; never inside a character. */
export function offsetOfColumn(line: string, column: number): number {
  let offset = 0;
  let width = 0;
  for (const grapheme of splitGraphemes(line)) {
    width += widthOf(grapheme);
    if (width > column) break;
    offset += grapheme.length;
  }
  return offset;
}

/** The start of the line that holds `at`. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The end of the line that holds `at`, before its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

const wordCharacter = /[\p{Letter}\p{Number}\p{Mark}_\u{100000}-\u{1000ff}]/u;

export function previousWord(text: string, from: number): number {
  return walkWord(text, from, { step: previousBorder, pick: (at, next) => text.slice(next, at) });
}

export function nextWord(text: string, from: number): number {
  return walkWord(text, from, { step: nextBorder, pick: (at, next) => text.slice(at, next) });
}

interface Walk {
  readonly step: (text: string, at: number) => number;
  readonly pick: (at: number, next: number) => string;
}

/** Over what is between words, then over the word. */
function walkWord(text: string, from: number, { step, pick }: Walk): number {
  let at = from;
  let inWord = false;
  for (;;) {
    const next = step(text, at);
    if (next === at) return at;
    const isWord = wordCharacter.test(pick(at, next));
    if (inWord && !isWord) return at;
    inWord ||= isWord;
    at = next;
  }
}

/** Rows of at most `columns`: `first` before the first one, as many spaces before the others. Long words are broken. */
export function wrapRows(text: string, first: string, columns: number): string[] {
  const indent = displayWidth(first) + 4 <= columns ? displayWidth(first) : 0;
  const room = Math.max(2, columns - indent);
  const rows: string[] = [];
  for (const paragraph of text.split("\n")) {
    let rest = paragraph;
    do {
      const end = breakAt(rest, room);
      rows.push(rest.slice(0, end).trimEnd());
      rest = rest.slice(end).trimStart();
    } while (rest !== "");
  }
  return rows.map((row, index) => (index === 0 && indent > 0 ? first : " ".repeat(indent)) + row);
}

function breakAt(text: string, room: number): number {
  if (displayWidth(text) <= room) return text.length;
  // At least one character, however wide: otherwise it would never end.
  const most = offsetOfColumn(text, room) || offsetOfColumn(text, 2) || text.length;
  const space = text.lastIndexOf(" ", most);
  return space > 0 ? space : most;
}
