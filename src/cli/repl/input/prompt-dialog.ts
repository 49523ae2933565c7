import type { Terminal } from "../../terminal/terminal.ts";
import { mayComplete, type Complete } from "../editor/completion.ts";
import { offerCompletions } from "../editor/completion-list.ts";
import type { Dialog } from "./dialog-host.ts";
import { layoutEditor, renderSent, type EditorView } from "../editor/draw-editor.ts";
import type { EditorState } from "../editor/editor-state.ts";
import type { History } from "../editor/history-file.ts";
import { pressKey } from "../editor/line-editor.ts";

export interface PromptRequest {
  /** Like `› `. */
  readonly prompt: string;
  /** The row below: styled, and no wider than it is told. */
  readonly status?: (columns: number) => string;
  readonly completer?: Complete;
  /** Keys that mean something else than editing, by name (`ctrl-o`, `shift-tab`), while no list or search is open. */
  readonly keys?: Readonly<Record<string, () => void>>;
  readonly history: Pick<History, "entries" | "add">;
  readonly signal: AbortSignal;
}

export type PromptResult =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-D on an empty line, or the terminal is gone. */
  | { readonly kind: "leave" }
  /** Ctrl-C on an empty line. */
  | { readonly kind: "interrupt" }
  /** The signal fired; what was typed is there again at the next prompt. */
  | { readonly kind: "cancelled" };

export interface PromptParts {
  readonly style: Terminal["styleError"];
  readonly redraw: () => void;
  /** The editor outlives a prompt: what was typed ahead is in it. */
  readonly state: () => EditorState;
  readonly change: (state: EditorState) => void;
}

export function createPromptDialog(request: PromptRequest, parts: PromptParts): Dialog<PromptResult> {
  const { prompt, status, completer, keys, history } = request;
  const { style, redraw, state, change } = parts;
  let sent: EditorState | undefined;

  function viewOf(shown: EditorState): EditorView {
    return { state: shown, prompt, style, ...(status === undefined ? {} : { status }) };
  }

  function complete(insert: boolean): void {
    const { text, cursor } = state();
    const apply = async (): Promise<void> => {
      const found = (await completer?.(text, cursor)) ?? null;
      const now = state();
      // Whoever typed on meanwhile has asked again.
      if (sent !== undefined || now.text !== text || now.cursor !== cursor || now.search !== null) return;
      change(offerCompletions(now, found, insert));
      redraw();
    };
    // A list that can't be made is no reason to disturb someone who types.
    apply().catch(() => undefined);
  }

  return {
    begin() {
      const { text, cursor } = state();
      const trimmed = text.replace(/\n+$/, "");
      change({ ...state(), text: trimmed, cursor: Math.min(cursor, trimmed.length), search: null, list: null });
      if (mayComplete(trimmed, state().cursor)) complete(false);
    },
    frame: (size) => layoutEditor(viewOf(state()), size),
    press(key) {
      const own = key.kind === "key" ? keys?.[key.name] : undefined;
      if (own !== undefined && state().list === null && state().search === null) {
        own();
        return undefined;
      }
      const { state: next, effect } = pressKey(state(), key, history.entries());
      change(next);
      if (effect === null) return undefined;
      switch (effect.kind) {
        case "submit":
          sent = effect.shown;
          history.add(effect.text);
          return { kind: "line", text: effect.text };
        case "leave":
        case "interrupt":
          return { kind: effect.kind };
        case "complete":
          complete(effect.insert);
          return undefined;
      }
    },
    end: (result, size) => (result.kind === "line" && sent !== undefined ? renderSent(viewOf(sent), size) : ""),
  };
}
