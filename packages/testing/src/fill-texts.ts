import type { CallResult, Message } from "../../../src/core/message.ts";
import { textOfParts } from "../../../src/core/message.ts";

/**
 * Puts what was really said in place of `{{last_result}}`, `{{result:N}}` (the Nth of the conversation; below zero from
 * its end) and `{{last_user}}`, in all texts of a value. A backslash in front keeps the braces.
 */
export function fillTexts(value: unknown, messages: readonly Message[]): Filled {
  const missing: string[] = [];
  const filled = mapTexts(value, (text) =>
    text.replaceAll(placeholder, (whole, name: string) => {
      if (whole.startsWith("\\")) return whole.slice(1);
      const found = lookUp(name, messages);
      if (found === undefined) missing.push(whole);
      return found ?? whole;
    }),
  );
  return { value: filled, missing };
}

export interface Filled {
  readonly value: unknown;
  /** Placeholders that nothing was said for. */
  readonly missing: readonly string[];
}

/** `fillTexts` gives back what came in here. */
export function escapeTexts(value: unknown): unknown {
  return mapTexts(value, (text) => text.replaceAll(bare, "\\$&"));
}

const bare = /\{\{(?:last_result|last_user|result:-?\d{1,6})\}\}/g;
const placeholder = /\\?\{\{(last_result|last_user|result:-?\d{1,6})\}\}/g;

function lookUp(name: string, messages: readonly Message[]): string | undefined {
  if (name === "last_user") {
    const last = messages.findLast((message) => message.role === "user");
    return last && textOfParts(last.parts);
  }
  const results = messages.flatMap((message): readonly CallResult[] =>
    message.role === "tool" ? message.results : [],
  );
  const number = name === "last_result" ? -1 : Number(name.slice("result:".length));
  return results.at(number > 0 ? number - 1 : number === 0 ? results.length : number)?.text;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}
