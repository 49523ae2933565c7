import { displayWidth } from "../../../src/cli/terminal/terminal-text.ts";

const blank = " ";
let segmenter: Intl.Segmenter | undefined;

/** A terminal as far as we use one. Whatever else is written to it is an error. */
export interface ScreenModel {
  readonly isTTY: boolean;
  columns: number;
  rows: number;
  write(text: string): boolean;
  on(event: "resize", listener: () => void): void;
  off(event: "resize", listener: () => void): void;
  /** Fits rows to the width as terminals do, then tells. */
  resize(columns: number, rows: number): void;
  /** All rows, also those that were scrolled away, without blanks at their ends and rows at the end. */
  lines(): string[];
  readonly cursor: { readonly row: number; readonly column: number };
  /** Each write, as it came. */
  readonly writes: readonly string[];
  readonly bells: number;
  /** Places that were blanked and then got what they had before, within one write. */
  readonly flickers: number;
  readonly listeners: number;
}

export function createScreenModel(columns = 60, rows = 20): ScreenModel {
  /** Row by row from the first that was ever written; `wraps` says that it goes on in the next one. */
  let grid: { cells: string[]; wraps: boolean }[] = [{ cells: [], wraps: false }];
  let top = 0;
  let row = 0;
  let column = 0;
  let bells = 0;
  let flickers = 0;
  const writes: string[] = [];
  const listeners = new Set<() => void>();

  const rowAt = (index: number): { cells: string[]; wraps: boolean } => (grid[index] ??= { cells: [], wraps: false });

  function down(): void {
    row++;
    for (let index = grid.length; index <= row; index++) rowAt(index);
    if (row >= top + model.rows) top = row - model.rows + 1;
  }

  function put(character: string): void {
    const width = displayWidth(character);
    if (width === 0) return;
    if (column + width > model.columns) {
      rowAt(row).wraps = true;
      down();
      column = 0;
    }
    const { cells } = rowAt(row);
    for (let index = cells.length; index < column; index++) cells[index] = blank;
    cells[column] = character;
    if (width === 2) cells[column + 1] = "";
    column += width;
  }

  function obey(parameter: number, command: string): void {
    if (command === "A") row = Math.max(top, row - parameter);
    else if (command === "C") column = Math.min(model.columns - 1, column + parameter);
    else if (command === "K") rowAt(row).cells.length = Math.min(rowAt(row).cells.length, column);
    else if (command === "J") {
      rowAt(row).cells.length = Math.min(rowAt(row).cells.length, column);
      grid.length = row + 1;
    } else if (command !== "m") throw new Error(`The screen model does not know CSI ${parameter}${command}`);
  }

  /** Where text is erased in the middle of a write and stands there again at its end, a slow terminal flickers. */
  function watchErasing(before: readonly string[], erased: Set<string>): void {
    for (const place of erased) {
      const [line = 0, at = 0] = place.split(":").map(Number);
      const was = before[line]?.[at];
      if (was !== undefined && was !== blank && rowAt(line).cells.join("")[at] === was) flickers++;
    }
  }

  const model = {
    isTTY: true,
    columns,
    rows,
    writes,
    write(text: string) {
      writes.push(text);
      const before = grid.map(({ cells }) => cells.join(""));
      const erased = new Set<string>();
      // oxlint-disable-next-line no-control-regex -- finding them is what this is for
      for (const [part, parameter, command] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|\u001b|[^\u001b]+/g)) {
        if (part === "\u001b") throw new Error(`An unknown sequence in ${JSON.stringify(text)}`);
        if (command !== undefined) {
          noteErased(command, erased);
          obey(Number(parameter || 1), command);
          continue;
        }
        segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
        for (const { segment } of segmenter.segment(part)) {
          for (const each of /^[\r\n]+$/.test(segment) ? segment : [segment]) {
            if (each === "\r") column = 0;
            else if (each === "\n") down();
            else if (each === "\u0007") bells++;
            else if (each === "\t") column = Math.min(model.columns - 1, (Math.floor(column / 8) + 1) * 8);
            else put(each);
          }
        }
      }
      watchErasing(before, erased);
      return true;
    },
    on(_event: "resize", listener: () => void) {
      listeners.add(listener);
    },
    off(_event: "resize", listener: () => void) {
      listeners.delete(listener);
    },
    resize(nextColumns: number, nextRows: number) {
      reflow(nextColumns);
      model.columns = nextColumns;
      model.rows = nextRows;
      top = Math.max(0, Math.max(row, grid.length - 1) - nextRows + 1);
      for (const listener of listeners) listener();
    },
    lines() {
      const all = grid.map(({ cells }) => cells.join("").trimEnd());
      while (all.at(-1) === "") all.pop();
      return all;
    },
    get cursor() {
      return { row, column };
    },
    get bells() {
      return bells;
    },
    get flickers() {
      return flickers;
    },
    get listeners() {
      return listeners.size;
    },
  };

  function noteErased(command: string, erased: Set<string>): void {
    if (command !== "K" && command !== "J") return;
    for (let at = column; at < rowAt(row).cells.length; at++) erased.add(`${row}:${at}`);
    if (command === "K") return;
    for (let line = row + 1; line < grid.length; line++) {
      for (let at = 0; at < rowAt(line).cells.length; at++) erased.add(`${line}:${at}`);
    }
  }

  /** Lines are taken together and cut again; the cursor stays at its character. */
  function reflow(nextColumns: number): void {
    const next: typeof grid = [];
    let nextRow = 0;
    let nextColumn = 0;
    let joined: string[] = [];
    let cursorAt: number | null = null;
    for (const [index, { cells, wraps }] of grid.entries()) {
      if (index === row) cursorAt = joined.length + column;
      joined = joined.concat(cells);
      if (wraps) continue;
      const first = next.length;
      if (cursorAt !== null) {
        nextRow = first + Math.floor(cursorAt / nextColumns);
        nextColumn = cursorAt % nextColumns;
        cursorAt = null;
      }
      do {
        next.push({ cells: joined.splice(0, nextColumns), wraps: joined.length > 0 });
      } while (joined.length > 0);
    }
    grid = next;
    row = nextRow;
    column = nextColumn;
    for (let index = grid.length; index <= row; index++) rowAt(index);
  }

  return model;
}
