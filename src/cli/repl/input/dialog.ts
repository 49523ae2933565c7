import type { Frame, Size } from "./draw-frame.ts";
import type { Key } from "./keys.ts";

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
