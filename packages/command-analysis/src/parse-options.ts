import type { Word } from "./simple-command.ts";

/** What options a program has. Made with `optionTable`. */
export interface OptionTable {
  readonly specs: ReadonlyMap<string, OptionSpec>;
  readonly longNames: readonly string[];
  /** Options end at the first operand (wrappers, subcommands). Default: options may stand anywhere. */
  readonly stopsAtOperand: boolean;
  /** `-name` is one option, not a cluster (find, java, openssl, terraform). */
  readonly singleDashLong: boolean;
  /** `+x` is an option too (set, chattr). */
  readonly plus: boolean;
  /** `-9`, `-15`: an option of its own, kept under its digits (kill, head, git log). */
  readonly numbers: boolean;
}

interface OptionSpec {
  readonly names: readonly string[];
  readonly takes: "nothing" | "value" | "attached" | "digits";
}

interface OptionSettings {
  readonly stopsAtOperand?: boolean;
  readonly singleDashLong?: boolean;
  readonly plus?: boolean;
  readonly numbers?: boolean;
}

export interface ParsedOptions {
  /** Any of these was given. */
  has(...names: readonly string[]): boolean;
  /** The last value of an option; undefined when not given or without a value. */
  value(name: string): Word | undefined;
  values(name: string): readonly Word[];
  readonly operands: readonly Word[];
  /** Where the first operand stands among the words; their number when there is none. */
  readonly firstOperandIndex: number;
  /** Options that the table does not know. */
  readonly unknown: readonly Word[];
  /** A word whose text is not known stands where an option could be. */
  readonly isUncertain: boolean;
}

/**
 * Written as the manual does, separated by spaces: `r|R|recursive` (flag), `o|output=` (takes a value), `i|in-place=?` (only an
 * attached value), `l=#` (attached digits, after which the cluster goes on). One letter is a short option, more are a long one.
 */
