/**
 * Backslash escapes as the three readers of bash know them. `\c` ends the text of echo and `%b`, and is a control character
 * in `$'…'`. `\0ooo` is octal for echo and `%b`; the format of printf and `$'…'` read `\ooo`.
 */
export function decodeEscapes(text: string, reader: "echo" | "printf" | "ansi-c"): string {
  const pattern =
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|(0[0-7]{0,3}|[1-7][0-7]{0,2})|([\s\S]))/g;
  let [result, last] = ["", 0];
  for (const match of text.matchAll(pattern)) {
    result += text.slice(last, match.index);
    last = match.index + match[0].length;
    const [all, byte, short, long, octal, letter] = match;
    const hex = byte ?? short ?? long;
    if (hex !== undefined) result += toCharacter(Number.parseInt(hex, 16));
    else if (octal !== undefined) {
      const digits = reader !== "echo" && octal.length > 3 ? octal.slice(0, 3) : octal;
      last -= octal.length - digits.length;
      // Only `\0` starts an octal number for echo; printf and `$'…'` take any digit.
      result += reader === "echo" && !octal.startsWith("0") ? all : toCharacter(Number.parseInt(digits, 8) & 0xff);
    } else if (letter === "c" && reader === "echo") return result;
    else result += named[letter ?? ""] ?? all;
  }
  return result + text.slice(last);
}

const named: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "?": "?",
};

function toCharacter(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
