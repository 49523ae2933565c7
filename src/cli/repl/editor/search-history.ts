import { changeText, type EditorState } from "./editor-state.ts";
import { previousBorder } from "./graphemes.ts";
import type { Key } from "../input/keys.ts";

export function openSearch(state: EditorState): EditorState {
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
export function pressInSearch(
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
