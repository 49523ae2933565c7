/** What becomes of one piece that a pattern found; `before` is the last character that was kept, `after` the next one as it came. */
export type Rewrite = (piece: string, before: string, after: string) => string;

export interface Rewritten {
  readonly text: string;
  /** The last character of it, for the text that goes on from here. */
  readonly last: string;
}

/** Like `replaceAll`, but knows what was kept before each piece. */
export function rewriteControls(
  text: string,
  { pattern, rewrite, before: start = "" }: { pattern: RegExp; rewrite: Rewrite; before?: string },
): Rewritten {
  const parts: string[] = [];
  let at = 0;
  let before = start;
  for (const { 0: piece, index } of text.matchAll(pattern)) {
    if (index > at) {
      parts.push(text.slice(at, index));
      before = lastCharacter(text, index);
    }
    at = index + piece.length;
    const kept = rewrite(piece, before, at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : "");
    if (kept === "") continue;
    parts.push(kept);
    before = lastCharacter(kept, kept.length);
  }
  if (at === 0) return { text, last: text === "" ? before : lastCharacter(text, text.length) };
  if (at < text.length) {
    parts.push(text.slice(at));
    before = lastCharacter(text, text.length);
  }
  return { text: parts.join(""), last: before };
}

function lastCharacter(text: string, end: number): string {
  const low = text.charCodeAt(end - 1);
  const isPair = low >= 0xdc00 && low <= 0xdfff && end >= 2 && (text.charCodeAt(end - 2) & 0xfc00) === 0xd800;
  return text.slice(end - (isPair ? 2 : 1), end);
}
