import { clipText } from "../../core/text.ts";
import type { ToolResult } from "../../core/tool.ts";
import { countOf, formatCount } from "../failure.ts";
import { showPath } from "./locate-folder.ts";
import type { RipgrepEnd } from "./ripgrep.ts";

/** What was found and how much of it may be shown. */
export interface Findings {
  readonly limit: number;
  /** The search was ended early: all totals are at least. */
  readonly isCut: boolean;
  readonly notes: readonly string[];
}

const maxCharacters = 30_000;
const longestLine = 400;

export function reportRecords(records: readonly GrepRecord[], findings: Findings): ToolResult {
  const total = records.filter(({ isMatch }) => isMatch).length;
  const files = new Set(records.map(({ path }) => path)).size;
  const shown = firstMatches(records, findings.limit);
  const lines: string[] = [];
  let characters = 0;
  let matches = 0;
  let last: GrepRecord | undefined;
  const hasGaps = shown.some(({ isMatch }) => !isMatch);
  for (const record of shown) {
    const added = layOut(record, last, hasGaps);
    characters += added.reduce((sum, line) => sum + line.length + 1, 0);
    if (characters > maxCharacters && matches > 0) break;
    lines.push(...added);
    if (record.isMatch) matches++;
    last = record;
  }
  if (matches < total || findings.isCut) {
    lines.push(
      `[${formatCount(matches)} of ${atLeast(findings)}${formatCount(total)} matching lines in ${countOf(files, "file")}. ${advice}]`,
    );
  }
  const data = shown.filter(({ isMatch }) => isMatch).slice(0, matches);
  return {
    ok: true,
    output: [...lines, ...findings.notes].join("\n"),
    data: {
      matches: data.map(({ path, line, text }) => ({ path, line, text: clipText(text, longestLine) })),
      total_matches: total,
      total_files: files,
      truncated: matches < total || findings.isCut,
    },
  };
}

export function reportCounts(counts: readonly { path: string; count: number }[], findings: Findings): ToolResult {
  const shown = counts.slice(0, findings.limit);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const summary = `[${atLeast(findings)}${formatCount(total)} matching lines in ${countOf(counts.length, "file")}.${shown.length < counts.length ? ` ${advice}` : ""}]`;
  return {
    ok: true,
    output: [...shown.map(({ path, count }) => `${showPath(path)}: ${count}`), summary, ...findings.notes].join("\n"),
    data: {
      counts: shown,
      total_matches: total,
      total_files: counts.length,
      truncated: shown.length < counts.length || findings.isCut,
    },
  };
}

export function reportFiles(paths: readonly string[], findings: Findings): ToolResult {
  const shown = paths.slice(0, findings.limit);
  const isPart = shown.length < paths.length || findings.isCut;
  const note = isPart
    ? [`[${formatCount(shown.length)} of ${atLeast(findings)}${countOf(paths.length, "file")}. ${advice}]`]
    : [];
  return {
    ok: true,
    output: [...shown.map(showPath), ...note, ...findings.notes].join("\n"),
    data: { files: shown, total_files: paths.length, truncated: isPart },
  };
}

/** When nothing but binary files matches: that they do is known, not where and how often. */
export function reportBinaries(paths: readonly string[], { notes }: Findings): ToolResult {
  return {
    ok: true,
    output: [describeBinaries(paths), ...notes].join("\n"),
    data: { matches: [], total_matches: paths.length, total_files: paths.length, truncated: true },
  };
}

const mostNamed = 10;

export function describeBinaries(paths: readonly string[]): string {
  if (paths.length === 1) return `${showPath(paths[0]!)} is binary and matches.`;
  const named = paths.slice(0, mostNamed).map(showPath).join(", ");
  const more = paths.length > mostNamed ? ` and ${formatCount(paths.length - mostNamed)} more` : "";
  return `${named}${more} are binary and match.`;
}

