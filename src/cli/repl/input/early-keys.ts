import { fitWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { usableColumns, type Frame, type Size } from "./draw-frame.ts";

/** What becomes of keys that came before a panel listened: the next prompt has them, or there is no such prompt. */
export type EarlyKeys = "kept" | "dropped";

/** In the place of a panel while it does not listen yet; see `dialog-host.ts`. */
export function earlyFrame(earlyKeys: EarlyKeys, size: Size, style: Terminal["styleError"]): Frame {
  return { rows: [style("dim", fitWidth(notes[earlyKeys], usableColumns(size)))], cursor: null };
}

const notes: Readonly<Record<EarlyKeys, string>> = {
  kept: "… what you type now is kept for your next message",
  dropped: "… what you type now is not an answer yet",
};
