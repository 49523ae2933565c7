import { displayWidth } from "./terminal-text.ts";

/** Lines of at most `width` columns, broken at spaces; one word that is longer stays whole. No width: one line. */
export function wrapText(text: string, width: number | undefined): string[] {
  if (width === undefined || width < 20) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
