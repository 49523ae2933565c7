import { showText, type EditorState } from "./editor-state.ts";

/** The next older entry that begins with what stands before the cursor; undefined when there is none. */
export function recallOlder(state: EditorState, history: readonly string[]): EditorState | undefined {
  const { recall, text, cursor } = state;
  const prefix = recall?.prefix ?? text.slice(0, cursor);
  const draft = recall?.draft ?? { text, cursor };
  const below = recall?.index ?? history.length;
  const index = history.findLastIndex((entry, at) => at < below && isWanted(entry, prefix, text));
  if (index < 0) return undefined;
  return show(state, history[index]!, { index, prefix, draft });
}

/** The next newer one; after the newest the draft comes back. Undefined when nothing was recalled. */
export function recallNewer(state: EditorState, history: readonly string[]): EditorState | undefined {
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