export function optionTable(specs: string, settings: OptionSettings = {}): OptionTable {
  const map = new Map<string, OptionSpec>();
  for (const text of specs.split(" ")) {
    if (text === "") continue;
    const takes = kinds[/=[?#]?$/.exec(text)?.[0] ?? ""] ?? "nothing";
    const names = text.replace(/=[?#]?$/, "").split("|");
    const spec: OptionSpec = { names, takes };
    for (const name of names) map.set(name, spec);
  }
  return {
    specs: map,
    longNames: [...map.keys()].filter((name) => name.length > 1),
    stopsAtOperand: settings.stopsAtOperand ?? false,
    singleDashLong: settings.singleDashLong ?? false,
    plus: settings.plus ?? false,
    numbers: settings.numbers ?? false,
  };
}

const kinds: Readonly<Record<string, OptionSpec["takes"]>> = { "=": "value", "=?": "attached", "=#": "digits" };

/** Reads options as the program itself would. `words` are without the program's name. */
export function parseOptions(words: readonly Word[], table: OptionTable): ParsedOptions {
  const reader = new OptionReader(table);
  reader.read(words);
  return reader;
}

class OptionReader implements ParsedOptions {
  readonly operands: Word[] = [];
  readonly unknown: Word[] = [];
  firstOperandIndex = 0;
  isUncertain = false;
  private readonly table: OptionTable;
  private readonly given = new Map<string, Word[]>();

  constructor(table: OptionTable) {
    this.table = table;
  }

  has(...names: readonly string[]): boolean {
    return names.some((name) => this.given.has(name));
  }

  value(name: string): Word | undefined {
    return this.given.get(name)?.at(-1);
  }

  values(name: string): readonly Word[] {
    return this.given.get(name) ?? [];
  }

  read(words: readonly Word[]): void {
    this.firstOperandIndex = words.length;
    let index = 0;
    while (index < words.length) {
      const word = words[index]!;
      if (word.kind === "literal" && word.text === "--") {
        this.addOperands(words, index + 1);
        return;
      }
      if (!this.looksLikeOption(word)) {
        this.isUncertain ||= mayBeOption(word);
        if (this.table.stopsAtOperand) {
          this.addOperands(words, index);
          return;
        }
        this.addOperand(word, index);
        index++;
        continue;
      }
      index += this.readOption(word, words[index + 1]) ? 2 : 1;
    }
  }

  /** True when the next word was its value. */
  private readOption(word: Word, next: Word | undefined): boolean {
    const text = word.prefix;
    if (text.startsWith("--")) return this.readLong(word, text.slice(2), next);
    if (this.table.numbers && /^-[0-9]+$/.test(text)) {
      this.add([text.slice(1)], undefined);
      return false;
    }
    if (this.table.singleDashLong) return this.readLong(word, text.slice(1), next);
    return this.readCluster(word, next);
  }

  private readLong(word: Word, body: string, next: Word | undefined): boolean {
    const equals = body.indexOf("=");
    const name = equals < 0 ? body : body.slice(0, equals);
    if (equals < 0 && word.kind === "dynamic") this.isUncertain = true;
    const spec = this.findLong(name);
    if (spec === undefined) {
      this.unknown.push(word);
      this.add([name], equals < 0 ? undefined : cutWord(word, word.prefix.indexOf("=") + 1));
      return false;
    }
    if (equals >= 0) {
      this.add(spec.names, cutWord(word, word.prefix.indexOf("=") + 1));
      return false;
    }
    this.add(spec.names, spec.takes === "value" ? next : undefined);
    return spec.takes === "value";
  }

  private findLong(name: string): OptionSpec | undefined {
    const exact = this.table.specs.get(name);
    if (exact !== undefined && (name.length > 1 || this.table.singleDashLong)) return exact;
    if (this.table.singleDashLong || name === "") return undefined;
    const found = new Set<OptionSpec>();
    for (const long of this.table.longNames) if (long.startsWith(name)) found.add(this.table.specs.get(long)!);
    // An ambiguous prefix is an error in the real program, and then nothing happens.
    return found.size === 1 ? [...found][0] : undefined;
  }

  private readCluster(word: Word, next: Word | undefined): boolean {
    const sign = word.prefix[0]!;
    for (let index = 1; index < word.prefix.length; index++) {
      const letter = sign === "+" ? `+${word.prefix[index]!}` : word.prefix[index]!;
      const spec = this.table.specs.get(letter);
      if (spec === undefined) {
        if (this.unknown.at(-1) !== word) this.unknown.push(word);
        this.add([letter], undefined);
        continue;
      }
      const rest = index + 1 < word.text.length ? cutWord(word, index + 1) : undefined;
      if (spec.takes === "nothing" || spec.takes === "digits") {
        this.add(spec.names, undefined);
        while (spec.takes === "digits" && /[0-9]/.test(word.prefix[index + 1] ?? "")) index++;
        continue;
      }
      if (rest !== undefined) {
        this.add(spec.names, rest);
        return false;
      }
      this.add(spec.names, spec.takes === "value" ? next : undefined);
      return spec.takes === "value";
    }
    if (word.kind === "dynamic") this.isUncertain = true;
    return false;
  }

  private looksLikeOption(word: Word): boolean {
    const first = word.prefix[0];
    if (first === "+") return this.table.plus && word.prefix.length > 1;
    return first === "-" && word.text.length > 1 && word.prefix.length > 1;
  }

  private add(names: readonly string[], value: Word | undefined): void {
    for (const name of names) {
      const values = this.given.get(name);
      if (values === undefined) this.given.set(name, value === undefined ? [] : [value]);
      else if (value !== undefined) values.push(value);
    }
  }

  private addOperands(words: readonly Word[], from: number): void {
    for (let index = from; index < words.length; index++) this.addOperand(words[index]!, index);
  }

  private addOperand(word: Word, index: number): void {
    if (this.operands.length === 0) this.firstOperandIndex = index;
    this.operands.push(word);
  }
}

/** The word without its first characters; those must be known ones. */
export function cutWord(word: Word, length: number): Word {
  const cut = { ...word, text: word.text.slice(length), prefix: word.prefix.slice(length) };
  return word.kind === "dynamic" && cut.text === cut.prefix ? { ...cut, kind: "literal" } : cut;
}

/** `$X` and `-$X` may be an option, and `*` may match a file that is named like one; `"$X"` is taken for what it seems to be. */
function mayBeOption(word: Word): boolean {
  if (word.kind === "glob") return "*?[".includes(word.text[0]!);
  if (word.kind === "dynamic") return word.isSplit === true || word.prefix === "-";
  return false;
}
