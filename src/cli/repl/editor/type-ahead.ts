import { type EditorState } from "./editor-state.ts";
import type { Key } from "../input/keys.ts";
import { pressKey } from "./line-editor.ts";

const taken = new Set(["backspace", "ctrl-h", "ctrl-u", "ctrl-w", "alt-backspace", "alt-enter", "ctrl-j"]);

/**
 * A key that came while no prompt was read. Text is kept for the next prompt, where it is seen before it is sent: Enter
 * is therefore only a new line, and nothing that moves or recalls happens unseen.
 */
export function typeAhead(state: EditorState, key: Key): EditorState {
  if (key.kind !== "key") return { ...pressKey({ ...state, list: null }, key, []).state, list: null };
  const name = key.name === "enter" ? "ctrl-j" : key.name;
  if (!taken.has(name) || (name === "ctrl-j" && state.text === "")) return state;
  return pressKey({ ...state, list: null, search: null }, { kind: "key", name }, []).state;
}
