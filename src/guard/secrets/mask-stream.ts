import type { MaskStream } from "../../core/mask.ts";
import { mayGoOn } from "./find-vendor-secret.ts";
import { findKeyRest, findOpenKeyLines, maxHeldLines } from "./key-lines.ts";
import type { SecretSpan } from "./trigger-index.ts";

export interface StreamParts {
  find(text: string): readonly SecretSpan[];
  /** Where in this range a known value begins whose end is still to come; `to` when none does. */
  findOpenValue(text: string, range: Range): number;
  replace(text: string, spans: readonly SecretSpan[], range: Range): string;
}

/** Where a stream begins: at the beginning, or where something before it is not there and may have been half of a key. */
export type StreamStart = "beginning" | "midway";

/** A line that is longer is let go in parts. */
const maxLine = 4096;
/** What is held back of such a line, so that no secret is cut in two; and what is kept before it, so that its key is known. */
export const heldBack = 256;
const maxBlock = 64 * 1024;
const privateKey = "private-key";

/**
 * Masks text that comes in pieces. No rule looks further than a line, but for private keys, for known values of several
 * lines and for a name whose value is on one of the next lines. So whole lines go out, the last ones stay for the rules
 * to look back at, and the beginning of a private key or a known value waits for its end, and lines that may be of a key
 * for what comes behind them.
 */
export function createMaskStream(parts: StreamParts, begins: StreamStart = "beginning"): MaskStream {
  /** What was let go and is still looked at, then what waits. */
  let text = "";
  let from = 0;
  /** What comes now may go on with a key whose beginning is gone. */
  let isMidway = begins === "midway";
  /** Lines that may be of a key, all of them. */
  let held = { start: 0, to: 0 };

  function find(): readonly SecretSpan[] {
    const rest = isMidway ? findKeyRest(text, from) : undefined;
    const spans = parts.find(text).flatMap((span) => {
      if (rest && span.start < rest.end) return span.end <= rest.end ? [] : [{ ...span, start: rest.end }];
      // Its beginning went out before anybody could know.
      return span.start < from && span.end > from ? [{ ...span, start: from }] : [span];
    });
    return rest ? [{ ...rest, family: privateKey }, ...spans] : spans;
  }

  /** Only what is new is looked at, while it goes on with such lines. */
  function findHeldLines(to: number): number {
    const isLonger = held.to > held.start && findOpenKeyLines(text, held.to, to) === held.to;
    let start = isLonger ? held.start : findOpenKeyLines(text, from, to);
    // Half of too many, so that the rest is not looked at again for every line.
    if (to - start > maxHeldLines) {
      const lineEnd = text.indexOf("\n", to - maxHeldLines / 2);
      start = lineEnd < 0 || lineEnd >= to ? to : lineEnd + 1;
    }
    held = { start, to };
    return start;
  }

  function release(to: number, spans: readonly SecretSpan[]): string {
    const out = parts.replace(text, spans, { from, to });
    const lastSpan = spans.findLast(({ start }) => start < to);
    const gone = Math.max(to, lastSpan?.end ?? 0);
    const isOpen = lastSpan?.family === privateKey && !isOver(text.slice(lastSpan.end, gone));
    isMidway = isOpen && text.slice(lastSpan.end, gone).trim() === "";
    const keep = startOfContext(text, gone);
    text = text.slice(keep);
    from = gone - keep;
    held = { start: Math.max(from, held.start - keep), to: held.to - keep };
    return out;
  }

  return {
    push(piece) {
      text += piece;
      const whole = wholeUntil(text, from);
      if (whole <= from) return "";
      const range = { from, to: whole };
      const open = Math.min(
        parts.findOpenValue(text, range),
        findHeldLines(whole),
        isMidway ? lineAfterGap(text, from, whole) : whole,
        lineAfterNote(text, range),
        lastLineThatGoesOn(text, range),
      );
      if (open <= from) return "";
      const spans = find();
      const to = Math.min(open, firstOpen(text, spans, range));
      return to <= from ? "" : release(to, spans);
    },
    end() {
      const out = parts.replace(text, find(), { from, to: text.length });
      [text, from, held, isMidway] = ["", 0, { start: 0, to: 0 }, false];
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

/** The first line behind a gap, until the next one shows what it is: it may be a part of one of a key. */
function lineAfterGap(text: string, start: number, to: number): number {
  const line = text.slice(start, to);
  return /^[A-Za-z0-9+/]{1,4096}={0,2}\r?\n?$/.test(line) ? start : to;
}

function lineAfterNote(text: string, { from, to }: Range): number {
  const note = text.lastIndexOf("left out]", to - 1);
  if (note < 0 || to - note > maxLine) return to;
  const start = text.indexOf("\n", note) + 1;
  return start < from || start === 0 || start >= to ? to : lineAfterGap(text, start, to);
}

/** The last lines, where they end in what may be a part of a token: the next one shows it. */
function lastLineThatGoesOn(text: string, { from, to }: Range): number {
  if (text[to - 1] !== "\n") return to;
  let start = to;
  for (let line = 0; line < 7 && start > from; line++) {
    const before = Math.max(from, text.lastIndexOf("\n", start - 2) + 1);
    const content = text.slice(before, start);
    if (mayGoOn(content)) return before;
    // A line in between holds nothing but a part of it.
    if (!/^[ \t>|]{0,40}[A-Za-z0-9_+/=.-]{4,2048}[ \t\\]{0,3}\r?\n$/.test(content)) return to;
    start = before;
  }
  return to;
}

/** Where the first secret begins that is not known to be over. One that is far too long is no reason to wait. */
function firstOpen(text: string, spans: readonly SecretSpan[], { from, to }: Range): number {
  for (const { start, end, family } of spans) {
    if (start < from || text.length - start > maxBlock) continue;
    if (end >= to || (family === privateKey && !isOver(text.slice(end, to)))) return start;
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
  const lines = Math.max(start, gone - maxLine, 0);
  return Math.min(lines, startOfTable(text, gone));
}

/** The heading of the table that goes on here: its columns say what the cells are. */
function startOfTable(text: string, gone: number): number {
  const limit = Math.max(0, gone - 4 * maxLine);
  let start = gone;
  while (start > limit) {
    const before = text.lastIndexOf("\n", start - 2) + 1;
    if (before < limit || !/[|+]/.test(text.slice(before, start))) break;
    start = before;
  }
  return start;
}
