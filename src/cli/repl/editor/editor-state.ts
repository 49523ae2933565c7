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