const advice = "Narrow the pattern, path or glob, or raise limit.";

function atLeast({ isCut }: Findings): string {
  return isCut ? "at least " : "";
}

/** Up to the last match that fits the limit, with the context that follows it. */
function firstMatches(records: readonly GrepRecord[], limit: number): readonly GrepRecord[] {
  let matches = 0;
  const end = records.findIndex(({ isMatch }) => isMatch && ++matches > limit);
  if (end === -1) return records;
  // Context before the match that is not shown would dangle.
  let last = end;
  while (last > 0 && !records[last - 1]!.isMatch) last--;
  return records.slice(0, last);
}

/** A line of the report, after the file's name when that changes, and a gap where lines between are left out. */
function layOut(record: GrepRecord, last: GrepRecord | undefined, hasGaps: boolean): string[] {
  const text = clipText(record.text, longestLine);
  const line = `${record.line}${record.isMatch ? ":" : "-"}${text}${text.length < record.text.length ? "…" : ""}`;
  if (last?.path !== record.path) return [...(last === undefined ? [] : [""]), showPath(record.path), line];
  return hasGaps && record.line > last.line + 1 ? ["--", line] : [line];
}

export type OutputMode = "content" | "files" | "count";

/** What ripgrep printed, read: records and binaries, or files, or counts, as was asked for. */
export interface GrepFindings {
  readonly records: readonly GrepRecord[];
  /** Binary files that match. */
  readonly binaries: readonly string[];
  readonly files: readonly string[];
  readonly counts: readonly { readonly path: string; readonly count: number }[];
  /** There was more than this. */
  readonly isCut: boolean;
  /** How many files and folders could not be read. */
  readonly unreadable: number;
}

export const noFindings: GrepFindings = {
  records: [],
  binaries: [],
  files: [],
  counts: [],
  isCut: false,
  unreadable: 0,
};

export function readFindings({ output, isCut, unreadable }: RipgrepEnd, mode: OutputMode): GrepFindings {
  const none = { ...noFindings, isCut, unreadable };
  if (mode === "files") return { ...none, files: parsePaths(output) };
  if (mode === "count") return { ...none, counts: parseCounts(output) };
  return { ...none, ...parseRecords(output, isCut) };
}

export function pathsOf({ records, binaries, files, counts }: GrepFindings): Set<string> {
  const ofItems = [...records, ...counts].map(({ path }) => path);
  return new Set([...ofItems, ...binaries, ...files]);
}

export function keepPaths(findings: GrepFindings, takes: (path: string) => boolean): GrepFindings {
  const takesItem = ({ path }: { readonly path: string }): boolean => takes(path);
  return {
    ...findings,
    records: findings.records.filter(takesItem),
    binaries: findings.binaries.filter(takes),
    files: findings.files.filter(takes),
    counts: findings.counts.filter(takesItem),
  };
}

export function renamePaths(findings: GrepFindings, rename: (path: string) => string): GrepFindings {
  const renameItem = <Item extends { readonly path: string }>(item: Item): Item => ({
    ...item,
    path: rename(item.path),
  });
  return {
    ...findings,
    records: findings.records.map(renameItem),
    binaries: findings.binaries.map(rename),
    files: findings.files.map(rename),
    counts: findings.counts.map(renameItem),
  };
}

export function joinFindings(a: GrepFindings, b: GrepFindings): GrepFindings {
  return {
    records: [...a.records, ...b.records],
    binaries: [...a.binaries, ...b.binaries],
    files: [...a.files, ...b.files],
    counts: [...a.counts, ...b.counts],
    isCut: a.isCut || b.isCut,
    unreadable: a.unreadable + b.unreadable,
  };
}

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
function parseRecords(output: Buffer, isCut: boolean): ParsedRecords {
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
function parseCounts(output: Buffer): { path: string; count: number }[] {
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
function parsePaths(output: Buffer): string[] {
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
