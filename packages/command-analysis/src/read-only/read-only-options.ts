import type { Word } from "../simple-command.ts";

/** The options of a program that change nothing, run nothing and read no file that its words do not name. */
export interface Usage {
  readonly options: ReadonlyMap<string, Option>;
  /** What follows the first operand is an operand too, whatever it looks like. */
  readonly stops: boolean;
  /** `-name` is one option; there are no clusters and no `--`. */
  readonly singleDash: boolean;
  /** `-5` is an option. */
  readonly numbers: boolean;
  readonly maxOperands: number;
}

interface Option {
  readonly names: readonly string[];
  readonly takes: Takes;
}

/**
 * - `value`: in the same word or the next
 * - `attached`: only in the same word, or none
 * - `apart`: the next word, or after `=`: names of files must be seen by whoever judges the words, and some programs take no other
 * - `last`: the next word, if there is one
 * - `two`: the next two words
 */
type Takes = "nothing" | "value" | "attached" | "apart" | "last" | "two";

export type UsageSettings = Partial<Pick<Usage, "stops" | "singleDash" | "numbers" | "maxOperands">>;

const endings: Readonly<Record<string, Takes>> = {
  "=": "value",
  "=?": "attached",
  "=!": "apart",
  "=+": "last",
  "==": "two",
};

/** Written `r|recursive o|output= color=?`, separated by spaces. */
export function usage(specs: string, settings: UsageSettings = {}): Usage {
  const options = new Map<string, Option>();
  for (const text of specs.split(" ").filter((spec) => spec !== "")) {
    const ending = /=[?!+=]?$/.exec(text)?.[0] ?? "";
    const names = text.slice(0, text.length - ending.length).split("|");
    const option: Option = { names, takes: endings[ending] ?? "nothing" };
    for (const name of names) options.set(name, option);
  }
  return { options, stops: false, singleDash: false, numbers: false, maxOperands: Infinity, ...settings };
}

export interface Reading {
  readonly given: ReadonlySet<string>;
  readonly values: readonly Word[];
  readonly operands: readonly Word[];
}

/**
 * Null unless every option is one of the table, written out in full: a beginning of `--output` means another option to each version
 * of a program. Null too when a word may turn out to be an option that is not seen here.
 */
export function readExactly(words: readonly Word[], table: Usage): Reading | null {
  const reading = { given: new Set<string>(), values: [] as Word[], operands: [] as Word[] };
  for (let index = 0; index < words.length;) {
    const word = words[index]!;
    if (!isOption(word)) {
      if (mayBecomeOption(word)) return null;
      reading.operands.push(word);
      index++;
      if (table.stops) reading.operands.push(...words.slice(index));
      if (table.stops) break;
      continue;
    }
    if (word.kind !== "literal") return null;
    if (word.text === "--" && !table.singleDash) {
      reading.operands.push(...words.slice(index + 1));
      break;
    }
    const wanted = readOption(word.text, table, reading);
    if (wanted === null) return null;
    const values = words.slice(index + 1, index + 1 + wanted.words);
    if (values.some((value) => !isPlainValue(value)) || (values.length < wanted.words && !wanted.isOptional))
      return null;
    reading.values.push(...values);
    index += 1 + values.length;
  }
  return isWithin(reading.operands, table.maxOperands) ? reading : null;
}

interface Wanted {
  readonly words: number;
  readonly isOptional?: boolean;
}

function readOption(text: string, table: Usage, reading: { given: Set<string>; values: Word[] }): Wanted | null {
  if (table.numbers && /^-[0-9]+$/.test(text)) return { words: 0 };
  if (!table.singleDash && !text.startsWith("--")) return readCluster(text, table, reading);
  const equals = text.indexOf("=");
  const name = text.slice(table.singleDash ? 1 : 2, equals < 0 ? undefined : equals);
  const option = table.options.get(name);
  if (option === undefined || (name.length === 1 && !table.singleDash)) return null;
  for (const alias of option.names) reading.given.add(alias);
  if (equals < 0) return following(option.takes);
  if (option.takes === "nothing" || option.takes === "two" || table.singleDash) return null;
  reading.values.push(literal(text.slice(equals + 1)));
  return { words: 0 };
}

function readCluster(text: string, table: Usage, reading: { given: Set<string>; values: Word[] }): Wanted | null {
  for (let index = 1; index < text.length; index++) {
    const option = table.options.get(text[index]!);
    if (option === undefined) return null;
    for (const alias of option.names) reading.given.add(alias);
    if (option.takes === "nothing") continue;
    if (index + 1 === text.length) return following(option.takes);
    if (option.takes !== "value" && option.takes !== "attached") return null;
    reading.values.push(literal(text.slice(index + 1)));
    return { words: 0 };
  }
  return { words: 0 };
}

function following(takes: Takes): Wanted {
  if (takes === "nothing" || takes === "attached") return { words: 0 };
  return { words: takes === "two" ? 2 : 1, isOptional: takes === "last" };
}

function literal(text: string): Word {
  return { text, kind: "literal", prefix: text };
}

function isOption(word: Word): boolean {
  return word.prefix.startsWith("-") && word.text.length > 1;
}

/** `$X`, `"$X"` and `*` may all become `--output=x`; `./*` and `src/$X` may not. */
function mayBecomeOption(word: Word): boolean {
  if (word.kind === "literal") return false;
  return word.isSplit === true || /^(?:$|[-*?[@!+(])/.test(word.prefix);
}

/** One word for certain. What looks like an option could be one to a version of the program that takes no value here. */
function isPlainValue(word: Word): boolean {
  if (word.kind === "literal") return !/^-[^0-9]/.test(word.text);
  return word.kind === "dynamic" && word.isSplit !== true;
}

function isWithin(operands: readonly Word[], limit: number): boolean {
  if (limit === Infinity) return true;
  return operands.length <= limit && operands.every((word) => word.kind !== "glob" && word.isSplit !== true);
}
