import type { Clock } from "../../../core/clock.ts";
import { drawFrame, type Drawn, eraseFrame, type Frame, reflow, type Size } from "./draw-frame.ts";
import type { Key } from "./keys.ts";

/** Nobody reads a question, decides and presses a key in less. */
const quietMs = 400;

export interface DialogHost {
  /**
   * Shows a dialog until it has a result; null when the signal fired or the terminal is gone. The prompt gives way to
   * panels, which come one after the other.
   *
   * What was typed before a panel appeared is never an answer to it: a panel listens only after no key came for a
   * while since it was drawn. Until then keys go on to where they were meant for (`onEarlyKey`); Esc and Ctrl-C, which
   * never mean yes, are taken at once.
   */
  run<Result>(dialog: Dialog<Result>, options: RunOptions): Promise<Result | null>;
  /** False: no dialog is there. */
  press(key: Key): boolean;
  readonly redraw: () => void;
  /** Takes the dialog off the screen while `print` runs. */
  readonly writeAbove: (print: () => void) => void;
  resized(): void;
  /** Off the screen until `show`, and the live region with it. */
  hide(): void;
  show(): void;
  close(): void;
}

export interface RunOptions {
  readonly kind: "prompt" | "panel";
  readonly signal: AbortSignal;
}

export interface HostParts {
  readonly clock: Clock;
  readonly size: () => Size;
  readonly write: (text: string) => void;
  readonly onEarlyKey: (key: Key) => void;
  readonly screen: LiveScreen | undefined;
}

interface Entry {
  readonly kind: "prompt" | "panel";
  begin(): void;
  readonly frame: Dialog<unknown>["frame"];
  press(key: Key): void;
  readonly cancel: () => void;
}

export function createDialogHost({ clock, size, write, onEarlyKey, screen }: HostParts): DialogHost {
  const entries: Entry[] = [];
  let active: Entry | undefined;
  let drawn: Drawn | null = null;
  let isHidden = false;
  let isScreenAway = false;
  let isClosed = false;
  let isListening = true;
  let stopWaiting = (): void => undefined;

  function redraw(): void {
    if (active === undefined || isHidden) return;
    const next = drawFrame(drawn, active.frame(size(), isListening));
    drawn = next.drawn;
    write(next.output);
  }

  function erase(): void {
    if (drawn !== null) write(eraseFrame(drawn));
    drawn = null;
  }

  function writeAbove(print: () => void): void {
    erase();
    print();
    redraw();
  }

  /** The live region is away while a dialog is shown or the terminal is given away: told once, whatever comes first. */
  function placeScreen(): void {
    const isAway = active !== undefined || isHidden;
    if (isAway === isScreenAway) return;
    isScreenAway = isAway;
    if (isAway) screen?.suspend();
    else screen?.resume();
  }

  /** Gives the place to whoever is next. */
  function choose(): void {
    const next = isClosed ? undefined : (entries.find(({ kind }) => kind === "panel") ?? entries[0]);
    if (next === active) return;
    erase();
    stopWaiting();
    active = next;
    isListening = next?.kind !== "panel";
    placeScreen();
    if (next === undefined) return;
    next.begin();
    if (!isListening) waitForQuiet();
    redraw();
  }

  function waitForQuiet(): void {
    stopWaiting();
    let isStopped = false;
    const stopTimer = clock.after(quietMs, () => {
      // Keys that came while we were busy are read between a timer and this: they are not fresh either.
      setImmediate(() => {
        if (isStopped) return;
        isListening = true;
        redraw();
      });
    });
    stopWaiting = () => {
      isStopped = true;
      stopTimer();
    };
  }

  return {
    redraw,
    run<Result>(dialog: Dialog<Result>, { kind, signal }: RunOptions) {
      if (signal.aborted || isClosed) return Promise.resolve(null);
      const { promise, resolve } = Promise.withResolvers<Result | null>();
      let hasBegun = false;
      const finish = (result: Result | null): void => {
        const at = entries.indexOf(entry);
        if (at < 0) return;
        entries.splice(at, 1);
        signal.removeEventListener("abort", cancel);
        if (active === entry) erase();
        const rest = result === null || !hasBegun ? undefined : dialog.end?.(result, size());
        if (rest !== undefined && rest !== "") write(`${rest}\n`);
        choose();
        resolve(result);
      };
      const cancel = (): void => finish(null);
      const entry: Entry = {
        kind,
        cancel,
        begin() {
          if (!hasBegun) dialog.begin?.();
          hasBegun = true;
        },
        frame: (at, listens) => dialog.frame(at, listens),
        press(key) {
          const result = dialog.press(key);
          if (result === undefined) redraw();
          else finish(result);
        },
      };
      entries.push(entry);
      signal.addEventListener("abort", cancel, { once: true });
      choose();
      return promise;
    },
    press(key) {
      if (active === undefined) return false;
      if (key.kind === "key" && key.name === "ctrl-l") {
        writeAbove(() => write(clearScreen));
        return true;
      }
      if (isListening || isNo(key)) active.press(key);
      else {
        onEarlyKey(key);
        waitForQuiet();
      }
      return true;
    },
    writeAbove,
    resized() {
      if (drawn === null) return;
      write(eraseFrame(reflow(drawn, size().columns)));
      drawn = null;
      redraw();
    },
    hide() {
      erase();
      isHidden = true;
      placeScreen();
    },
    show() {
      isHidden = false;
      placeScreen();
      redraw();
    },
    close() {
      isClosed = true;
      for (const entry of entries.toReversed()) entry.cancel();
      erase();
    },
  };
}

const clearScreen = "\u001b[H\u001b[2J";

function isNo(key: Key): boolean {
  return key.kind === "key" && (key.name === "ctrl-c" || key.name === "escape");
}

/** Something below what was printed that reads keys until it has a result. Only the host draws it and hands it keys. */
export interface Dialog<Result> {
  /** Its turn has come: prints what is to stand above it. */
  begin?(): void;
  /** `isListening`: false while keys are not taken yet, see `dialog-host.ts`. */
  frame(size: Size, isListening: boolean): Frame;
  /** Undefined: goes on. */
  press(key: Key): Result | undefined;
  /** What stays behind in the scrollback. */
  end?(result: Result, size: Size): string;
}

/** A live region of others at the same place; it makes room while a dialog is shown. */
export interface LiveScreen {
  suspend(): void;
  resume(): void;
}
