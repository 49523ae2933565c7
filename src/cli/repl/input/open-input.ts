import type { Clock } from "../../../core/clock.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { createDialogHost, type RunOptions } from "./dialog-host.ts";
import type { Dialog, LiveScreen } from "./dialog.ts";
import type { EarlyKeys } from "./early-keys.ts";
import { emptyEditor, type EditorState } from "../editor/editor-state.ts";
import { createKeyReader, type Key } from "./keys.ts";
import { expandMarks } from "../editor/paste-marks.ts";
import { createPromptDialog, type PromptRequest, type PromptResult } from "./prompt-dialog.ts";
import { openRawTerminal } from "./raw-terminal.ts";
import { watchTerminalSignals } from "./terminal-signals.ts";
import { typeAhead } from "../editor/type-ahead.ts";

/** True: the key is taken and is not text for the next prompt. */
export type KeyListener = (key: Key) => boolean | void;

/** The one reader of the keyboard. What it draws goes to stderr, below what was printed. */
export interface Input {
  readonly terminal: Terminal;
  readonly earlyKeys: EarlyKeys;
  /** One input of the person. What they typed ahead, and the draft of a prompt that was cancelled, are in it. */
  readPrompt(request: PromptRequest): Promise<PromptResult>;
  /** A panel: in front of the prompt, one after the other. Null: the signal fired, or the terminal is gone. */
  ask<Result>(dialog: Dialog<Result>, signal: AbortSignal): Promise<Result | null>;
  /** Keys while nothing is asked. Returns the way out. */
  onKey(listener: KeyListener): () => void;
  /** What was typed while nothing was asked. */
  typedAhead(): string;
  /** For text that comes while a prompt or a panel is shown: `write` prints it above. */
  writeAbove(write: () => void): void;
  /** Gives the terminal to a program that needs it, until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface InputOptions {
  readonly program: NodeJS.Process;
  readonly clock: Clock;
  readonly screen?: LiveScreen;
  /** `while_asked`: between questions the keyboard is the shell's, and what is typed then reaches it. Left out: always. */
  readonly holds?: "always" | "while_asked";
  /** Left out: `kept`. */
  readonly earlyKeys?: EarlyKeys;
}

/** Takes the terminal until `close`. It is given back as it was, also when the program throws, is stopped or ended. */
export function openInput(terminal: Terminal, options: InputOptions): Input {
  const { program, clock, screen, holds = "always", earlyKeys = "kept" } = options;
  if (!terminal.isInteractive) {
    throw new Error("Typing needs a terminal: stdin and stderr must both be one; use `deckhand run` without.");
  }
  const { stdin } = terminal;
  const { stderr } = program;
  const write = (text: string): void => void stderr.write(text);
  const size = (): { columns: number; rows: number } => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 });
  const listeners: KeyListener[] = [];
  let editor: EditorState = emptyEditor;
  let isPaused = false;
  let isHeld = false;
  let isClosed = false;
  let asked = 0;

  const onEarlyKey = (key: Key): void => {
    editor = typeAhead(editor, key);
  };
  const host = createDialogHost({ clock, size, write, onEarlyKey, screen });
  const raw = openRawTerminal(stdin, write);
  const keys = createKeyReader(clock, press);
  const signals = watchTerminalSignals({
    program,
    clock,
    release() {
      host.hide();
      raw.release();
    },
    hold() {
      if (isPaused) return;
      if (isHeld) raw.hold();
      raw.renew();
      host.show();
    },
  });

  function press(key: Key): void {
    if (key.kind === "key" && key.name === "ctrl-z") return signals.suspend();
    if (host.press(key)) return;
    if (listeners.toReversed().some((listener) => listener(key) === true)) return;
    onEarlyKey(key);
  }

  function hold(): void {
    if (isHeld || isClosed) return;
    isHeld = true;
    raw.hold();
    stdin.on("data", onData);
    stdin.resume();
  }

  function letGo(): void {
    isHeld = false;
    stdin.off("data", onData);
    raw.release();
    stdin.pause();
  }

  async function show<Result>(dialog: Dialog<Result>, how: RunOptions): Promise<Result | null> {
    terminal.status(null);
    hold();
    asked += 1;
    try {
      return await host.run(dialog, how);
    } finally {
      asked -= 1;
      if (asked === 0 && holds === "while_asked" && !isClosed) letGo();
    }
  }

  const onData = (bytes: Buffer): void => keys.push(bytes);
  const onResize = (): void => host.resized();
  stdin.once("end", close);
  stdin.once("error", close);
  // Of a terminal that is gone both its mode and the read under way fail; the second comes after `close`.
  stdin.on("error", () => undefined);
  stderr.on("resize", onResize);
  if (holds === "always") hold();

  function close(): void {
    isClosed = true;
    stdin.off("data", onData);
    stdin.off("end", close);
    stdin.off("error", close);
    stderr.off("resize", onResize);
    keys.end();
    host.close();
    signals.end();
    raw.close();
    stdin.pause();
  }

  return {
    terminal,
    earlyKeys,
    async readPrompt(request) {
      const dialog = createPromptDialog(request, {
        style: terminal.styleError,
        redraw: host.redraw,
        state: () => editor,
        change: (next) => {
          editor = next;
        },
      });
      const result = await show(dialog, { kind: "prompt", signal: request.signal });
      if (result !== null) return result;
      return request.signal.aborted ? { kind: "cancelled" } : { kind: "leave" };
    },
    ask: (dialog, signal) => show(dialog, { kind: "panel", signal }),
    onKey(listener) {
      listeners.push(listener);
      return () => {
        const at = listeners.indexOf(listener);
        if (at >= 0) listeners.splice(at, 1);
      };
    },
    typedAhead: () => expandMarks(editor),
    writeAbove: host.writeAbove,
    pause() {
      if (isPaused) return;
      isPaused = true;
      host.hide();
      raw.release();
      stdin.pause();
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      raw.hold();
      stdin.resume();
      host.show();
    },
    close,
  };
}
