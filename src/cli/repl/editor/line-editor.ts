import { mayComplete } from "./completion.ts";
import { acceptChoice, choose, closeList, pressTab } from "./completion-list.ts";
import { editCommands, insertNewline, insertPaste, insertText, moveByLine } from "./edit-commands.ts";
import { changeText, emptyEditor, replaceRange, type EditorState } from "./editor-state.ts";
import type { Key } from "../input/keys.ts";
import { expandMarks } from "./paste-marks.ts";
import { recallNewer, recallOlder } from "./recall-history.ts";
import { openSearch, pressInSearch } from "./search-history.ts";

/** What a key means for the one who reads. */
export type Effect =
  /** The text with its pastes in it. `shown` is the state as it stood on the screen. */
  | { readonly kind: "submit"; readonly text: string; readonly shown: EditorState }
  /** Ctrl-D on nothing. */
  | { readonly kind: "leave" }
  /** Ctrl-C on nothing. */
  | { readonly kind: "interrupt" }
  /** Completions are wanted for the text as it stands; `insert`: Tab was pressed. */
  | { readonly kind: "complete"; readonly insert: boolean };

export interface Pressed {
  readonly state: EditorState;
  readonly effect: Effect | null;
}

/** The line editor: one key, from one state to the next. `history` has the newest entry last. */
export function pressKey(state: EditorState, key: Key, history: readonly string[]): Pressed {
  if (state.search !== null) {
    const searched = pressInSearch(state, key, history);
    return searched.passOn ? pressKey(searched.state, key, history) : only(searched.state);
  }
  if (key.kind === "text") return suggest(insertText(state, key.text));
  if (key.kind === "paste") return only(insertPaste(state, key.text));
  return pressInList(state, key.name) ?? pressCommand(state, key.name, history);
}

function pressInList(state: EditorState, name: string): Pressed | undefined {
  if (state.list === null) return undefined;
  switch (name) {
    case "tab":
      return only(pressTab(state));
    case "shift-tab":
    case "up":
    case "ctrl-p":
      return only(choose(state, -1));
    case "down":
    case "ctrl-n":
      return only(choose(state, 1));
    case "escape":
      return only(closeList(state));
    case "enter":
      return state.list.chosen === null ? undefined : only(acceptChoice(state));
    default:
      return undefined;
  }
}

function pressCommand(state: EditorState, name: string, history: readonly string[]): Pressed {
  const isEmpty = state.text === "";
  switch (name) {
    case "enter":
      return pressEnter(state);
    case "tab":
      return { state, effect: { kind: "complete", insert: true } };
    case "up":
    case "ctrl-p":
      return only(moveByLine(state, -1) ?? recallOlder(state, history) ?? state);
    case "down":
    case "ctrl-n":
      return only(moveByLine(state, 1) ?? recallNewer(state, history) ?? state);
    case "ctrl-r":
      return only(openSearch(state));
    case "ctrl-c":
      return isEmpty ? { state, effect: { kind: "interrupt" } } : only(changeText(state, { text: "", cursor: 0 }));
    case "ctrl-d":
      return isEmpty ? { state, effect: { kind: "leave" } } : only(runCommand(state, "delete"));
    case "backspace":
    case "ctrl-h":
      return suggest(runCommand(state, name));
    default:
      return only(runCommand(state, name));
  }
}

function pressEnter(state: EditorState): Pressed {
  const { text, cursor } = state;
  if (text[cursor - 1] === "\\") {
    // To the shell the backslash means the same, so there it stays.
    if (text.startsWith("!")) return only(insertNewline(state));
    return only(replaceRange(state, { from: cursor - 1, to: cursor }, "\n"));
  }
  if (text.trim() === "") return only(state);
  const shown = { ...state, list: null, cursor: text.length };
  return {
    state: { ...emptyEditor, killed: state.killed },
    effect: { kind: "submit", text: expandMarks(state), shown },
  };
}

function runCommand(state: EditorState, name: string): EditorState {
  return (editCommands[name] ?? ((same) => same))(state);
}

function only(state: EditorState): Pressed {
  return { state, effect: null };
}

/** A command or a file is being typed: what it could become is shown without asking. */
function suggest(state: EditorState): Pressed {
  return { state, effect: mayComplete(state.text, state.cursor) ? { kind: "complete", insert: false } : null };
}
