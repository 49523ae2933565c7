/** One line of ripgrep's output. */
export interface GrepRecord {
  readonly path: string;
  readonly line: number;
  readonly isMatch: boolean;
  readonly text: string;
  /** The line was longer than `maxColumns`. */
  readonly isCut: boolean;
  /** Where in the file the line begins. */
  readonly offset: number;
  /** Where in the line the first match begins, in bytes from 1; 0 for a line of context. */
  readonly column: number;
}

export const maxColumns = 300;

/** What `parseRecords` expects ripgrep to be called with. */
export const recordOptions: readonly string[] = [
  "--no-heading",
  "--with-filename",
  "--null",
  "--line-number",
  "--column",
  "--byte-offset",
  "--no-context-separator",
  `--max-columns=${maxColumns}`,
  "--max-columns-preview",
];

/** Reads `path NUL line:column:offset:text` and, for context, `path NUL line-offset-text`. */
export function parseRecords(output: Buffer, isCut: boolean): { records: GrepRecord[]; binaries: string[] } {
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
  return { records, binaries };
}

/** Reads `path NUL count` lines. */
export function parseCounts(output: Buffer): { path: string; count: number }[] {
  const counts: { path: string; count: number }[] = [];
  for (let at = 0; at < output.length;) {
    const nul = output.indexOf(0, at);
    const end = output.indexOf(10, nul);
    if (nul === -1 || end === -1) break;
    counts.push({
      path: output.toString("utf8", at, nul),
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
    .slice(0, -1);
}

function parseRecord(path: string, rest: string): GrepRecord | undefined {
  const match = /^(\d+):(\d+):(\d+):/.exec(rest);
  const context = match === null ? /^(\d+)-(\d+)-/.exec(rest) : null;
  const head = match ?? context;
  if (head === null) return undefined;
  const line = rest.slice(head[0].length);
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const cutNote = longLineNote.exec(text);
  return {
    path: path.startsWith("./") ? path.slice(2) : path,
    line: Number(head[1]),
    isMatch: match !== null,
    text: cutNote === null ? text : text.slice(0, cutNote.index),
    isCut: cutNote !== null,
    offset: Number(match?.[3] ?? context?.[2]),
    column: Number(match?.[2] ?? 0),
  };
}

const longLineNote = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;
const binaryNote =
  /^(.*): (?:binary file matches|WARNING: stopped searching binary file after match) \(found .* byte around offset \d+\)\r?\n/;

/** Ripgrep notes binary files between the records, as lines of their own. */
function takeBinaryNotes(head: string, binaries: string[]): string {
  let rest = head;
  for (let note = binaryNote.exec(rest); note !== null; note = binaryNote.exec(rest)) {
    binaries.push(note[1]!);
    rest = rest.slice(note[0].length);
  }
  return rest;
}
