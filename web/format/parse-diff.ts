/**
 * - `file`: the names of the two sides; `place`: where in the file (`@@`)
 * - `added`, `removed`, `same`: a line of the file, without the sign before it
 * - `note`: such as "\ No newline at end of file"
 */
export interface DiffLine {
  readonly kind: "file" | "place" | "added" | "removed" | "same" | "note";
  readonly text: string;
  /** The line's number on each side; null where it has none. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface ParsedDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** What its maker says of lines that were left out at the end; they are not counted. */
  readonly leftOut: string | undefined;
}

/** Reads a unified diff. Anything else comes back as lines that are the same on both sides. */
export function parseDiff(diff: string): ParsedDiff {
  const rows = diff.replace(/\n$/, "").split("\n");
  const lines: DiffLine[] = [];
  // How many lines of either side the current place still has: only inside one are `---` and `+++` contents.
  const left = { before: 0, after: 0 };
  const at = { before: 0, after: 0 };
  for (const row of rows) {
    const place = left.before + left.after > 0 ? null : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(row);
    if (place) {
      [at.before, at.after] = [Number(place[1]), Number(place[3])];
      [left.before, left.after] = [Number(place[2] ?? 1), Number(place[4] ?? 1)];
      lines.push({ kind: "place", text: row, before: null, after: null });
    } else {
      lines.push(readLine(row, left, at));
    }
  }
  const leftOut = /^\[(\d+ more lines of the diff left out)\]$/.exec(rows.at(-1) ?? "")?.[1];
  return { lines, added: countOf(lines, "added"), removed: countOf(lines, "removed"), leftOut };
}

interface Sides {
  before: number;
  after: number;
}

function readLine(row: string, left: Sides, at: Sides): DiffLine {
  const isInside = left.before + left.after > 0;
  if (row.startsWith("\\")) return { kind: "note", text: row, before: null, after: null };
  if (!isInside && /^(?:---|\+\+\+|diff |index |new file|deleted file|rename |similarity )/.test(row)) {
    return { kind: "file", text: row, before: null, after: null };
  }
  if (isInside && row.startsWith("+")) {
    left.after -= 1;
    return { kind: "added", text: row.slice(1), before: null, after: at.after++ };
  }
  if (isInside && row.startsWith("-")) {
    left.before -= 1;
    return { kind: "removed", text: row.slice(1), before: at.before++, after: null };
  }
  if (!isInside) return { kind: "same", text: row, before: null, after: null };
  // Such as that the rest was left out.
  if (row !== "" && !row.startsWith(" ")) return { kind: "note", text: row, before: null, after: null };
  left.before -= 1;
  left.after -= 1;
  return { kind: "same", text: row.startsWith(" ") ? row.slice(1) : row, before: at.before++, after: at.after++ };
}

function countOf(lines: readonly DiffLine[], kind: DiffLine["kind"]): number {
  return lines.filter((line) => line.kind === kind).length;
}
