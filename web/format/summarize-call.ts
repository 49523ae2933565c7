import { showLine } from "./show-controls.ts";

/** What a call was asked to do, in one line: a command, a path, a pattern; otherwise the JSON. */
export function summarizeInput(input: unknown): string {
  return showLine(tellingOf(input).slice(0, mostCharacters));
}

const mostCharacters = 300;
const tellingKeys = ["command", "file_path", "pattern", "code", "path", "url", "query", "question", "message"];

function tellingOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return input === null ? "" : (JSON.stringify(input) ?? "");
  const values = input as Readonly<Record<string, unknown>>;
  if (Object.keys(values).length === 0) return "";
  for (const key of tellingKeys) {
    const value = values[key];
    if (typeof value === "string") return value;
  }
  return JSON.stringify(input);
}
