import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { JournalHead } from "../../core/stores.ts";
import { parseLine } from "./log-line.ts";
import { findLine } from "./read-log-lines.ts";
import { listSegments, type Segment } from "./segments.ts";

/** What a quick look at a journal tells. It proves nothing: only `verify` reads every line. */
export interface JournalState {
  readonly segments: number;
  readonly bytes: number;
  /** The time of the last line; null when there is none. */
  readonly lastAt: string | null;
  /** What certainly is not as it was written, in a sentence each. */
  readonly problems: readonly string[];
  /** What a crash can explain. */
  readonly remarks: readonly string[];
}

/** How much of the end is read. */
const tailBytes = 256 * 1024;

/** Looks at the last lines, and whether every segment is as long as the store remembers it. Changes nothing. */
export function inspectJournal(folder: string, heads: readonly JournalHead[]): JournalState {
  const segments = listSegments(folder);
  const last = segments.at(-1);
  if (!last) {
    const problems = heads.every(({ seq }) => seq === 0)
      ? []
      : ["the log is gone, and the store remembers that there was one"];
    return { segments: 0, bytes: 0, lastAt: null, problems, remarks: [] };
  }
  const sizes = new Map(segments.map((segment) => [segment.number, sizeOf(segment)]));
  const tail = readEnd(last);
  return {
    segments: segments.length,
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    lastAt: tail.lastAt,
    problems: [...tail.problems, ...compareLengths(heads, sizes), ...findNewest(heads, last, tail)],
    remarks: tail.remarks,
  };
}

/** A segment only grows, so one that is shorter than it was has lost its end. */
function compareLengths(heads: readonly JournalHead[], sizes: ReadonlyMap<number, number>): string[] {
  const known = new Map<number, number>();
  for (const { segment, bytes } of heads) known.set(segment, Math.max(bytes, known.get(segment) ?? 0));
  const newest = Math.max(...sizes.keys());
  return [...known].flatMap(([segment, bytes]) => {
    const size = sizes.get(segment);
    if (size === undefined) return segment > newest ? [`file ${segment} of the log is gone`] : [];
    return size < bytes ? [`file ${segment} of the log is ${size} bytes long, and the store knows of ${bytes}`] : [];
  });
}

/** The newest line that the store knows of must be there, when it can only be in what was read. */
function findNewest(heads: readonly JournalHead[], { number }: Segment, { from, hashes }: End): string[] {
  const newest = heads.filter(({ segment }) => segment === number).toSorted((a, b) => b.bytes - a.bytes)[0];
  if (!newest || newest.bytes <= from || hashes.has(newest.hash)) return [];
  return [`the last line that the store knows of (${newest.writer}:${newest.seq}) is not where it was`];
}

interface End {
  readonly from: number;
  readonly hashes: ReadonlySet<string>;
  readonly lastAt: string | null;
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

function readEnd(segment: Segment): End {
  const { from, bytes } = readBytes(segment);
  const hashes = new Set<string>();
  let lastAt: string | null = null;
  let edited = 0;
  let begin = from === 0 ? 0 : bytes.indexOf(10) + 1;
  const start = from + begin;
  for (let end = bytes.indexOf(10, begin); end >= 0; end = bytes.indexOf(10, begin)) {
    const raw = bytes.subarray(begin, end);
    begin = end + 1;
    const found = findLine(raw);
    if (!found) {
      // What a writer could not finish is ended by the next one, and is no line.
      if (parseLine(raw)) edited += 1;
      continue;
    }
    hashes.add(found.line.hash);
    lastAt = found.line.at;
  }
  return {
    from: start,
    hashes,
    lastAt,
    problems: edited === 0 ? [] : [`${edited} of the last lines of ${segment.name} do not fit their hash`],
    remarks:
      begin < bytes.length ? ["its last line is not finished, as after a crash; the next call repairs that"] : [],
  };
}

function readBytes({ path }: Segment): { readonly from: number; readonly bytes: Buffer } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - tailBytes);
    const buffer = Buffer.alloc(size - from);
    return { from, bytes: buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from)) };
  } finally {
    closeSync(fd);
  }
}

function sizeOf({ path }: Segment): number {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
}
