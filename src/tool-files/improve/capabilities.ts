import { pythonCapabilities } from "./python-capabilities.ts";
import { scriptCapabilities } from "./script-capabilities.ts";

/** A file of a tool, as text. */
export interface CodeText {
  readonly text: string;
  readonly language: "javascript" | "typescript" | "python";
}

/**
 * What the new text can reach that the old one could not, sorted: names of modules, and words such as `network`, `eval` or
 * `anything`. It looks at the text alone, comments included, so it finds too much rather than too little; what code hides on
 * purpose is the sandbox's to hold.
 */
export function newCapabilities(before: CodeText, after: CodeText): string[] {
  const known = findCapabilities(before);
  return [...findCapabilities(after)].filter((name) => !known.has(name)).sort();
}

function findCapabilities({ text, language }: CodeText): ReadonlySet<string> {
  return language === "python" ? pythonCapabilities(text) : scriptCapabilities(text);
}
