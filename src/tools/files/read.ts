import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { clipText } from "../../core/text.ts";
import { defineTool } from "../../core/define-tool.ts";
import type { ToolResult } from "../../core/tool.ts";
import type { OpenedRegular } from "../../guard/path/open-folder.ts";
import { asResult, countOf, failure, formatBytes, formatCount } from "../failure.ts";
import { type Located, withPlace } from "./locate-file.ts";
import { openFile, recognizeBinary, sampleBytes } from "./open-file.ts";
import { detectFormat, type TextFormat } from "./text-format.ts";

const mostLines = 2000;
const maxBytes = 100_000;
const maxLineLength = 2000;

export const readTool = defineTool({
  name: "read",
  description:
    "Read a text file. Each line comes as its number, a tab, and the text. Gives up to 2,000 lines or 100 kB; a note at the end says how to continue.",
  traits: { readOnly: true, risk: "low", category: "files" },
  timeoutMs: 10_000,
  parameterAliases: { path: "file_path" },
  input: z.object({
    file_path: z.string().describe("Path, relative to the workdir"),
    offset: z.number().int().min(0).optional().describe("First line, from 1"),
    limit: z.number().int().min(1).optional().describe("How many lines"),
  }),
  resources: ({ file_path }) => [{ kind: "path", path: file_path, access: "read" }],
  run: ({ file_path, offset = 1, limit = mostLines }, context) =>
    asResult(file_path, context.signal, () =>
      withPlace<ToolResult>(file_path, context, async (held) => {
        const opened = await openFile(held);
        if (!opened.ok) return opened;
        try {
          return await readOpened(held, opened, { first: Math.max(offset, 1), count: limit, signal: context.signal });
        } finally {
          await opened.handle.close();
        }
      }),
    ),
});

interface Wanted {
  readonly first: number;
  readonly count: number;
  readonly signal: AbortSignal;
}

async function readOpened({ shown }: Located, { handle, stats }: OpenedRegular, wanted: Wanted): Promise<ToolResult> {
  const size = Number(stats.size);
  const head = Buffer.alloc(Math.min(size, sampleBytes));
  const { bytesRead } = await handle.read(head, 0, head.length, 0);
  const binary = recognizeBinary(head.subarray(0, bytesRead));
  if (binary !== undefined) {
    return failure(
      "binary",
      `${shown} is ${binary} (${formatBytes(size)}), not text.`,
      "Use a program that knows this kind of file, through bash.",
    );
  }
  const format = detectFormat(head);
  const { first, count, signal } = wanted;
  const read = await readLines({ handle, format, size }, { first, count, maxLineLength, maxBytes }, signal);
  const { lines, totalLines } = read;
  if (lines.length === 0 && first > 1) {
    const error = `${shown} has ${countOf(totalLines ?? 0, "line")}; offset ${first} is past its end.`;
    return failure("invalid_input", error, "Use a smaller offset.");
  }
  const cut = new Set(read.cut);
  const numbered = lines.map((text, index) => showLine(first + index, text, cut.has(first + index)));
  const notes = notesOn(read, { first, size, format });
  return {
    ok: true,
    output: [...numbered, ...notes].join("\n"),
    data: {
      file_path: shown,
      start_line: first,
      lines: lines.length,
      total_lines: totalLines ?? null,
      bytes: size,
      truncated: read.stoppedBy !== "end" || read.cut.length > 0,
      encoding: format.encoding,
      line_ending: read.hasCrlf ? "crlf" : "lf",
    },
  };
}

function showLine(number: number, text: string, isCut: boolean): string {
  // A NUL would end the text for many a reader.
  return `${number}\t${text.replaceAll("\0", "␀")}${isCut ? "… [cut]" : ""}`;
}

function notesOn(read: CollectedLines, file: { first: number; size: number; format: TextFormat }): string[] {
  const { lines, totalLines, cut } = read;
  if (lines.length === 0) return ["[The file is empty.]"];
  const last = file.first + lines.length - 1;
  const notes: string[] = [];
  if (read.stoppedBy === "long_line") {
    notes.push(`[Line ${last} is longer than 1 MB; what follows was not looked for. offset=${last + 1} does that.]`);
  } else if (read.stoppedBy !== "end") {
    const of = totalLines === undefined ? `a file of ${formatBytes(file.size)}` : formatCount(totalLines);
    notes.push(`[Lines ${file.first}-${last} of ${of}. Continue with offset=${last + 1}.]`);
  }
  if (cut.length > 0) {
    const which = cut.length === 1 ? `Line ${cut[0]} was` : `${countOf(cut.length, "line")} from ${cut[0]} on were`;
    notes.push(`[${which} cut at ${formatCount(maxLineLength)} characters. Find text in long lines with grep.]`);
  }
  if (read.hasInvalid) notes.push("[Bytes that are not UTF-8 are shown as \uFFFD; edit keeps them.]");
  if (file.format.encoding !== "utf-8") notes.push(`[Encoding: ${file.format.encoding.toUpperCase()}; edit keeps it.]`);
  if (read.hasCrlf) notes.push("[Line endings: CRLF; edit keeps them.]");
  return notes;
}

export interface TextSource {
  readonly handle: FileHandle;
  readonly format: TextFormat;
  readonly size: number;
}

/** When this little is left of a file after the range, its lines are counted to the end. */
const countableBytes = 4_000_000;
const pieceBytes = 262_144;

/**
 * Reads a range of lines in pieces: memory depends on what is returned, never on the file, and time on where the range
 * ends, because the lines before it have to be counted.
 */
async function readLines(source: TextSource, range: LineRange, signal: AbortSignal): Promise<CollectedLines> {
  const collector = collectLines(range);
  const toUtf8 = utf8Converter(source.format);
  const piece = Buffer.allocUnsafe(Math.min(source.size + 4096, pieceBytes));
  let position: number = source.format.markBytes;
  let last = Infinity;
  while (position < last) {
    signal.throwIfAborted();
    const { bytesRead } = await source.handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) return collector.end();
    collector.take(toUtf8(piece.subarray(0, bytesRead)));
    position += bytesRead;
    if (last === Infinity && collector.isDone()) {
      const countable = collector.stoppedBy() !== "long_line" && source.size - position <= countableBytes;
      // A file that grows while it is read is followed for a while, not for ever.
      last = countable ? position + 2 * countableBytes : position;
    }
  }
  return collector.give();
}

/** Lines are found by their newline byte, so UTF-16 is turned into UTF-8 as it comes. */
function utf8Converter(format: TextFormat): (bytes: Buffer) => Buffer {
  if (format.encoding === "utf-8") return (bytes) => bytes;
  const decoder = new TextDecoder(format.encoding, { ignoreBOM: true });
  return (bytes) => Buffer.from(decoder.decode(bytes, { stream: true }));
}

interface LineRange {
  /** 1-based. */
  readonly first: number;
  readonly count: number;
  /** Characters; a longer line is cut. */
  readonly maxLineLength: number;
  /** Of all lines together. */
  readonly maxBytes: number;
}

interface CollectedLines {
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
function collectLines(range: LineRange): LineCollector {
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
