import type { Key } from "../../../src/cli/repl/input/keys.ts";

/** Keys in a row: names in angle brackets (`<ctrl-a>`), everything else is text. */
export function keysOf(script: string): Key[] {
  const keys: Key[] = [];
  for (const [, name, text] of script.matchAll(/<([a-z0-9_-]+)>|([^<]+)/g)) {
    if (name !== undefined) keys.push({ kind: "key", name });
    else for (const character of text!) keys.push({ kind: "text", text: character });
  }
  return keys;
}
