/**
 * A large paste stands in the text as one character of a private plane: it moves, is deleted, killed and undone as one,
 * is shown as `[pasted 120 lines]`, and becomes its text when the input is sent.
 */
const firstMark = 0x100000;
const mostMarks = 256;
const foldedLines = 20;
const foldedCharacters = 4000;

export interface MarkedText {
  readonly text: string;
  readonly pastes: readonly string[];
}

/** What a paste puts into the text, and the pastes that are known after it. */
export function markPaste(pasted: string, pastes: readonly string[]): MarkedText {
  const text = withoutMarks(pasted);
  const isLarge = lineCount(text) > foldedLines || text.length > foldedCharacters;
  if (!isLarge || pastes.length >= mostMarks) return { text, pastes };
  return { text: String.fromCodePoint(firstMark + pastes.length), pastes: [...pastes, text] };
}

/** The input as it is sent. */
export function expandMarks({ text, pastes }: MarkedText): string {
  return text.replaceAll(marks, (mark) => pastes[mark.codePointAt(0)! - firstMark] ?? "");
}

/** What a person sees in its place; undefined for any other character. */
export function describeMark(character: string, pastes: readonly string[]): string | undefined {
  const pasted = pastes[(character.codePointAt(0) ?? 0) - firstMark];
  if (pasted === undefined) return undefined;
  const lines = lineCount(pasted);
  return lines > foldedLines ? `[pasted ${lines} lines]` : `[pasted ${pasted.length} characters]`;
}

/** Text from outside can't pretend to be a paste. */
export function withoutMarks(text: string): string {
  return text.replaceAll(marks, "\ufffd");
}

const marks = /[\u{100000}-\u{1000ff}]/gu;

function lineCount(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}
