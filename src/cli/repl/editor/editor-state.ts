import type { Completions } from "./completion.ts";

/** Where text and cursor were. */
export interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

/**
 * The line editor between two keys. `recall`: an entry of the history is shown, the draft is kept. `search`: Ctrl-R is
 * open. `list`: completions are shown. At most one of the three is there at a time.
 */
export interface EditorState extends Snapshot {
  /** The column that moving up and down tries to keep; null after any other key. */
  readonly goal: number | null;
  readonly killed: string;
  readonly undos: readonly Snapshot[];
  /** What the last key did: a run of typing is undone as one, a run of kills is yanked as one. */
  readonly run: "typing" | "killing" | null;
  readonly recall: { readonly index: number; readonly prefix: string; readonly draft: Snapshot } | null;
  readonly search: { readonly query: string; readonly index: number | null; readonly before: Snapshot } | null;
  readonly list: { readonly completions: Completions; readonly chosen: number | null; readonly typed: Snapshot } | null;
  /** The large pastes that are folded in the text. */
  readonly pastes: readonly string[];
}

export const emptyEditor: EditorState = {
  text: "",
  cursor: 0,
  goal: null,
  killed: "",
  undos: [],
  run: null,
  recall: null,
  search: null,
  list: null,
  pastes: [],
};

const mostUndos = 200;

/** Replaces the text between two places; the cursor goes to the end of what is put there. */
export function replaceRange(state: EditorState, range: { from: number; to: number }, text: string): EditorState {
  const { from, to } = range;
  return changeText(state, {
    text: state.text.slice(0, from) + text + state.text.slice(to),
    cursor: from + text.length,
  });
}

/** A change that can be undone by itself. */
export function changeText(state: EditorState, { text, cursor }: Snapshot): EditorState {
  if (text === state.text) return moveCursor(state, cursor);
  const undos = [...state.undos.slice(1 - mostUndos), { text: state.text, cursor: state.cursor }];
  return { ...showText(state, { text, cursor }), undos };
}

/** Another text takes the place of this one, without a trace in what can be undone. */
export function showText(state: EditorState, { text, cursor }: Snapshot): EditorState {
  return { ...moveCursor(state, cursor), text, recall: null };
}

/** Ends a run of typing or kills, and the list. What was recalled stays recalled: its text is the same. */
export function moveCursor(state: EditorState, cursor: number): EditorState {
  return { ...state, cursor, goal: null, run: null, search: null, list: null };
}

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
