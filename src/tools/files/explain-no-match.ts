import { clipText } from "../../core/cut-text.ts";
import type { Edit } from "./apply-edit.ts";
import { describeDifference } from "./describe-difference.ts";
import { findNearestLines } from "./find-nearest-lines.ts";
import type { TextFile } from "./find-text.ts";
import { findLookAlike } from "./look-alikes.ts";
import { decodeText } from "./text-format.ts";

/** Longer files are not compared: the hint must not cost more than the edit. */
const longestText = 2_000_000;
const mostShownLines = 15;

/** What to do about a text that is not in the file: the mistake where we know it, else the lines most like it. */
export function explainNoMatch(file: TextFile, { old_string, new_string }: Edit): string {
  if (file.bytes.length > longestText) return "Find the exact text with grep, then read those lines.";
  const text = decodeText(file.bytes, file.format).replaceAll("\r\n", "\n");
  const wanted = old_string.replaceAll("\r\n", "\n");
  return knownMistake(text, wanted) ?? alreadyDone(text, new_string) ?? nearestLines(text, wanted);
}

function knownMistake(text: string, wanted: string): string | undefined {
  const unnumbered = withoutNumbers(wanted);
  if (unnumbered !== undefined && text.includes(unnumbered)) {
    return "Leave out the line numbers and tabs that read shows before each line.";
  }
  const unescaped = wanted.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"');
  if (unescaped !== wanted && text.includes(unescaped)) {
    return "old_string has backslash escapes where the file has the characters themselves: escape one level less.";
  }
  return undefined;
}

function withoutNumbers(wanted: string): string | undefined {
  const lines = wanted.split("\n");
  const numbered = /^ *\d+(?:\t|→)/;
  if (!lines.every((line, index) => numbered.test(line) || (line === "" && index === lines.length - 1)))
    return undefined;
  return lines.map((line) => line.replace(numbered, "")).join("\n");
}

function alreadyDone(text: string, replacement: string): string | undefined {
  const wanted = replacement.replaceAll("\r\n", "\n");
  const at = wanted.trim().length < 8 ? -1 : text.indexOf(wanted);
  if (at === -1) return undefined;
  return `new_string is already there, at line ${text.slice(0, at).split("\n").length}: this edit may have been made before.`;
}

function nearestLines(text: string, wanted: string): string {
  const lines = text.split("\n");
  const wantedLines = wanted.split("\n");
  const start = findLookAlike(text, wanted) ?? findNearestLines(lines, wantedLines);
  if (start === undefined) return "Nothing in the file is like it. Read the file and copy the text from there.";
  const end = Math.min(start + wantedLines.length, lines.length);
  const shown = lines.slice(start, Math.min(end, start + mostShownLines));
  const numbered = shown.map((line, index) => `${start + index + 1}\t${clipText(line, 300)}`);
  if (end - start > mostShownLines) numbered.push(`[${end - start - mostShownLines} more lines]`);
  const where = end - start === 1 ? `line ${start + 1}` : `lines ${start + 1}-${end}`;
  const difference = firstDifference(lines, wantedLines, start);
  return `The nearest text is at ${where}${difference}:\n${numbered.join("\n")}`;
}

function firstDifference(lines: readonly string[], wanted: readonly string[], start: number): string {
  const last = wanted.length - 1;
  const index = wanted.findIndex((line, at) => {
    const actual = lines[start + at] ?? "";
    if (last === 0) return !actual.includes(line);
    if (at === 0) return !actual.endsWith(line);
    return at === last ? !actual.startsWith(line) : actual !== line;
  });
  const actual = lines[start + index];
  if (index === -1 || actual === undefined) return "";
  return `; line ${start + index + 1} ${describeDifference(wanted[index]!, actual)}`;
}
