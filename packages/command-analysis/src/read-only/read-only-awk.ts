import { readExactly, usage } from "./read-only-options.ts";
import type { Word } from "../simple-command.ts";

const options = usage("F|field-separator= v|assign=", { stops: true });

/** The program computes and prints, and neither reads, writes nor runs anything by itself. */
export function isReadOnlyAwk(rest: readonly Word[]): boolean {
  const reading = readExactly(rest, options);
  if (reading === null || reading.values.some(({ kind }) => kind !== "literal")) return false;
  const [program, ...operands] = reading.operands;
  // Not every version stops at the program.
  const hidesOption = operands.some((word) => word.isSplit === true || /^(?:$|-.|[*?[])/.test(word.prefix));
  return program?.kind === "literal" && !hidesOption && isHarmlessAwk(program.text);
}

/**
 * Words that reach beyond the files that were named: another file or a program, or the list of files itself, also by way of the
 * tables of variables and functions.
 */
const reaching: ReadonlySet<string> = new Set(
  (
    "system getline close fflush ARGV ARGC ARGIND ENVIRON PROCINFO SYMTAB FUNCTAB TEXTDOMAIN bindtextdomain dcgettext " +
    "dcngettext"
  ).split(" "),
);

/** After these a slash divides. After another word or sign it begins a pattern. */
type Before = "value" | "group" | "step" | "operator";

/**
 * Reads the tokens of a program. `>` writes a file in a print statement outside parentheses, and such a statement ends only at `;` and
 * `}`: the line may go on. Whatever could be read in two ways is not harmless.
 */
function isHarmlessAwk(text: string): boolean {
  let depth = 0;
  let isPrinting = false;
  let before: Before = "operator";
  const token =
    /[ \t\n]+|\\\n|#[^\n]*|"(?:[^"\\\n]|\\[^\n])*"|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\+\+|--|\|\||&&|>>|[^]/y;
  while (token.lastIndex < text.length) {
    const start = token.lastIndex;
    const found = token.exec(text)?.[0] ?? "";
    if (/^[ \t\n\\]/.test(found)) {
      if (found === "\\") return false;
      if (found.includes("\n") && found !== "\\\n") before = "operator";
    } else if (found.startsWith("#")) {
      // Whether the comment goes on in the next line is not the same everywhere.
      if (found.endsWith("\\")) return false;
    } else if (/^[A-Za-z_]/.test(found)) {
      if (reaching.has(found)) return false;
      isPrinting ||= found === "print" || found === "printf";
      before = keywords.has(found) ? "operator" : found === "length" ? "group" : "value";
    } else if (/^["\d.]/.test(found)) {
      // A quote by itself did not end.
      if (found === '"') return false;
      before = "value";
    } else if (found === "/") {
      if (before === "step") return false;
      if (before === "group" && /^[^\n]*\//.test(text.slice(start + 1))) return false;
      if (before !== "operator") before = "operator";
      else {
        const end = findPatternEnd(text, start + 1);
        if (end === null) return false;
        token.lastIndex = end;
        before = "value";
      }
    } else {
      if (found === "|" || found === "@" || found === ">>" || found === "`") return false;
      if (found === ">" && isPrinting && depth === 0) return false;
      if (found === "(") depth++;
      if (found === ")" && --depth < 0) return false;
      if ((found === ";" && depth === 0) || found === "}") isPrinting = false;
      if (found === "}" && depth !== 0) return false;
      before =
        found === ")" ? "group" : found === "]" ? "value" : found === "++" || found === "--" ? "step" : "operator";
    }
  }
  return depth === 0;
}

const keywords: ReadonlySet<string> = new Set(
  "print printf return in if else while for do case delete exit BEGIN END function func switch default".split(" "),
);

/** Past the closing slash. Null when there is none in the line, or one in brackets, where only some would end. */
function findPatternEnd(text: string, from: number): number | null {
  let isBracket = false;
  for (let index = from; index < text.length; index++) {
    const character = text[index]!;
    if (character === "\n") return null;
    if (character === "\\") {
      if (text[index + 1] === "\n") return null;
      index++;
    } else if (character === "[" && !isBracket) {
      isBracket = true;
      if (text[index + 1] === "^") index++;
      if (text[index + 1] === "]") index++;
    } else if (character === "]") isBracket = false;
    else if (character === "/") return isBracket ? null : index + 1;
  }
  return null;
}
