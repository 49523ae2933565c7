import type { Key } from "../input/keys.ts";
import { acceptChoice, choose, closeList, pressTab } from "./completion-list.ts";
import { mayComplete } from "./completion.ts";
import { editCommands, insertNewline, insertPaste, insertText, moveByLine } from "./edit-commands.ts";
import { changeText, type EditorState, emptyEditor, expandMarks, replaceRange, showText } from "./editor-state.ts";
import { previousBorder } from "./graphemes.ts";

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

/** The next older entry that begins with what stands before the cursor; undefined when there is none. */
function recallOlder(state: EditorState, history: readonly string[]): EditorState | undefined {
  const { recall, text, cursor } = state;
  const prefix = recall?.prefix ?? text.slice(0, cursor);
  const draft = recall?.draft ?? { text, cursor };
  const below = recall?.index ?? history.length;
  const index = history.findLastIndex((entry, at) => at < below && isWanted(entry, prefix, text));
  if (index < 0) return undefined;
  return show(state, history[index]!, { index, prefix, draft });
}

/** The next newer one; after the newest the draft comes back. Undefined when nothing was recalled. */
function recallNewer(state: EditorState, history: readonly string[]): EditorState | undefined {
  const { recall, text } = state;
  if (recall === null) return undefined;
  const { index: shown, prefix, draft } = recall;
  const index = history.findIndex((entry, at) => at > shown && isWanted(entry, prefix, text));
  if (index >= 0) return show(state, history[index]!, { index, prefix, draft });
  return showText(state, draft);
}

function isWanted(entry: string, prefix: string, shown: string): boolean {
  return entry.startsWith(prefix) && entry !== shown;
}

function show(state: EditorState, text: string, recall: NonNullable<EditorState["recall"]>): EditorState {
  return { ...showText(state, { text, cursor: text.length }), recall };
}

function openSearch(state: EditorState): EditorState {
  const { text, cursor } = state;
  return {
    ...state,
    goal: null,
    run: null,
    recall: null,
    list: null,
    search: { query: "", index: null, before: { text, cursor } },
  };
}

/**
 * A key while Ctrl-R is open: text narrows it, Ctrl-R again goes further back, Ctrl-S forward, Esc and every key that
 * moves keep what was found, Ctrl-G and Ctrl-C give back the draft. `passOn`: the key is to be pressed once more.
 */
function pressInSearch(
  state: EditorState,
  key: Key,
  history: readonly string[],
): { readonly state: EditorState; readonly passOn: boolean } {
  const { search } = state;
  if (search === null) return { state, passOn: true };
  if (key.kind !== "key")
    return stay(find(state, history, { query: search.query + key.text, from: history.length - 1 }));
  switch (key.name) {
    case "ctrl-r":
      return stay(find(state, history, { query: search.query, from: (search.index ?? history.length) - 1 }));
    case "ctrl-s":
      return stay(findForward(state, history));
    case "backspace":
    case "ctrl-h": {
      const query = search.query.slice(0, previousBorder(search.query, search.query.length));
      return stay(find(state, history, { query, from: history.length - 1 }));
    }
    case "ctrl-g":
    case "ctrl-c":
      return stay({ ...state, ...search.before, search: null });
    case "escape":
    case "tab":
      return stay(accept(state));
    default:
      return { state: accept(state), passOn: true };
  }
}

function stay(state: EditorState): { readonly state: EditorState; readonly passOn: false } {
  return { state, passOn: false };
}

/** What was found becomes a change like any other, so that it can be undone. */
function accept(state: EditorState): EditorState {
  const { search, text, cursor } = state;
  if (search === null) return state;
  return { ...changeText({ ...state, ...search.before }, { text, cursor }), search: null };
}

interface Wanted {
  readonly query: string;
  readonly from: number;
}

function find(state: EditorState, history: readonly string[], { query, from }: Wanted): EditorState {
  const { search } = state;
  if (search === null) return state;
  if (query === "") return { ...state, ...search.before, search: { ...search, query, index: null } };
  const index = history.findLastIndex(
    (entry, at) => at <= from && matches(entry, query) && (at === from || entry !== state.text),
  );
  return showMatch(state, history, { query, index });
}

function findForward(state: EditorState, history: readonly string[]): EditorState {
  const { search } = state;
  if (search === null || search.index === null) return state;
  const { query, index: shown } = search;
  return showMatch(state, history, {
    query,
    index: history.findIndex((entry, at) => at > shown && matches(entry, query)),
  });
}

function showMatch(
  state: EditorState,
  history: readonly string[],
  { query, index }: { readonly query: string; readonly index: number },
): EditorState {
  const { search } = state;
  const text = history[index];
  if (search === null) return state;
  // Nothing more: what was found last stays.
  if (text === undefined) return { ...state, search: { ...search, query } };
  const cursor = text.toLowerCase().indexOf(query.toLowerCase());
  return { ...state, text, cursor: Math.max(0, cursor), search: { ...search, query, index } };
}

/** Small letters match capitals too; a query with a capital means it. */
function matches(entry: string, query: string): boolean {
  return query === query.toLowerCase() ? entry.toLowerCase().includes(query) : entry.includes(query);
}
