import { messageOf } from "./errors.ts";

/** JSON with line and block comments and trailing commas. Throws a SyntaxError that names line and column. */
export function parseJsonc(text: string): unknown {
  const plain = blankTrailingCommas(blankComments(text));
  try {
    return JSON.parse(plain);
  } catch (thrown) {
    const at = /position (\d+)/.exec(messageOf(thrown))?.[1];
    if (at === undefined) throw thrown;
    const before = plain.slice(0, Number(at)).split("\n");
    throw new SyntaxError(`line ${before.length}, column ${before.at(-1)!.length + 1}: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}

// Blanks instead of nothing, so that positions in error messages stay true. A string is matched first and kept.
function blankComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) =>
    match.startsWith('"') ? match : match.replaceAll(/[^\n]/g, " "),
  );
}

function blankTrailingCommas(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (match) => (match === "," ? " " : match));
}
