import { displayWidth } from "../../terminal/terminal-text.ts";
import {
  changeText,
  type EditorState,
  markPaste,
  moveCursor,
  replaceRange,
  showText,
  withoutMarks,
} from "./editor-state.ts";
import { lineEnd, lineStart, nextBorder, nextWord, offsetOfColumn, previousBorder, previousWord } from "./graphemes.ts";

export type EditCommand = (state: EditorState) => EditorState;

export function insertText(state: EditorState, typed: string): EditorState {
  const text = withoutMarks(typed);
  const next = replaceRange(state, { from: state.cursor, to: state.cursor }, text);
  // A word with the space before it is undone as one.
  const joins = state.run === "typing" && !/\s/.test(text);
  return { ...next, run: "typing", undos: joins ? state.undos : next.undos };
}

export function insertPaste(state: EditorState, pasted: string): EditorState {
  const { text, pastes } = markPaste(pasted, state.pastes);
  return replaceRange({ ...state, pastes }, { from: state.cursor, to: state.cursor }, text);
}

export const insertNewline: EditCommand = (state) => insertText({ ...state, run: null }, "\n");

/** Up or down one line of the text; undefined when there is none. */
export function moveByLine(state: EditorState, by: 1 | -1): EditorState | undefined {
  const { text, cursor } = state;
  const start = lineStart(text, cursor);
  const end = lineEnd(text, cursor);
  if (by < 0 ? start === 0 : end === text.length) return undefined;
  const goal = state.goal ?? displayWidth(text.slice(start, cursor));
  const from = by < 0 ? lineStart(text, start - 1) : end + 1;
  const line = text.slice(from, lineEnd(text, from));
  return { ...moveCursor(state, from + offsetOfColumn(line, goal)), goal };
}

function undo(state: EditorState): EditorState {
  const last = state.undos.at(-1);
  return last === undefined ? state : { ...showText(state, last), undos: state.undos.slice(0, -1) };
}

function move(to: (text: string, cursor: number) => number): EditCommand {
  return (state) => moveCursor(state, to(state.text, state.cursor));
}

/** Deletes between the cursor and another place. */
function remove(to: (text: string, cursor: number) => number): EditCommand {
  return (state) => {
    const other = to(state.text, state.cursor);
    return replaceRange(state, { from: Math.min(other, state.cursor), to: Math.max(other, state.cursor) }, "");
  };
}

/** The same, and keeps it for Ctrl-Y; kills in a row are kept together. */
function kill(to: (text: string, cursor: number) => number): EditCommand {
  return (state) => {
    const other = to(state.text, state.cursor);
    const isBackward = other < state.cursor;
    const killed = state.text.slice(Math.min(other, state.cursor), Math.max(other, state.cursor));
    if (killed === "") return state;
    const before = state.run === "killing" ? state.killed : "";
    return { ...remove(() => other)(state), run: "killing", killed: isBackward ? killed + before : before + killed };
  };
}

/** Back over spaces, then over everything that is no space: what Ctrl-W means in a shell. */
function previousBlank(text: string, cursor: number): number {
  return text.slice(0, cursor).trimEnd().search(/\S+$/) + (text.slice(0, cursor).trim() === "" ? 1 : 0);
}

/** To the line's border; when already there, over the line feed, so that pressing on goes on. */
function toLineStart(text: string, cursor: number): number {
  const start = lineStart(text, cursor);
  return start === cursor ? Math.max(0, cursor - 1) : start;
}

function toLineEnd(text: string, cursor: number): number {
  const end = lineEnd(text, cursor);
  return end === cursor ? Math.min(text.length, cursor + 1) : end;
}

/** Swaps the two characters around the cursor. */
function transpose(state: EditorState): EditorState {
  const { text } = state;
  const middle = state.cursor === text.length ? previousBorder(text, state.cursor) : state.cursor;
  const from = previousBorder(text, middle);
  const to = nextBorder(text, middle);
  if (from === middle || to === middle) return state;
  return changeText(state, {
    text: text.slice(0, from) + text.slice(middle, to) + text.slice(from, middle) + text.slice(to),
    cursor: to,
  });
}

const wordStart = move(previousWord);
const wordEnd = move(nextWord);
const begin = move(lineStart);
const finish = move(lineEnd);
const deleteBefore = remove(previousBorder);

/** What a key does to the text, by its name. */
export const editCommands: Readonly<Record<string, EditCommand>> = {
  left: move(previousBorder),
  "ctrl-b": move(previousBorder),
  right: move(nextBorder),
  "ctrl-f": move(nextBorder),
  home: begin,
  "ctrl-a": begin,
  end: finish,
  "ctrl-e": finish,
  "ctrl-left": wordStart,
  "alt-left": wordStart,
  "alt-b": wordStart,
  "ctrl-right": wordEnd,
  "alt-right": wordEnd,
  "alt-f": wordEnd,
  "ctrl-home": move(() => 0),
  "ctrl-end": move((text) => text.length),
  "alt-<": move(() => 0),
  "alt->": move((text) => text.length),
  backspace: deleteBefore,
  "shift-backspace": deleteBefore,
  "ctrl-h": deleteBefore,
  delete: remove(nextBorder),
  "alt-backspace": kill(previousWord),
  "ctrl-w": kill(previousBlank),
  "alt-d": kill(nextWord),
  "ctrl-delete": kill(nextWord),
  "ctrl-u": kill(toLineStart),
  "ctrl-k": kill(toLineEnd),
  "ctrl-y": (state) => replaceRange(state, { from: state.cursor, to: state.cursor }, state.killed),
  "ctrl-t": transpose,
  "ctrl-_": undo,
  "alt-enter": insertNewline,
  "shift-enter": insertNewline,
  "ctrl-enter": insertNewline,
  "ctrl-j": insertNewline,
};
