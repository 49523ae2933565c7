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

/** Lines [oldStart, oldEnd) became lines [newStart, newEnd); 0-based. */
interface Change {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/**
 * What changed between two lists of lines, in order. Small differences are found exactly (Myers), large ones are first
 * cut at lines that occur once on both sides (patience); when that takes too long, a stretch counts as replaced.
 * Always true, not always the shortest.
 */
function diffLines(before: readonly string[], after: readonly string[]): Change[] {
  const numbers = new Map<string, number>();
  const number = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const task: Task = { old: before.map(number), new: after.map(number), changes: [], steps: 0 };
  compare(task, { oldStart: 0, oldEnd: before.length, newStart: 0, newEnd: after.length });
  return task.changes;
}

interface Task {
  readonly old: readonly number[];
  readonly new: readonly number[];
  readonly changes: Change[];
  steps: number;
}

/** Keeps the worst case below about a fifth of a second. */
const mostSteps = 20_000_000;
/** The most inserted and deleted lines of a stretch that are looked for exactly; memory grows with its square. */
const mostEdits = 400;

function compare(task: Task, whole: Change): void {
  const range = trim(task, whole);
  if (range.oldStart === range.oldEnd && range.newStart === range.newEnd) return;
  if (range.oldStart === range.oldEnd || range.newStart === range.newEnd || task.steps > mostSteps) {
    task.changes.push(range);
    return;
  }
  const exact = findShortest(task, range);
  if (exact !== undefined) {
    task.changes.push(...exact);
    return;
  }
  const anchors = findAnchors(task, range);
  if (anchors.length === 0) {
    task.changes.push(range);
    return;
  }
  let { oldStart, newStart } = range;
  for (const [oldAt, newAt] of anchors) {
    compare(task, { oldStart, oldEnd: oldAt, newStart, newEnd: newAt });
    oldStart = oldAt + 1;
    newStart = newAt + 1;
  }
  compare(task, { oldStart, oldEnd: range.oldEnd, newStart, newEnd: range.newEnd });
}

function trim(task: Task, { oldStart, oldEnd, newStart, newEnd }: Change): Change {
  const range = { oldStart, oldEnd, newStart, newEnd };
  const more = (): boolean => range.oldStart < range.oldEnd && range.newStart < range.newEnd;
  while (more() && task.old[range.oldStart] === task.new[range.newStart]) {
    range.oldStart++;
    range.newStart++;
  }
  while (more() && task.old[range.oldEnd - 1] === task.new[range.newEnd - 1]) {
    range.oldEnd--;
    range.newEnd--;
  }
  return range;
}

/** Myers' greedy search, given up past `mostEdits`. */
function findShortest(task: Task, range: Change): Change[] | undefined {
  const oldLength = range.oldEnd - range.oldStart;
  const newLength = range.newEnd - range.newStart;
  const most = Math.min(mostEdits, oldLength + newLength);
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice(most + 1 - edits - 1, most + 1 + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = most + 1 + diagonal;
      const goesDown = diagonal === -edits || (diagonal !== edits && furthest[at - 1]! < furthest[at + 1]!);
      let x = goesDown ? furthest[at + 1]! : furthest[at - 1]! + 1;
      const from = x;
      while (x < oldLength && x - diagonal < newLength && sameLine(task, range, [x, x - diagonal])) x++;
      task.steps += 1 + x - from;
      furthest[at] = x;
      if (x >= oldLength && x - diagonal >= newLength) return walkBack(trace, range);
    }
    if (task.steps > mostSteps) return undefined;
  }
  return undefined;
}

function sameLine(task: Task, range: Change, [x, y]: readonly [number, number]): boolean {
  return task.old[range.oldStart + x] === task.new[range.newStart + y];
}

/** From the end to the start along the furthest points of each round; neighbouring edits become one change. */
function walkBack(trace: readonly Int32Array[], range: Change): Change[] {
  const changes: { oldStart: number; oldEnd: number; newStart: number; newEnd: number }[] = [];
  let x = range.oldEnd - range.oldStart;
  let y = range.newEnd - range.newStart;
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const furthest = trace[edits]!;
    const at = (diagonal: number): number => furthest[edits + 1 + diagonal]!;
    const diagonal = x - y;
    const goesDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const previous = goesDown ? diagonal + 1 : diagonal - 1;
    const fromX = at(previous);
    const fromY = fromX - previous;
    const oldStart = range.oldStart + fromX;
    const newStart = range.newStart + fromY;
    const oldEnd = goesDown ? oldStart : oldStart + 1;
    const newEnd = goesDown ? newStart + 1 : newStart;
    const next = changes.at(-1);
    if (next !== undefined && next.oldStart === oldEnd && next.newStart === newEnd) {
      next.oldStart = oldStart;
      next.newStart = newStart;
    } else {
      changes.push({ oldStart, oldEnd, newStart, newEnd });
    }
    x = fromX;
    y = fromY;
  }
  return changes.reverse();
}

/** Pairs of lines that occur once on each side, as many as keep their order. */
function findAnchors(task: Task, range: Change): (readonly [number, number])[] {
  const inOld = singles(task.old, range.oldStart, range.oldEnd);
  const inNew = singles(task.new, range.newStart, range.newEnd);
  task.steps += range.oldEnd - range.oldStart + range.newEnd - range.newStart;
  const pairs: (readonly [number, number])[] = [];
  for (const [line, oldAt] of inOld) {
    const newAt = inNew.get(line) ?? -1;
    if (oldAt >= 0 && newAt >= 0) pairs.push([oldAt, newAt]);
  }
  return longestRising(pairs);
}

/** Line → where it is; -1 for one that is there several times. */
function singles(lines: readonly number[], start: number, end: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = start; at < end; at++) places.set(lines[at]!, places.has(lines[at]!) ? -1 : at);
  return places;
}

/** The longest part of the pairs (sorted by old) in which new rises too: patience sorting. */
function longestRising(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const tops: number[] = [];
  const previous: number[] = [];
  pairs.forEach(([, newAt], index) => {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]!]![1] < newAt) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? tops[low - 1]! : -1;
    tops[low] = index;
  });
  const rising: (readonly [number, number])[] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = previous[index]!) rising.push(pairs[index]!);
  return rising.reverse();
}
