import { showControls } from "../../guard/terminal-text/show-controls.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Text that others wrote, made harmless for a terminal: what would move the cursor, change colours, hide or reorder
 * text is spelt out instead. Line ends and tabs stay. Output of tools passes `cleanText`, which leaves such things out.
 */
export function neutralizeText(text: string): string {
  return showControls(text.replaceAll("\r\n", "\n"), { keepSpaces: true });
}

/** The same in one line: line ends and tabs become spaces. */
export function neutralizeLine(text: string): string {
  return neutralizeText(text.replaceAll(/\s*[\n\u2028\u2029]\s*/g, " ")).replaceAll("\t", " ");
}

/** How many columns of a terminal it takes. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of splitCharacters(text)) width += characterWidth(segment);
  return width;
}

/** At most `width` columns; what is cut is told by an ellipsis. */
export function fitWidth(text: string, width: number): string {
  // Nothing beyond this can be visible, and measuring a megabyte takes time.
  const beginning = text.length > width * 8 ? text.slice(0, width * 8) : text;
  if (beginning === text && displayWidth(text) <= width) return text;
  if (plain.test(beginning)) return width < 1 ? "" : `${beginning.slice(0, width - 1).trimEnd()}…`;
  let kept = "";
  let used = 1;
  for (const { segment } of splitCharacters(beginning)) {
    used += characterWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

/** One column each: ASCII, Latin letters, and the signs that we write ourselves. A mark behind one of them is not among these. */
const plain =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u257f\u25cb\u25cf\u2713\u2714\u2716\u2717\u2800-\u28ff]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Made on first use: it costs 14 ms, and most texts do without. */
function splitCharacters(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const zeroWidth = /^[\p{Mark}\p{Control}\p{Format}]+$/u;
const wide =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

function characterWidth(character: string): number {
  if (plain.test(character)) return 1;
  if (zeroWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

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

/** A unified diff in colours. */
export function styleDiff(diff: string, style: Terminal["style"]): string {
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("+++") || line.startsWith("---")) return style("bold", line);
      if (line.startsWith("@@")) return style("cyan", line);
      if (line.startsWith("+")) return style("green", line);
      return line.startsWith("-") ? style("red", line) : line;
    })
    .join("\n");
}
