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
 * A unified diff as `patch` and `git apply` read it; empty when nothing changed, undefined when the texts are too long
 * to compare.
 */
export function unifiedDiff(before: string, after: string, names: DiffNames): string | undefined {
  if (before === after) return "";
  if (before.length > longestText || after.length > longestText) return undefined;
  const oldLines = splitLines(before);
  const newLines = splitLines(after);
  const lines = [`--- ${names.from === undefined ? "/dev/null" : `a/${names.from}`}`, `+++ b/${names.to}`];
  for (const group of groupChanges(diffLines(oldLines, newLines))) lines.push(...showHunk(group, oldLines, newLines));
  return `${lines.join("\n")}\n`;
}

/** At most so many lines of a diff, saying how many were left out. */
export function cutDiff(diff: string, maxLines: number): string {
  const lines = diff.split("\n");
  if (lines.length <= maxLines) return diff;
  return `${lines.slice(0, maxLines).join("\n")}\n[${lines.length - maxLines} more lines of the diff left out]\n`;
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

function showHunk(group: readonly Change[], oldLines: readonly string[], newLines: readonly string[]): string[] {
  const first = group[0]!;
  const last = group.at(-1)!;
  const oldStart = Math.max(first.oldStart - contextLines, 0);
  const oldEnd = Math.min(last.oldEnd + contextLines, oldLines.length);
  const newStart = first.newStart - (first.oldStart - oldStart);
  const newEnd = last.newEnd + (oldEnd - last.oldEnd);
  const lines = [`@@ -${showRange(oldStart, oldEnd)} +${showRange(newStart, newEnd)} @@`];
  let at = oldStart;
  for (const change of group) {
    lines.push(...oldLines.slice(at, change.oldStart).flatMap((line) => showLine(" ", line)));
    lines.push(...oldLines.slice(change.oldStart, change.oldEnd).flatMap((line) => showLine("-", line)));
    lines.push(...newLines.slice(change.newStart, change.newEnd).flatMap((line) => showLine("+", line)));
    at = change.oldEnd;
  }
  lines.push(...oldLines.slice(at, oldEnd).flatMap((line) => showLine(" ", line)));
  return lines;
}

/** An empty range is named by the line before it, as `diff -u` does. */
function showRange(start: number, end: number): string {
  const length = end - start;
  return length === 1 ? `${start + 1}` : `${length === 0 ? start : start + 1},${length}`;
}

function showLine(sign: string, line: string): string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}
