import { stripVTControlCharacters } from "node:util";
import { splitGraphemes, widthOf } from "../editor/graphemes.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Rows to be shown below what was printed, none wider than `usableColumns`. */
export interface Frame {
  readonly rows: readonly string[];
  /** Null: the cursor is hidden while it is shown. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

/** What stands on the screen now; the cursor is at `row`, `column` of it. */
export interface Drawn {
  readonly rows: readonly string[];
  /** Rows of the terminal that it takes. */
  readonly height: number;
  readonly row: number;
  readonly column: number;
  readonly isHidden: boolean;
}

/** The last column stays free: a terminal that has filled it waits with the line break, and each does so differently. */
export function usableColumns({ columns }: Size): number {
  return Math.max(4, columns) - 1;
}

/** What to write so that `frame` stands where `before` stood. Rows that are the same are not written again. */
export function drawFrame(before: Drawn | null, frame: Frame): { readonly output: string; readonly drawn: Drawn } {
  const known = before?.rows ?? [];
  const parts: string[] = [];
  if (before !== null) parts.push(up(before.row));
  parts.push("\r");
  for (const [index, row] of frame.rows.entries()) {
    if (index > 0) parts.push("\r\n");
    if (row !== known[index]) parts.push(row, "\u001b[K");
  }
  const last = Math.max(0, frame.rows.length - 1);
  // From the start of the next row on, so that the end of the last one stays.
  if (known.length > frame.rows.length) parts.push("\r\n\u001b[J", up(1));
  const { row, column } = frame.cursor ?? { row: last, column: 0 };
  parts.push(up(last - row), "\r", column > 0 ? `\u001b[${column}C` : "");
  const wasHidden = before?.isHidden ?? false;
  const isHidden = frame.cursor === null;
  if (isHidden !== wasHidden) parts.push(isHidden ? hideCursor : showCursor);
  return { output: parts.join(""), drawn: { rows: frame.rows, height: last + 1, row, column, isHidden } };
}

/** What to write so that nothing of it is left and the cursor stands where it began. */
export function eraseFrame(drawn: Drawn): string {
  // Not by one "erase below" from the top: where that is the whole screen, some terminals keep a copy of it to scroll to.
  const below = drawn.height > 1 ? `\r\n\u001b[J${up(1)}` : "";
  return `${up(drawn.row)}\r\u001b[K${below}${drawn.isHidden ? showCursor : ""}`;
}

/** The same frame after the terminal got `columns` wide: rows that no longer fit take several, as terminals reflow them. */
export function reflow(drawn: Drawn, columns: number): Drawn {
  const heightOf = (rows: readonly string[]): number => rows.reduce((sum, row) => sum + wrapsIn(row, columns) + 1, 0);
  const above = heightOf(drawn.rows.slice(0, drawn.row));
  const within = wrapsIn(drawn.rows[drawn.row] ?? "", columns, drawn.column);
  // What each of the rows holds is not known any more: they will all be written again.
  return { ...drawn, rows: [], height: heightOf(drawn.rows), row: above + within, column: 0 };
}

/**
 * How often a row breaks before the character at `before`; wide ones break whole. A cursor behind the last character is
 * taken to stay in its row: a row too few is a leftover on the screen, one too many would erase what others printed.
 */
function wrapsIn(row: string, columns: number, before = Number.POSITIVE_INFINITY): number {
  let wraps = 0;
  let column = 0;
  let at = 0;
  for (const grapheme of splitGraphemes(stripVTControlCharacters(row))) {
    const width = widthOf(grapheme);
    if (column + width > columns && column > 0) {
      wraps += 1;
      column = 0;
    }
    if (at >= before) return wraps;
    column += width;
    at += width;
  }
  return wraps;
}

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";

function up(count: number): string {
  return count > 0 ? `\u001b[${count}A` : "";
}
