import { clipText } from "../core/text.ts";

const longest = 200;

/** What to show of a call in one line: the argument that says most. */
export function titleOfCall(inputText: string): string {
  let input: unknown;
  try {
    input = JSON.parse(inputText);
  } catch {
    return oneLine(inputText);
  }
  if (typeof input !== "object" || input === null) return oneLine(String(input));
  const fields = input as Record<string, unknown>;
  for (const key of tellingKeys) {
    const value = fields[key];
    if (typeof value === "string" && value !== "") return oneLine(value);
  }
  const [first] = Object.values(fields).filter((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? "" : oneLine(String(first));
}

const tellingKeys = ["command", "file_path", "path", "pattern", "url", "query", "question", "name", "code", "id"];

function oneLine(text: string): string {
  return clipText(text.replaceAll(/\s+/g, " ").trim(), longest);
}
