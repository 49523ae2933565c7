import type { Clock } from "../../../core/clock.ts";
import { writeAtExit } from "../../../core/write-at-exit.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type EditorState, emptyEditor, expandMarks } from "../editor/editor-state.ts";
import { pressKey } from "../editor/line-editor.ts";
import { createDialogHost, type Dialog, type LiveScreen, type RunOptions } from "./dialog-host.ts";
import { createKeyReader, type EarlyKeys, type Key } from "./keys.ts";
import { createPromptDialog, type PromptRequest, type PromptResult } from "./prompt-dialog.ts";

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

export interface RawTerminal {
  /** Keys come one by one, pastes in brackets. */
  hold(): void;
  /** As it was before: also when the program ends or throws. */
  release(): void;
  /** Someone else may have changed it while we were stopped. */
  renew(): void;
  close(): void;
}

function openRawTerminal(stdin: NodeJS.ReadStream, write: (text: string) => void): RawTerminal {
  let isHeld = false;

  function hold(): void {
    if (isHeld) return;
    isHeld = true;
    stdin.setRawMode(true);
    write(bracketedPasteOn);
  }

  function release(): void {
    if (!isHeld) return;
    isHeld = false;
    write(`${bracketedPasteOff}${showCursor}`);
    stdin.setRawMode(false);
  }

  const forgetExit = writeAtExit(release);
  return {
    hold,
    release,
    renew() {
      if (!isHeld) return;
      // Node does nothing for a mode that it believes is set already.
      stdin.setRawMode(false);
      stdin.setRawMode(true);
      write(bracketedPasteOn);
    },
    close() {
      forgetExit();
      release();
    },
  };
}

const bracketedPasteOn = "\u001b[?2004h";
const bracketedPasteOff = "\u001b[?2004l";
const showCursor = "\u001b[?25h";

export interface TerminalSignals {
  /** What Ctrl-Z means: the shell gets the terminal until `fg`. */
  suspend(): void;
  end(): void;
}

export interface SignalParts {
  readonly program: NodeJS.Process;
  readonly clock: Clock;
  /** Gives the terminal back as it was. */
  readonly release: () => void;
  /** Takes it again, and draws. */
  readonly hold: () => void;
}

const fatal = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A stop that the system ignores (nobody could continue us) is over at once. */
const ignoredStopMs = 500;

/** The terminal is given back before a signal ends or stops the program, and taken again when it goes on. */
function watchTerminalSignals({ program, clock, release, hold }: SignalParts): TerminalSignals {
  let stopTimer = (): void => undefined;

  function onFatal(signal: NodeJS.Signals): void {
    const isOurs = program.listenerCount(signal) === 1;
    // Where others listen, SIGINT is a request like Ctrl-C and the program goes on.
    if (isOurs || signal !== "SIGINT") release();
    // They decide what the signal means. Without them it means what it always does.
    if (!isOurs) return;
    end();
    program.kill(program.pid, signal);
  }

  function onStop(): void {
    release();
    program.off("SIGTSTP", onStop);
    program.kill(program.pid, "SIGTSTP");
    stopTimer = clock.after(ignoredStopMs, goOn);
  }

  function goOn(): void {
    stopTimer();
    if (!program.listeners("SIGTSTP").includes(onStop)) program.on("SIGTSTP", onStop);
    hold();
  }

  function end(): void {
    stopTimer();
    for (const signal of fatal) program.off(signal, onFatal);
    program.off("SIGTSTP", onStop);
    program.off("SIGCONT", goOn);
  }

  for (const signal of fatal) program.on(signal, onFatal);
  program.on("SIGTSTP", onStop);
  program.on("SIGCONT", goOn);
  return {
    // The whole group, as the terminal itself would: whoever started us (npm, a pipe) is to stop too.
    suspend: () => void program.kill(0, "SIGTSTP"),
    end,
  };
}
