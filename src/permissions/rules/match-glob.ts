/**
 * Whether a path fits a pattern: `*` and `?` stay within one name, `**` crosses any number of them. Our own matcher, in time
 * proportional to both lengths: patterns come from files that others may have written.
 */
export function matchPath(pattern: string, path: string): boolean {
  return matchParts(normalize(pattern), normalize(path));
}

/** Whether one word fits a pattern whose `*` stands for any text. */
export function matchText(pattern: string, text: string): boolean {
  return matchGreedy(pattern.length, text.length, {
    isWild: (at) => pattern[at] === "*",
    fits: (at, index) => pattern[at] === text[index],
  });
}

function normalize(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return path.endsWith("/") ? [...parts, "**"] : parts;
}

function matchParts(pattern: readonly string[], path: readonly string[]): boolean {
  return matchGreedy(pattern.length, path.length, {
    isWild: (at) => pattern[at] === "**",
    fits: (at, index) => matchName(pattern[at]!, path[index]!),
  });
}

/** One name of a path. */
export function matchName(pattern: string, name: string): boolean {
  return matchGreedy(pattern.length, name.length, {
    isWild: (at) => pattern[at] === "*",
    fits: (at, index) => pattern[at] === "?" || pattern[at] === name[index],
  });
}

interface Comparison {
  readonly isWild: (at: number) => boolean;
  readonly fits: (at: number, index: number) => boolean;
}

/** The usual two pointers: after a mismatch the last wildcard takes one more. */
function matchGreedy(patternLength: number, length: number, { isWild, fits }: Comparison): boolean {
  let at = 0;
  let index = 0;
  let wildAt = -1;
  let wildIndex = 0;
  while (index < length) {
    if (at < patternLength && isWild(at)) {
      wildAt = at;
      wildIndex = index;
      at += 1;
    } else if (at < patternLength && fits(at, index)) {
      at += 1;
      index += 1;
    } else if (wildAt >= 0) {
      at = wildAt + 1;
      wildIndex += 1;
      index = wildIndex;
    } else return false;
  }
  while (at < patternLength && isWild(at)) at += 1;
  return at === patternLength;
}
