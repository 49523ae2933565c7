/** One line of ripgrep's output. */
export interface GrepRecord {
  readonly path: string;
  readonly line: number;
  readonly isMatch: boolean;
  readonly text: string;
  /** The line was longer than `maxColumns`. */
  readonly isCut: boolean;
}

const maxColumns = 300;

/** Ripgrep keeps what it prints of a file in memory until that file is done: more matches of one file are not asked for. */
const mostOfOneFile = 5001;

/**
 * What `parseRecords` expects ripgrep to be called with. Not with `--column`: for that it would collect all matches of a
 * line in memory, and a line may be as long as a disk.
 */
export const recordOptions: readonly string[] = [
  "--no-heading",
  "--with-filename",
  "--null",
  "--line-number",
  "--no-context-separator",
  `--max-columns=${maxColumns}`,
  "--max-columns-preview",
  `--max-count=${mostOfOneFile}`,
];

export interface ParsedRecords {
  readonly records: GrepRecord[];
  /** Binary files that match. */
  readonly binaries: string[];
  /** There are more matches than records. */
  readonly isCut: boolean;
}

/** Reads `path NUL line:text` and, for context, `path NUL line-text`. */
export function parseRecords(output: Buffer, isCut: boolean): ParsedRecords {
  const records: GrepRecord[] = [];
  const binaries: string[] = [];
  let at = 0;
  while (at < output.length) {
    const nul = output.indexOf(0, at);
    const head = output.toString("utf8", at, nul === -1 ? output.length : nul);
    const path = takeBinaryNotes(head, binaries);
    if (nul === -1) break;
    const end = output.indexOf(10, nul);
    // Cut in the middle of a record: that one can't be trusted.
    if (end === -1 && isCut) break;
    const record = parseRecord(path, output.toString("utf8", nul + 1, end === -1 ? output.length : end));
    if (record !== undefined) records.push(record);
    at = end === -1 ? output.length : end + 1;
  }
  const counts = Map.groupBy(records, ({ path }) => path);
  const isFull = counts.values().some((ofFile) => ofFile.filter(({ isMatch }) => isMatch).length >= mostOfOneFile);
  return { records, binaries, isCut: isCut || isFull };
}

/** Reads `path NUL count` lines. */
export function parseCounts(output: Buffer): { path: string; count: number }[] {
  const counts: { path: string; count: number }[] = [];
  for (let at = 0; at < output.length;) {
    const nul = output.indexOf(0, at);
    const end = output.indexOf(10, nul);
    if (nul === -1 || end === -1) break;
    counts.push({
      path: plainPath(output.toString("utf8", at, nul)),
      count: Number.parseInt(output.toString("latin1", nul + 1, end), 10),
    });
    at = end + 1;
  }
  return counts;
}

/** Reads paths that each end with NUL; what follows the last one was cut. */
export function parsePaths(output: Buffer): string[] {
  return output
    .toString("utf8", 0, output.lastIndexOf(0) + 1)
    .split("\0")
    .slice(0, -1)
    .map(plainPath);
}

function parseRecord(path: string, rest: string): GrepRecord | undefined {
  const head = /^(\d+)([:-])/.exec(rest);
  if (head === null) return undefined;
  const line = rest.slice(head[0].length);
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const note = longLineNote.exec(text);
  return {
    path: plainPath(path),
    line: Number(head[1]),
    isMatch: head[2] === ":",
    text: note === null ? text : text.slice(0, note.index),
    isCut: note !== null,
  };
}

function plainPath(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

const longLineNote = / \[\.\.\. omitted end of long line\]$/;
const binaryNote =
  /^(.*): (?:binary file matches|WARNING: stopped searching binary file after match) \(found .* byte around offset \d+\)\r?\n/;

/** Ripgrep notes binary files between the records, as lines of their own. */
function takeBinaryNotes(head: string, binaries: string[]): string {
  let rest = head;
  for (let note = binaryNote.exec(rest); note !== null; note = binaryNote.exec(rest)) {
    binaries.push(plainPath(note[1]!));
    rest = rest.slice(note[0].length);
  }
  return rest;
}
