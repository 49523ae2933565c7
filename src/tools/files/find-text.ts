import { encodeText, unitBytes } from "./text-format.ts";
import type { TextFormat } from "./text-format.ts";

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
