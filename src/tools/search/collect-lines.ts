import { clipText } from "../../core/cut-text.ts";

export interface LineRange {
  /** 1-based. */
  readonly first: number;
  readonly count: number;
  /** Characters; a longer line is cut. */
  readonly maxLineLength: number;
  /** Of all lines together. */
  readonly maxBytes: number;
}

export interface CollectedLines {
  readonly lines: readonly string[];
  /**
   * - `end`: the file ended
   * - `count`, `bytes`: as much as was asked for or allowed, and there is more
   * - `long_line`: the last line is so long that its end was not looked for
   */
  readonly stoppedBy: "end" | "count" | "bytes" | "long_line";
  /** Undefined when the file was not read to its end. */
  readonly totalLines: number | undefined;
  /** The numbers of the lines that were cut. */
  readonly cut: readonly number[];
  readonly hasCrlf: boolean;
  /** Some bytes were not UTF-8 and became U+FFFD. */
  readonly hasInvalid: boolean;
}

export interface LineCollector {
  take(utf8: Buffer): void;
  /** The range is complete; what is taken from now on is only counted. */
  isDone(): boolean;
  stoppedBy(): CollectedLines["stoppedBy"];
  /** What there is when the source has ended. */
  end(): CollectedLines;
  /** What there is when nobody looks further. */
  give(): CollectedLines;
}

/** Past this a line's end is not looked for: one line of 5 GB costs no more than a short one. */
const longestLineBytes = 1_000_000;
const newline = 10;
const carriageReturn = 13;

/** Picks a range of lines out of UTF-8 that comes in pieces. Lines end with LF or CRLF. */
export function collectLines(range: LineRange): LineCollector {
  // Enough for the longest cut line, whose last character may be incomplete but is then cut away.
  const keptBytes = range.maxLineLength * 4 + 8;
  const lines: string[] = [];
  const cut: number[] = [];
  let line = 1;
  let lineBytes = 0;
  let pieces: Buffer[] = [];
  let bytes = 0;
  let stoppedBy: CollectedLines["stoppedBy"] = "end";
  let done = false;
  let hasCrlf = false;
  let hasInvalid = false;

  function take(utf8: Buffer): void {
    let at = 0;
    while (at < utf8.length) {
      const end = utf8.indexOf(newline, at);
      const stop = end === -1 ? utf8.length : end;
      if (!done && line >= range.first) keep(utf8.subarray(at, stop), end !== -1);
      lineBytes = end === -1 ? lineBytes + stop - at : 0;
      if (end === -1) return;
      line += 1;
      at = end + 1;
    }
  }

  function keep(part: Buffer, isLast: boolean): void {
    const room = keptBytes - lineBytes;
    if (isLast) {
      addLine(pieces.length === 0 ? part : Buffer.concat([...pieces, part]), lineBytes + part.length, true);
      pieces = [];
    } else if (lineBytes + part.length > longestLineBytes) {
      addLine(Buffer.concat([...pieces, part]), Infinity, false);
      stop("long_line");
    } else if (room > 0) {
      // The piece is read into again, so what must outlive it is copied.
      pieces.push(Buffer.from(part.subarray(0, room)));
    }
  }

  function addLine(raw: Buffer, wholeBytes: number, hasNewline: boolean): void {
    const endsInCrlf = hasNewline && raw.at(-1) === carriageReturn;
    const kept = raw.subarray(0, Math.min(keptBytes, raw.length - (endsInCrlf ? 1 : 0)));
    const whole = kept.toString("utf8");
    const text = clipText(whole, range.maxLineLength);
    const size = Buffer.byteLength(text) + 1;
    if (lines.length > 0 && bytes + size > range.maxBytes) return stop("bytes");
    if (text.length < whole.length || wholeBytes - (endsInCrlf ? 1 : 0) > kept.length) cut.push(line);
    if (text.includes("\uFFFD") && !kept.subarray(0, size - 1).equals(Buffer.from(text))) hasInvalid = true;
    hasCrlf ||= endsInCrlf;
    bytes += size;
    lines.push(text);
    if (lines.length >= range.count) stop("count");
  }

  function stop(cause: CollectedLines["stoppedBy"]): void {
    done = true;
    stoppedBy = cause;
  }

  function end(): CollectedLines {
    const isOpen = lineBytes > 0;
    if (isOpen && !done && line >= range.first) addLine(Buffer.concat(pieces), lineBytes, false);
    const totalLines = isOpen ? line : line - 1;
    const isWhole = range.first + lines.length > totalLines;
    return { ...give(), totalLines, ...(isWhole ? { stoppedBy: "end" } : {}) };
  }

  const give = (): CollectedLines => ({ lines, cut, hasCrlf, hasInvalid, stoppedBy, totalLines: undefined });
  return { take, isDone: () => done, stoppedBy: () => stoppedBy, end, give };
}
