import { clipText } from "../../core/text.ts";
import { cleanText } from "./clean-text.ts";

/** What a server wrote, for a sentence of ours: one line, short, and nothing that a terminal obeys. */
export function quoteText(text: string, limit = 300): string {
  return clipText(cleanText(text).replaceAll(/\s+/g, " ").trim(), limit);
}

/** The last line that says something, because programs that fail tell why at the end; of a trace of Node the line that names the error. */
export function lastLine(text: string): string {
  const lines = cleanText(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const last = lines.at(-1) ?? "";
  const isTrace = last.startsWith("Node.js v");
  return quoteText((isTrace ? lines.findLast((line) => /^\S*Error\b.*: /.test(line)) : undefined) ?? last);
}
