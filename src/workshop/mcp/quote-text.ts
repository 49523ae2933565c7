import { clipText } from "../../core/cut-text.ts";
import { cleanText } from "../../safety/text/clean-text.ts";

/** What a server wrote, for a sentence of ours: one line, short, and nothing that a terminal obeys. */
export function quoteText(text: string, limit = 300): string {
  return clipText(cleanText(text).replaceAll(/\s+/g, " ").trim(), limit);
}

/** The last line that says something: programs that fail tell why at the end. */
export function lastLine(text: string): string {
  const lines = cleanText(text)
    .split("\n")
    .map((line) => line.trim());
  return quoteText(lines.findLast((line) => line !== "") ?? "");
}
