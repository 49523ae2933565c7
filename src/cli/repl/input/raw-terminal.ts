import { writeAtExit } from "../../../core/write-at-exit.ts";

export interface RawTerminal {
  /** Keys come one by one, pastes in brackets. */
  hold(): void;
  /** As it was before: also when the program ends or throws. */
  release(): void;
  /** Someone else may have changed it while we were stopped. */
  renew(): void;
  close(): void;
}

export function openRawTerminal(stdin: NodeJS.ReadStream, write: (text: string) => void): RawTerminal {
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
