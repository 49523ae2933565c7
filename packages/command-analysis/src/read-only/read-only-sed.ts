import { readExactly, usage } from "./read-only-options.ts";
import type { Word } from "../simple-command.ts";

/** Without `-i` and `-f`; `-l` takes a value here and none elsewhere, so the script would be another word. */
const options = usage("n|quiet|silent e|expression= E r|regexp-extended s|separate u|unbuffered z|null-data sandbox");

/** The script edits and prints, and neither reads, writes nor runs anything by itself. */
export function isReadOnlySed(rest: readonly Word[]): boolean {
  const reading = readExactly(rest, options);
  if (reading === null) return false;
  const scripts = reading.given.has("e") ? reading.values : reading.operands.slice(0, 1);
  if (scripts.length === 0 || scripts.some(({ kind }) => kind !== "literal")) return false;
  return new SedReader(scripts.map(({ text }) => text).join("\n")).isHarmless();
}

/**
 * Follows the grammar and gives up at whatever is not certainly one of its harmless commands. Where versions of sed would end a
 * part at different places, it gives up too: what is text to one could be a command to another.
 */
class SedReader {
  private readonly text: string;
  private index = 0;

  constructor(text: string) {
    this.text = text;
  }

  isHarmless(): boolean {
    for (;;) {
      this.skip(/[\s;]*/y);
      if (this.index >= this.text.length) return true;
      if (!this.readAddresses() || !this.readCommand()) return false;
    }
  }

  private readAddresses(): boolean {
    if (!this.readAddress(false)) return false;
    this.skip(/[ \t]*/y);
    if (this.skip(/,[ \t]*/y) && !this.readAddress(true)) return false;
    this.skip(/[ \t]*(?:![! \t]*)?/y);
    return true;
  }

  /** False when it has one that can't be read; having none is fine. */
  private readAddress(isSecond: boolean): boolean {
    if (this.skip(isSecond ? /[+~]?\d+|\$/y : /\d+(?:~\d+)?|\$/y)) return true;
    const isOwn = this.text[this.index] === "\\";
    if (!isOwn && this.text[this.index] !== "/") return true;
    if (isOwn) this.index++;
    const delimiter = this.text[this.index++];
    if (!this.readPattern(delimiter)) return false;
    this.skip(/[IM]*/y);
    return true;
  }

  private readCommand(): boolean {
    const command = this.text[this.index++];
    if (command === undefined) return false;
    if (command === "{") return true;
    if (command === "#") return this.skip(/[^\n]*/y);
    const delimiter = this.text[this.index];
    if (command === "s") return this.readSides(delimiter, true) && this.skip(/[gpiIMm0-9]*/y) && this.isEnd();
    if (command === "y") return this.readSides(delimiter, false) && this.isEnd();
    if ("}=dDgGhHnNpPxzF".includes(command)) return this.isEnd();
    if ("qQlL".includes(command)) return this.skip(/[ \t]*\d*/y) && this.isEnd();
    if (":btT".includes(command)) return this.skip(/[ \t]*[\w.-]*/y) && this.isEnd();
    // One line of text without escapes is text to all of them.
    if ("aic".includes(command)) return this.skip(/[ \t]*(?:\\\n?)?[^\n\\]+(?=\n|$)/y);
    return false;
  }

  private readSides(delimiter: string | undefined, isPattern: boolean): boolean {
    this.index++;
    return (isPattern ? this.readPattern(delimiter) : this.readPart(delimiter)) && this.readPart(delimiter);
  }

  /** Up to the delimiter, which is passed; in brackets it is no delimiter. */
  private readPattern(delimiter: string | undefined): boolean {
    if (delimiter === undefined || !/[!-Z^-~]/.test(delimiter)) return false;
    for (; this.index < this.text.length; this.index++) {
      const character = this.text[this.index];
      if (character === "\n") return false;
      if (character === delimiter) return this.skip(/[^]/y);
      if (character === "\\" && this.text[++this.index] === "\n") return false;
      if (character !== "[") continue;
      const end = findBracketEnd(this.text, this.index + 1);
      if (end === null) return false;
      this.index = end;
    }
    return false;
  }

  /** The same for what is no pattern. A line may go on after a backslash. */
  private readPart(delimiter: string | undefined): boolean {
    if (delimiter === undefined || !/[!-Z^-~]/.test(delimiter)) return false;
    for (; this.index < this.text.length; this.index++) {
      const character = this.text[this.index];
      if (character === "\n") return false;
      if (character === delimiter) return this.skip(/[^]/y);
      if (character === "\\") this.index++;
    }
    return false;
  }

  /** A command ends at a semicolon, a brace, a comment or the line. */
  private isEnd(): boolean {
    return this.skip(/[ \t]*(?=[;}#\n]|$)/y);
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.index;
    const found = pattern.exec(this.text);
    if (found !== null) this.index = pattern.lastIndex;
    return found !== null;
  }
}

/** Null when there is none in the line, or versions do not agree where it is: a backslash before `]` is just itself to some. */
function findBracketEnd(text: string, from: number): number | null {
  let index = from;
  if (text[index] === "^") index++;
  if (text[index] === "]") index++;
  for (; index < text.length && text[index] !== "\n"; index++) {
    if (text[index] === "]") return text[index - 1] === "\\" ? null : index;
    const kind = text[index + 1] ?? "";
    if (text[index] !== "[" || !/[:.=]/.test(kind)) continue;
    const end = text.indexOf(`${kind}]`, index + 2);
    if (end < 0 || text.slice(index, end).includes("\n")) return null;
    index = end + 1;
  }
  return null;
}
