import {
  cleanable,
  isJoined,
  longestUnfinished,
  plain,
  type Rewrite,
  rewriteControls,
  unfinished,
} from "./rewrite-controls.ts";

/**
 * Text of others for a person or a log: escape sequences are taken out as a whole, so that coloured output stays readable, and so is
 * everything that can't be seen; a carriage return is a line end. An escape sequence that does not end is shown as text.
 */
export function cleanText(text: string): string {
  return plain.test(text) ? text : rewriteControls(text, { pattern: cleanable, rewrite: clean }).text;
}

export interface TextCleaner {
  /** What can be shown by now. What may be the beginning of a sequence is kept back, never more than a few thousand characters. */
  push(chunk: string): string;
  /** The rest. */
  end(): string;
}

/** `cleanText` for text that comes in pieces, wherever they were cut: all that it gives back together is the same. */
export function createTextCleaner(): TextCleaner {
  let held = "";
  let last = "";
  let afterReturn = false;

  function take(text: string): string {
    const cleaned = rewriteControls(text, { pattern: cleanable, rewrite: clean, before: last });
    last = cleaned.last;
    return cleaned.text;
  }

  return {
    push(chunk) {
      let text = held + chunk;
      if (afterReturn && text !== "") {
        const rest = text.replace(/^\r*\n?/, "");
        afterReturn = rest === "" && !text.endsWith("\n");
        text = rest;
      }
      const cut = text.length - lengthOfUnfinished(text);
      held = text.slice(cut);
      if (cut > 0) afterReturn = held === "" && text.endsWith("\r");
      return take(text.slice(0, cut));
    },
    end() {
      const rest = take(held);
      held = "";
      last = "";
      afterReturn = false;
      return rest;
    },
  };
}

function lengthOfUnfinished(text: string): number {
  return unfinished.exec(text.slice(-longestUnfinished))?.[0].length ?? 0;
}

const clean: Rewrite = (piece, before, after) => {
  if (lineEnds.test(piece)) return "\n";
  if (piece.isWellFormed()) return isFlag(piece) || isJoined(piece, before, after) ? piece : "";
  return "\ufffd";
};

const lineEnds = /^[\r\v\f\u0085\u2028\u2029]/;

/** Of all that is looked at, only a flag begins with something visible. */
function isFlag(piece: string): boolean {
  return piece.startsWith("\u{1f3f4}");
}
