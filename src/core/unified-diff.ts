import { diffLines } from "./diff-lines.ts";
import type { Change } from "./diff-lines.ts";

export interface DiffNames {
  /** Undefined for a file that did not exist. */
  readonly from: string | undefined;
  readonly to: string;
}

/** Past this a diff would help nobody and cost too much. */
const longestText = 2_000_000;
const contextLines = 3;

/**
 * A unified diff as `patch` and `git apply` read it; empty when nothing changed, undefined when what changed is too long
 * to compare.
 */
export function unifiedDiff(before: string, after: string, names: DiffNames): string | undefined {
  if (before === after) return "";
  const part = focus(before, after);
  if (part.before.length > longestText || part.after.length > longestText) return undefined;
  const oldLines = splitLines(part.before);
  const newLines = splitLines(part.after);
  const lines = [`--- ${names.from === undefined ? "/dev/null" : `a/${names.from}`}`, `+++ b/${names.to}`];
  for (const group of groupChanges(diffLines(oldLines, newLines))) {
    // One by one: a hunk may have more lines than a call may have arguments.
    for (const line of showHunk(group, { oldLines, newLines, linesBefore: part.linesBefore })) lines.push(line);
  }
  return `${lines.join("\n")}\n`;
}

/** At most so many lines of a diff, saying how many were left out. */
export function cutDiff(diff: string, maxLines: number): string {
  const lines = diff.split("\n");
  if (lines.length <= maxLines) return diff;
  return `${lines.slice(0, maxLines).join("\n")}\n[${lines.length - maxLines} more lines of the diff left out]\n`;
}

interface Focus {
  readonly before: string;
  readonly after: string;
  readonly linesBefore: number;
}

/** The part of two texts in which they differ, with whole lines and the context: the rest is not worth splitting. */
function focus(before: string, after: string): Focus {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same++;
  let start = same;
  for (let line = 0; line <= contextLines && start > 0; line++) {
    start = line === 0 ? lineStart(before, start) : lineStart(before, start - 1);
  }
  let tail = 0;
  while (
    tail < shorter - same &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++;
  }
  let end = before.length - tail;
  for (let line = 0; line <= contextLines && end < before.length; line++) end = nextLine(before, end);
  const rest = before.length - end;
  return {
    before: before.slice(start, end),
    after: after.slice(start, after.length - rest),
    linesBefore: countNewlines(before, start),
  };
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function nextLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline === -1 ? text.length : newline + 1;
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Lines with their newline, so that a missing one at the end is a difference. */
function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    const next = end === -1 ? text.length : end + 1;
    lines.push(text.slice(at, next));
    at = next;
  }
  return lines;
}

/** Changes whose context would touch share a hunk. */
function groupChanges(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && change.oldStart - last.oldEnd <= 2 * contextLines) groups.at(-1)!.push(change);
    else groups.push([change]);
  }
  return groups;
}

interface Compared {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly linesBefore: number;
}

function showHunk(group: readonly Change[], { oldLines, newLines, linesBefore }: Compared): string[] {
  const first = group[0]!;
  const last = group.at(-1)!;
  const oldStart = Math.max(first.oldStart - contextLines, 0);
  const oldEnd = Math.min(last.oldEnd + contextLines, oldLines.length);
  const newStart = first.newStart - (first.oldStart - oldStart);
  const newEnd = last.newEnd + (oldEnd - last.oldEnd);
  const oldRange = showRange(linesBefore + oldStart, oldEnd - oldStart);
  const lines = [`@@ -${oldRange} +${showRange(linesBefore + newStart, newEnd - newStart)} @@`];
  const add = (sign: string, source: readonly string[]): void => {
    for (const line of source) lines.push(...showLine(sign, line));
  };
  let at = oldStart;
  for (const change of group) {
    add(" ", oldLines.slice(at, change.oldStart));
    add("-", oldLines.slice(change.oldStart, change.oldEnd));
    add("+", newLines.slice(change.newStart, change.newEnd));
    at = change.oldEnd;
  }
  add(" ", oldLines.slice(at, oldEnd));
  return lines;
}

/** An empty range is named by the line before it, as `diff -u` does. */
function showRange(start: number, length: number): string {
  return length === 1 ? `${start + 1}` : `${length === 0 ? start : start + 1},${length}`;
}

function showLine(sign: string, line: string): string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}
