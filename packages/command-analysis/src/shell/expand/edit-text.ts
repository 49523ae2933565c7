import type { SimpleCommand } from "../../simple-command.ts";
import { optionTable, parseOptions } from "../../parse-options.ts";

const maxText = 32 * 1024;
const decodeOptions = optionTable("d|D|decode i|ignore-garbage w|wrap= r|revert p|plain|ps|postscript");
const plainOptions = optionTable("");
const translateOptions = optionTable("d|delete s|squeeze-repeats c|C|complement t|truncate-set1");

/** What a filter makes of a text, where that is exactly computable. Null: not known. */
export function editText({ name, words }: SimpleCommand, text: string): string | null {
  if (text.length > maxText) return null;
  const args = words.slice(1);
  const options = parseOptions(args, tables[name] ?? plainOptions);
  if (options.unknown.length > 0) return null;
  const { operands } = options;
  if (name === "tr")
    return translate(text, options.has("d"), options.has("s", "c") ? [] : operands.map((word) => word.text));
  if (name === "tee") return text;
  if (operands.some((word) => word.text !== "-" && word.text !== "/dev/stdin")) return null;
  if (name === "cat") return text;
  if (name === "rev") return text.replace(/[^\n]+/g, (line) => Array.from(line).reverse().join(""));
  if (name === "base64" && options.has("d")) return decode(text, "base64");
  if (name === "base64" && args.length === 0) return `${Buffer.from(text).toString("base64")}\n`;
  if (name === "xxd" && options.has("r") && options.has("p")) return decode(text, "hex");
  return null;
}

const tables: Readonly<Record<string, typeof decodeOptions>> = {
  base64: decodeOptions,
  xxd: decodeOptions,
  tr: translateOptions,
  tee: optionTable("a|append i|ignore-interrupts"),
};

function decode(text: string, encoding: "base64" | "hex"): string | null {
  const body = text.replace(/\s+/g, "");
  const isClean = encoding === "hex" ? /^(?:[0-9a-fA-F]{2})*$/.test(body) : /^[A-Za-z0-9+/]*={0,2}$/.test(body);
  if (!isClean || (encoding === "base64" && body.length % 4 !== 0)) return null;
  const bytes = Buffer.from(body, encoding);
  const decoded = bytes.toString("utf8");
  return Buffer.from(decoded).equals(bytes) ? decoded : null;
}

function translate(text: string, isDelete: boolean, sets: readonly string[]): string | null {
  const [from, to] = sets.map(listSet);
  if (!from || sets.length !== (isDelete ? 1 : 2)) return null;
  if (isDelete)
    return Array.from(text)
      .filter((character) => !from.includes(character))
      .join("");
  if (!to || to.length === 0) return null;
  const map = new Map(from.map((character, n) => [character, to[Math.min(n, to.length - 1)] ?? ""]));
  return Array.from(text)
    .map((character) => map.get(character) ?? character)
    .join("");
}

const classes: Readonly<Record<string, string>> = {
  lower: "a-z",
  upper: "A-Z",
  digit: "0-9",
  alpha: "A-Za-z",
  alnum: "0-9A-Za-z",
  space: " \\t\\n\\r\\f\\v",
};
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", "\\": "\\" };

/** The characters of a set of tr, ranges and classes written out. Null: written in a way that is not known. */
function listSet(set: string): string[] | null {
  const spelled = set.replace(/\[:(\w+):\]/g, (all, name: string) => classes[name] ?? all);
  if (/\[[:.=]|\[.\*/.test(spelled)) return null;
  const characters: string[] = [];
  for (const [, from, to, escape, octal, plain] of spelled.matchAll(
    /([^\\])-([^\\])|\\(?:([nrtfv\\])|([0-7]{1,3}))|([\s\S])/g,
  )) {
    if (from !== undefined && to !== undefined) {
      for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code += 1)
        characters.push(String.fromCharCode(code));
    } else if (octal !== undefined) characters.push(String.fromCharCode(Number.parseInt(octal, 8)));
    else characters.push(escape === undefined ? (plain ?? "") : (escapes[escape] ?? ""));
    if (characters.length > 1024) return null;
  }
  return characters;
}
