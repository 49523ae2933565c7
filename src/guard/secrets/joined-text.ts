import type { Scan } from "./trigger-index.ts";

/** A text without some of its parts, and where each character stands in the whole one. */
export interface JoinedText {
  readonly text: string;
  /** Of a range in `text`: where it ends in the whole text. */
  readonly endOf: (end: number) => number;
  readonly startOf: (start: number) => number;
}

// oxlint-disable-next-line no-control-regex -- the sequences that programs put around, and into, what they print
const sequences = /\u001b(?:\[[0-9;:?]{0,32}[A-Za-z]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|\(B)/g;

/** The text as it is seen, without what colours it; null when nothing does. */
export function withoutColours(text: string): JoinedText | null {
  if (!text.includes("\u001b")) return null;
  const cuts = [...text.matchAll(sequences)].map((found) => ({ at: found.index, length: found[0].length }));
  return cuts.length === 0 ? null : withoutParts(text, cuts);
}

/** A word that goes on in the next line, as a terminal or a mail wraps it. */
const wrap = /(?<=[A-Za-z0-9_+/=.-])[ \t]{0,2}\\?\r?\n[ \t>|]{0,40}(?=[A-Za-z0-9_+/=.-])/g;
const wordPattern = /[A-Za-z0-9_+/=.-]{0,2048}/y;
const mostWraps = 6;
const mostCharacters = 2048;

/** The text from here on with the line breaks of one wrapped word taken out; null when the word ends in its line. */
export function unwrapFrom(
  text: string,
  at: number,
  scan: Scan,
): (JoinedText & { readonly firstBreak: number }) | null {
  // Inside a word that was read before, and that ends in its line.
  if (at < (scan.readTo.get("wrap") ?? 0)) return null;
  wordPattern.lastIndex = at;
  const wordEnd = at + (wordPattern.exec(text)?.[0].length ?? 0);
  if (!/^[ \t]{0,2}\\?\r?\n/.test(text.slice(wordEnd, wordEnd + 6))) {
    scan.readTo.set("wrap", wordEnd);
    return null;
  }
  const rest = text.slice(at, at + mostCharacters);
  const end = /[^A-Za-z0-9_+/=.-]/.exec(rest)?.index ?? rest.length;
  const cuts: { at: number; length: number }[] = [];
  wrap.lastIndex = 0;
  let expected = end;
  for (const found of rest.matchAll(wrap)) {
    // Only where the word itself runs up to the break.
    if (found.index !== expected || cuts.length >= mostWraps) break;
    cuts.push({ at: found.index, length: found[0].length });
    const next = found.index + found[0].length;
    expected = next + (/[^A-Za-z0-9_+/=.-]/.exec(rest.slice(next))?.index ?? rest.length - next);
  }
  if (cuts.length === 0) return null;
  const { text: joined, startOf, endOf } = withoutParts(rest, cuts);
  return {
    text: joined,
    firstBreak: cuts[0]!.at,
    startOf: (start) => at + startOf(start),
    endOf: (stop) => at + endOf(stop),
  };
}

function withoutParts(text: string, cuts: readonly { readonly at: number; readonly length: number }[]): JoinedText {
  let joined = "";
  let from = 0;
  /** Where each kept part begins in the joined text, and how much was left out before it. */
  const shifts: { readonly at: number; readonly by: number }[] = [];
  let by = 0;
  for (const { at, length } of cuts) {
    joined += text.slice(from, at);
    from = at + length;
    by += length;
    shifts.push({ at: joined.length, by });
  }
  joined += text.slice(from);
  const startOf = (position: number): number => {
    let low = 0;
    let high = shifts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shifts[middle]!.at <= position) low = middle + 1;
      else high = middle;
    }
    return position + (shifts[low - 1]?.by ?? 0);
  };
  return { text: joined, startOf, endOf: (end) => startOf(end - 1) + 1 };
}
