import { fitWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { layoutEditor } from "./draw-editor.ts";
import type { Frame, Size } from "../input/draw-frame.ts";
import { emptyEditor } from "./editor-state.ts";
import type { Key } from "../input/keys.ts";
import { pressKey } from "./line-editor.ts";

/** Free text inside a panel, edited like a prompt. */
export interface TextLine {
  /** What was sent with Enter, also when it is empty; undefined: goes on. */
  press(key: Key): string | undefined;
  frame(size: Size, hint: string): Frame;
}

export function createTextLine(prompt: string, style: Terminal["styleError"]): TextLine {
  let state = emptyEditor;
  return {
    press(key) {
      if (key.kind === "key" && key.name === "enter" && state.text.trim() === "") return "";
      const pressed = pressKey(state, key, []);
      state = pressed.state;
      return pressed.effect?.kind === "submit" ? pressed.effect.text.trim() : undefined;
    },
    frame: (size, hint) =>
      layoutEditor({ state, prompt, style, status: (columns) => style("dim", fitWidth(hint, columns)) }, size),
  };
}
