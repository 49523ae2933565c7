import { displayWidth } from "../../../src/cli/terminal/terminal-text.ts";

/** A terminal in small: obeys exactly the sequences that the input side writes, and refuses every other. */
export interface InputScreen {
  write(text: string): void;
  /** As a terminal does that reflows: rows that are too long go on in the next one. */
  resize(columns: number): void;
  /** Without empty ones at the end. */
  rows(): string[];
  readonly cursor: { readonly row: number; readonly column: number };
  readonly isCursorVisible: boolean;
}

export function createInputScreen(columns: number, height: number): InputScreen {
  let width = columns;
  let cells: string[][] = [[]];
  let row = 0;
  let column = 0;
  let isCursorVisible = true;

  function put(character: string): void {
    const taken = displayWidth(character);
    if (taken === 0) {
      cells[row]![column - 1] = (cells[row]![column - 1] ?? "") + character;
      return;
    }
    if (column + taken > width) throw new Error(`"${character}" is written beyond column ${width}`);
    const line = cells[row]!;
    while (line.length < column) line.push(" ");
    line[column] = character;
    for (let extra = 1; extra < taken; extra += 1) line[column + extra] = "";
    column += taken;
  }

  function obey(sequence: string, count: number, final: string): void {
    if (sequence === "[?25l" || sequence === "[?25h") isCursorVisible = sequence === "[?25h";
    else if (final === "A") {
      if (count > row - top()) throw new Error(`The cursor is moved up by ${count} from row ${row}`);
      row -= count;
    } else if (final === "C") column += count;
    else if (final === "K") cells[row]!.length = Math.min(cells[row]!.length, column);
    else if (final === "J") {
      cells[row]!.length = Math.min(cells[row]!.length, column);
      cells.length = row + 1;
    } else throw new Error(`The sequence ESC ${sequence} is not one of ours`);
  }

  const top = (): number => Math.max(0, cells.length - height);

  return {
    write(text) {
      // oxlint-disable-next-line no-control-regex -- a terminal reads them
      for (const [piece, sequence, count, final] of text.matchAll(/\u001b(\[\??(\d*)([A-Za-z]))|[\s\S]/gu)) {
        if (sequence !== undefined) obey(sequence, Number(count || 1), final!);
        else if (piece === "\r") column = 0;
        else if (piece === "\n") {
          row += 1;
          column = 0;
          if (row === cells.length) cells.push([]);
        } else if (piece < " " || piece === "\u007f") throw new Error(`Control character ${JSON.stringify(piece)}`);
        else put(piece);
      }
    },
    resize(next) {
      let at = { row: 0, column: 0 };
      const reflowed: string[][] = [];
      for (const [index, line] of cells.entries()) {
        reflowed.push([]);
        for (const [cell, character] of [...line, null].entries()) {
          const isWide = character !== null && line[cell + 1] === "";
          const last = reflowed.at(-1)!;
          if (character !== null && character !== "" && last.length + (isWide ? 2 : 1) > next) reflowed.push([]);
          if (index === row && cell <= column) {
            at = { row: reflowed.length - 1, column: Math.min(reflowed.at(-1)!.length, next - 1) };
          }
          if (character !== null) reflowed.at(-1)!.push(character);
        }
      }
      width = next;
      cells = reflowed;
      ({ row, column } = at);
    },
    rows() {
      const rows = cells.map((line) => line.join("").trimEnd());
      return rows.slice(0, rows.findLastIndex((line) => line !== "") + 1);
    },
    get cursor() {
      return { row, column };
    },
    get isCursorVisible() {
      return isCursorVisible;
    },
  };
}
