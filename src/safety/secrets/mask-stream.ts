import type { MaskStream } from "../../core/mask.ts";
import type { SecretSpan } from "./secret-span.ts";

export interface StreamParts {
  find(text: string): readonly SecretSpan[];
  replace(text: string, spans: readonly SecretSpan[], range: { readonly from: number; readonly to: number }): string;
}

/** A line that is longer is let go in parts. */
const maxLine = 4096;
/** What is held back of such a line, so that no secret is cut in two; and what is kept before it, so that its key is known. */
const heldBack = 256;
const maxBlock = 64 * 1024;

/**
 * Masks text that comes in pieces. No rule looks further than a line, but for private keys and for a name whose value is
 * on one of the next lines. So whole lines go out, the last ones stay for the rules to look back at, and the beginning
 * of a private key waits for its end.
 */
export function createMaskStream(parts: StreamParts): MaskStream {
  /** What was let go and is still looked at, then what waits. */
  let text = "";
  let from = 0;

  function release(to: number, spans: readonly SecretSpan[]): string {
    const out = parts.replace(text, spans, { from, to });
    const lastSpan = spans.findLast(({ start }) => start < to);
    const gone = Math.max(to, lastSpan?.end ?? 0);
    const keep = startOfContext(text, gone);
    text = text.slice(keep);
    from = gone - keep;
    return out;
  }

  return {
    push(piece) {
      text += piece;
      const whole = wholeUntil(text, from);
      if (whole <= from) return "";
      const spans = parts.find(text);
      const to = Math.min(whole, firstOpen(text, spans, { from, to: whole }));
      return to <= from ? "" : release(to, spans);
    },
    end() {
      const out = parts.replace(text, parts.find(text), { from, to: text.length });
      [text, from] = ["", 0];
      return out;
    },
  };
}

/** Up to where nothing that is still to come can change what is masked. */
function wholeUntil(text: string, from: number): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  if (lineStart > from) return text.length - lineStart > maxLine ? text.length - heldBack : lineStart;
  return text.length - from > maxLine ? text.length - heldBack : from;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where the first secret begins that is not known to be over. One that is far too long is no reason to wait. */
function firstOpen(text: string, spans: readonly SecretSpan[], { from, to }: Range): number {
  for (const { start, end, family } of spans) {
    if (start < from || text.length - start > maxBlock) continue;
    if (end >= to || (family === "private-key" && !isOver(text.slice(end, to)))) return start;
  }
  const begin = text.lastIndexOf("-BEGIN ", to - 1);
  const armour =
    begin < from || text.length - begin > maxBlock
      ? null
      : /^-BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,8}-+/.exec(text.slice(begin, begin + 80));
  return armour && !isOver(text.slice(begin + armour[0].length, to)) ? Math.max(from, begin - 4) : to;
}

/** The last line of a key may be short: only two more lines say that it is over. */
function isOver(after: string): boolean {
  return (
    after.split("\n").filter((line) => line.trim() !== "").length > 2 ||
    /^[^\n]*END [A-Z0-9 ]{0,40}PRIVATE KEY/.test(after)
  );
}

/** The three lines before, at most: the value of a form is two lines behind its name. */
function startOfContext(text: string, gone: number): number {
  let start = gone;
  for (let line = 0; line < 4 && start > 0; line++) start = text.lastIndexOf("\n", start - 2) + 1;
  return Math.max(start, gone - maxLine, 0);
}
