import type { Completion, Completions } from "./completion.ts";
import { replaceRange, showText, type EditorState } from "./editor-state.ts";

/** What came back for the text as it stands. `insert`: Tab was pressed, so as much as is certain is put in. */
export function offerCompletions(state: EditorState, completions: Completions | null, insert: boolean): EditorState {
  if (completions === null || completions.items.length === 0) return { ...state, list: null };
  const { text, cursor } = state;
  const shown = { ...state, list: { completions, chosen: null, typed: { text, cursor } } };
  return insert ? pressTab(shown) : shown;
}

/** Tab while a list is shown: the only one, then what all have in common, then one after the other. */
export function pressTab(state: EditorState): EditorState {
  const { list } = state;
  if (list === null) return state;
  const { from, to, items } = list.completions;
  if (items.length === 1 && items[0]) return acceptItem(state, items[0]);
  if (list.chosen !== null) return choose(state, 1);
  const typed = state.text.slice(from, to);
  const common = commonBeginning(items);
  if (common.length <= typed.length || !common.startsWith(typed)) return choose(state, 1);
  const next = replaceRange(state, { from, to }, common);
  const typedNow = { text: next.text, cursor: next.cursor };
  const completions = { from, to: from + common.length, items };
  return { ...next, list: { completions, chosen: null, typed: typedNow } };
}

/** The next or the one before is put into the text, to be looked at; from no choice, the first or the last. */
export function choose(state: EditorState, by: 1 | -1): EditorState {
  const { list } = state;
  if (list === null) return state;
  const { from, to, items } = list.completions;
  const start = list.chosen ?? (by > 0 ? -1 : items.length);
  const chosen = (start + by + items.length) % items.length;
  const { text } = list.typed;
  const value = items[chosen]?.value ?? "";
  return {
    ...state,
    text: text.slice(0, from) + value + text.slice(to),
    cursor: from + value.length,
    list: { ...list, chosen },
  };
}

/** Enter on a choice: it is taken. */
export function acceptChoice(state: EditorState): EditorState {
  const item = state.list?.completions.items[state.list.chosen ?? -1];
  return item === undefined ? { ...state, list: null } : acceptItem(state, item);
}

/** Esc: the list goes, and with it what was only looked at. */
export function closeList(state: EditorState): EditorState {
  return state.list === null ? state : showText(state, state.list.typed);
}

function acceptItem(state: EditorState, { value, end }: Completion): EditorState {
  const { list } = state;
  if (list === null) return state;
  const { from, to } = list.completions;
  const follows = list.typed.text.slice(to);
  const addition = follows.startsWith(end) ? "" : end;
  return replaceRange({ ...state, ...list.typed }, { from, to }, value + addition);
}

function commonBeginning(items: readonly Completion[]): string {
  const [first = "", ...others] = items.map(({ value }) => value);
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}
