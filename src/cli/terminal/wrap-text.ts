import { displayWidth } from "./terminal-text.ts";

/** Each line of a text that is too long for `width`, broken at spaces; what it is indented by stays. */
export function wrapLines(text: string, width: number | undefined): string {
  return text
    .split("\n")
    .flatMap((line) => {
      if (width === undefined || displayWidth(line) <= width) return [line];
      const words = line.trimStart();
      const indent = line.slice(0, line.length - words.length);
      return wrapText(words, width - indent.length).map((each) => `${indent}${each}`);
    })
    .join("\n");
}

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
