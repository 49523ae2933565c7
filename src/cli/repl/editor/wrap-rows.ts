import { displayWidth } from "../../terminal/terminal-text.ts";
import { offsetOfColumn } from "./graphemes.ts";

/** Rows of at most `columns`: `first` before the first one, as many spaces before the others. Long words are broken. */
export function wrapRows(text: string, first: string, columns: number): string[] {
  const indent = displayWidth(first) + 4 <= columns ? displayWidth(first) : 0;
  const room = Math.max(2, columns - indent);
  const rows: string[] = [];
  for (const paragraph of text.split("\n")) {
    let rest = paragraph;
    do {
      const end = breakAt(rest, room);
      rows.push(rest.slice(0, end).trimEnd());
      rest = rest.slice(end).trimStart();
    } while (rest !== "");
  }
  return rows.map((row, index) => (index === 0 && indent > 0 ? first : " ".repeat(indent)) + row);
}

function breakAt(text: string, room: number): number {
  if (displayWidth(text) <= room) return text.length;
  // At least one character, however wide: otherwise it would never end.
  const most = offsetOfColumn(text, room) || offsetOfColumn(text, 2) || text.length;
  const space = text.lastIndexOf(" ", most);
  return space > 0 ? space : most;
}
