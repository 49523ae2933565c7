import { encodeText, type TextFormat, unitBytes } from "./text-format.ts";

export interface TextFile {
  readonly bytes: Buffer;
  readonly format: TextFormat;
}

/** Bytes [start, end) of a file. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface Found {
  /** `exact`: byte for byte; `line_endings`: with LF and CRLF taken for the same. */
  readonly by: "exact" | "line_endings";
  readonly places: readonly Place[];
}

/**
 * Where a text occurs in a file, at most `most` times: first exactly, then with LF and CRLF taken for the same, because
 * a model sees and sends LF whatever the file has. Overlapping places all count, so that "once" means just one.
 */
export function findText(file: TextFile, text: string, most: number): Found {
  const unit = unitBytes(file.format);
  const exact = findBytes(file.bytes, encodeText(text, file.format), { unit, most });
  if (exact.length > 0 || !text.includes("\n")) {
    const places = text.startsWith("\n") ? exact.map((place) => withReturn(file, place)) : exact;
    return { by: "exact", places };
  }
  return { by: "line_endings", places: findIgnoringReturns(file, text, most) };
}

/** The places that a replacement of all would take: each begins after the one before ended. */
export function withoutOverlaps(places: readonly Place[]): Place[] {
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

function findBytes(bytes: Buffer, needle: Buffer, { unit, most }: { unit: number; most: number }): Place[] {
  const places: Place[] = [];
  for (let at = bytes.indexOf(needle); at !== -1 && places.length < most; at = bytes.indexOf(needle, at + 1)) {
    if (at % unit === 0) places.push({ start: at, end: at + needle.length });
  }
  return places;
}

/** A newline that is found takes its CR along: one half of a line ending is never left behind. */
function withReturn({ bytes, format }: TextFile, { start, end }: Place): Place {
  const before = start - unitBytes(format);
  return before >= 0 && bytes.subarray(before, start).equals(encodeText("\r", format))
    ? { start: before, end }
    : { start, end };
}

function findIgnoringReturns({ bytes, format }: TextFile, text: string, most: number): Place[] {
  const unit = unitBytes(format);
  const crlf = encodeText("\r\n", format);
  const returns: number[] = [];
  for (let at = bytes.indexOf(crlf); at !== -1; at = bytes.indexOf(crlf, at + 1)) if (at % unit === 0) returns.push(at);
  if (returns.length === 0 && !text.includes("\r\n")) return [];
  const lean = removeAt(bytes, returns, unit);
  const needle = encodeText(text.replaceAll("\r\n", "\n"), format);
  return findBytes(lean, needle, { unit, most }).map(({ start, end }) => ({
    start: start + unit * countBefore(returns, start, unit),
    end: end + unit * countBefore(returns, end, unit),
  }));
}

function removeAt(bytes: Buffer, places: readonly number[], length: number): Buffer {
  const lean = Buffer.allocUnsafe(bytes.length - places.length * length);
  let from = 0;
  let to = 0;
  for (const place of places) {
    to += bytes.copy(lean, to, from, place);
    from = place + length;
  }
  bytes.copy(lean, to, from);
  return lean;
}

/** How many of the removed CRs stood before a position of the text without them. */
function countBefore(returns: readonly number[], position: number, unit: number): number {
  let low = 0;
  let high = returns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (returns[middle]! - middle * unit < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Characters that a reader can't tell apart: composed and decomposed letters, kinds of spaces, what shows nothing at all.

/** Where the wanted text begins (0-based line) when only look-alikes keep it from being found. */
export function findLookAlike(text: string, wanted: string): number | undefined {
  if (plain.test(text) && plain.test(wanted)) return undefined;
  const sought = fold(wanted);
  const folded = fold(text);
  const at = sought === "" ? -1 : folded.indexOf(sought);
  return at === -1 ? undefined : folded.slice(0, at).split("\n").length - 1;
}

/**
 * Names the first character that differs by its code points, when the lines are the same but for look-alikes, or for at
 * most so many other characters; to be read after "line 12 …". Nothing when code points would not help.
 */
export function nameCharacters(wanted: string, actual: string, mostOthers: number): string | undefined {
  if (wanted.length > longestCompared || actual.length > longestCompared) return undefined;
  const sought = splitCharacters(wanted);
  const there = splitCharacters(actual);
  const start = align(sought, there, Math.min(mostOthers, Math.floor(sought.length / 3)));
  if (start === undefined) return undefined;
  const at = sought.findIndex(({ text }, index) => text !== there[start + index]!.text);
  const [has, asked] = [there[start + at]?.text, sought[at]?.text];
  if (has === undefined || asked === undefined || (plain.test(has) && plain.test(asked))) return undefined;
  return `has ${codePoints(has)} where old_string has ${codePoints(asked)}`;
}

export function codePoints(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0)!;
    return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  }).join(" ");
}

const longestCompared = 2000;
const plain = /^[\u0020-\u007e\t\n]*$/;
const invisible = /\p{Default_Ignorable_Code_Point}|(?![\t\n])\p{Control}/gu;

function fold(text: string): string {
  return text.normalize("NFKC").replaceAll(invisible, "");
}

interface Character {
  readonly text: string;
  /** What look-alikes have in common. */
  readonly folded: string;
}

/** What a reader takes for one character, with what is invisible after it. */
function splitCharacters(line: string): Character[] {
  const characters: Character[] = [];
  let before = "";
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(line)) {
    const folded = fold(segment);
    const last = characters.at(-1);
    if (folded !== "") characters.push({ text: before + segment, folded });
    else if (last !== undefined) characters[characters.length - 1] = { ...last, text: last.text + segment };
    before = folded === "" && last === undefined ? before + segment : "";
  }
  return characters;
}

/** Where the sought characters lie in the line, with at most so many others; the best place, and the first of those. */
function align(sought: readonly Character[], there: readonly Character[], mostOthers: number): number | undefined {
  let best: number | undefined;
  let fewest = mostOthers + 1;
  for (let start = 0; start + sought.length <= there.length && fewest > 0; start++) {
    let others = 0;
    for (let at = 0; at < sought.length && others < fewest; at++) {
      if (sought[at]!.folded !== there[start + at]!.folded) others++;
    }
    if (others < fewest) [best, fewest] = [start, others];
  }
  return best;
}
