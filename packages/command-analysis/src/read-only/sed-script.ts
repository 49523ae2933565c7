interface SedEffects {
  /** It runs text as a shell command: `e`, or `s///e`. */
  readonly runs: boolean;
  /** Files that `w` and `s///w` write. */
  readonly written: readonly string[];
}

/** What a sed script does besides editing. Reads it as sed would: addresses, then a command with its own kind of argument. */
export function readSedScript(text: string): SedEffects {
  const written: string[] = [];
  let runs = false;
  let index = 0;
  while (index < text.length) {
    const character = text[index]!;
    if (character === "/" || character === "\\") {
      const start = character === "\\" ? index + 1 : index;
      index = skipPart(text, start + 1, text[start] ?? "/");
      continue;
    }
    if (character === "#" || "aic".includes(character)) {
      index = findLineEnd(text, index);
      continue;
    }
    if (character === "s" || character === "y") {
      const delimiter = text[index + 1] ?? "";
      const replaced = skipPart(text, skipPart(text, index + 2, delimiter), delimiter);
      const end = findFlagsEnd(text, replaced);
      const flags = text.slice(replaced, end);
      const file = flags.indexOf("w");
      if (character === "s" && (file < 0 ? flags : flags.slice(0, file)).includes("e")) runs = true;
      if (character === "s" && file >= 0) {
        const lineEnd = findLineEnd(text, replaced);
        written.push(text.slice(replaced + file + 1, lineEnd).trim());
        index = lineEnd;
      } else index = end;
      continue;
    }
    if (character === "w" || character === "W") {
      const end = findLineEnd(text, index);
      written.push(text.slice(index + 1, end).trim());
      index = end;
      continue;
    }
    if (character === "e") {
      runs = true;
      index = findLineEnd(text, index);
      continue;
    }
    if ("rR".includes(character)) index = findLineEnd(text, index);
    else if ("btT:".includes(character)) index = findFlagsEnd(text, index + 1);
    else index++;
  }
  return { runs, written };
}

/** Past the next delimiter that is not escaped and not in a bracket expression. */
function skipPart(text: string, from: number, delimiter: string): number {
  let index = from;
  while (index < text.length && text[index] !== delimiter) index += text[index] === "\\" ? 2 : 1;
  return Math.min(text.length, index + 1);
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Flags and labels end at a semicolon, a brace or the line. */
function findFlagsEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !/[;}\n]/.test(text[end]!)) end++;
  return end;
}
