/**
 * Any text as one that SQLite keeps and compares whole: it has no form for half a surrogate pair, and many of its functions
 * end a text at NUL. The last character of all is escaped too, so that it may end a range.
 */
export function toKey(text: string): string {
  return text.replaceAll(/[\\\0\u{10ffff}]|\p{Surrogate}/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(""),
  );
}

export function fromKey(key: string): string {
  return key.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Keys from the first up to, not including, the second: those of all texts that begin so, and maybe of a few more. */
export function keyRange(prefix: string): [string, string] {
  // Half a pair is escaped, but not where the other half follows it.
  const from = toKey(prefix.replace(/[\ud800-\udbff]$/, ""));
  return [from, `${from}\u{10ffff}`];
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
