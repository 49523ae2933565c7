import { fishOptions, interpreterTable, shellOptions } from "./interpreter-table.ts";
import { findModuleCode } from "./python-modules.ts";
import { cutWord, type ParsedOptions, parseOptions } from "../parse-options.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";

export type Language =
  | "shell"
  | "python"
  | "javascript"
  | "perl"
  | "ruby"
  | "php"
  | "lua"
  | "awk"
  | "tcl"
  | "sed"
  | "applescript"
  | "powershell"
  | "sql"
  | "mongo"
  | "redis"
  | "other";

/** A program that runs text as code. */
export interface Interpreter {
  readonly language: Language;
  /** Inline code: `-c`, `-e`, the program text of awk. The first of `codes`. */
  readonly code: Word | null;
  /** All of it, when given in several options. */
  readonly codes: readonly Word[];
  /** The file it runs; null when there is none. */
  readonly script: Word | null;
  /** Its stdin is code: no inline code and no script, or `-`. */
  readonly readsStdin: boolean;
}

export function findInterpreter(command: SimpleCommand): Interpreter | null {
  const name = command.name.toLowerCase().replace(/\.exe$/, "");
  const entry = interpreterTable.get(name) ?? interpreterTable.get(name.replace(/[-.0-9]+$/, ""));
  const words = command.words.slice(1);
  const runner = findRunner(name, words);
  if (runner !== null) return runner;
  if (entry === undefined) return null;
  if (entry.language === "shell") return findShell(words, name);
  if (entry.language === "powershell") return findPowershell(words);
  const options = parseOptions(words, entry.options);
  const inline = entry.code.flatMap((option) => options.values(option));
  if (entry.codeOperand !== undefined) return findOperandCode(options, inline, entry);
  if (entry.language === "python" && options.has("m")) {
    const module = findModuleCode(words);
    return {
      ...interpret("python", module?.codes ?? [], module?.script ?? null),
      readsStdin: module?.readsStdin ?? false,
    };
  }
  const nested = entry.script === undefined ? findNestedCode(options) : null;
  if (nested !== null) return nested;
  if (inline.length > 0) return interpret(entry.language, inline, null);
  if (options.has(...entry.code, ...entry.silent)) return { ...interpret(entry.language, [], null), readsStdin: false };
  if (entry.script !== undefined) return findStatements(options, entry.script, entry.language);
  const script = options.operands[0] ?? null;
  if (script?.text === "-" || script?.text === "/dev/stdin") return interpret(entry.language, [], null);
  return interpret(entry.language, [], script);
}

function interpret(language: Language, codes: readonly Word[], script: Word | null): Interpreter {
  return { language, code: codes[0] ?? null, codes, script, readsStdin: codes.length === 0 && script === null };
}

/** `awk PROGRAM file`, `sqlite3 file SQL`: the operand at this place, and those after it for databases, is code. */
function findOperandCode(
  options: ParsedOptions,
  inline: readonly Word[],
  entry: { language: Language; codeOperand?: number; fileOption?: string },
): Interpreter {
  const script = entry.fileOption === undefined ? undefined : options.value(entry.fileOption);
  if (script !== undefined) return interpret(entry.language, inline, script);
  if (entry.language === "awk" || entry.language === "sed") {
    const program = inline.length > 0 ? inline : options.operands.slice(0, 1);
    return { ...interpret(entry.language, program, null), readsStdin: false };
  }
  return interpret(entry.language, [...inline, ...options.operands.slice(entry.codeOperand)], null);
}

/** `psql -f file`; operands name the database. */
function findStatements(options: ParsedOptions, scriptOption: string, language: Language): Interpreter {
  const script = options.value(scriptOption) ?? null;
  return interpret(language, [], script?.text === "-" ? null : script);
}

/** A shell's `-c` is a flag: the code is the first operand, wherever the flag stands. */
function findShell(words: readonly Word[], name: string): Interpreter {
  const options = parseOptions(words, name === "fish" ? fishOptions : shellOptions);
  const attached = options.value("command");
  const [first] = options.operands;
  if (attached !== undefined) return interpret("shell", [attached], null);
  // What fish runs before anything else.
  if (options.values("C").length > 0) return interpret("shell", options.values("C"), first ?? null);
  if (options.has("c")) return { ...interpret("shell", first === undefined ? [] : [first], null), readsStdin: false };
  if (options.has("s") || first === undefined || first.text === "-" || first.text === "/dev/stdin")
    return interpret("shell", [], null);
  return interpret("shell", [], first);
}

/** Options are matched without regard to case, by any beginning, with `-` or `/`. */
function findPowershell(words: readonly Word[]): Interpreter {
  for (let index = 0; index < words.length; index++) {
    const { text } = words[index]!;
    const option = /^[-/]([A-Za-z]+)$/.exec(text)?.[1]?.toLowerCase();
    const rest = words.slice(index + 1);
    if (option === undefined) return interpret("powershell", [joinWords(words.slice(index))], null);
    if (option.length > 1 && "encodedcommand".startsWith(option))
      return interpret("powershell", [{ text: "-EncodedCommand", kind: "literal", prefix: "-EncodedCommand" }], null);
    if (option === "e" || option === "ec")
      return interpret("powershell", [{ text: "-EncodedCommand", kind: "literal", prefix: "-EncodedCommand" }], null);
    if ("command".startsWith(option)) return interpret("powershell", [joinWords(rest)], null);
    if ("file".startsWith(option)) return interpret("powershell", [], rest[0] ?? null);
    if (
      /^(?:ex|exec|executionpolicy|ep|version|v|w|windowstyle|inputformat|outputformat|configurationname)/.test(option)
    )
      index++;
  }
  return interpret("powershell", [], null);
}

function joinWords(words: readonly Word[]): Word {
  const text = words.map((word) => word.text).join(" ");
  return { text, kind: words.every((word) => word.kind === "literal") ? "literal" : "dynamic", prefix: text };
}

/** `manage.py shell -c CODE`, `artisan tinker --execute=CODE` behind their interpreter. */
function findNestedCode({ operands }: ParsedOptions): Interpreter | null {
  const [script, ...rest] = operands;
  if (script === undefined || script.kind !== "literal") return null;
  return findRunner(script.text.replace(/^.*\//, ""), rest);
}

const runners: readonly (readonly [name: string, subcommand: RegExp, option: RegExp | null, language: Language])[] = [
  ["manage.py", /^shell(?:_plus)?$/, /^(?:-c|--command)$/, "python"],
  ["django-admin", /^shell$/, /^(?:-c|--command)$/, "python"],
  ["flask", /^shell$/, /^-c$/, "python"],
  ["artisan", /^tinker$/, /^--execute$/, "php"],
  ["wp", /^eval$/, null, "php"],
  ["manage.py", /^dbshell$/, /^(?:-c|--command)$/, "sql"],
  ["rails", /^(?:dbconsole|db)$/, /^$/, "sql"],
  ["rails", /^(?:runner|r)$/, null, "ruby"],
  ["deno", /^eval$/, null, "javascript"],
  ["bq", /^query$/, null, "sql"],
  ["wrangler", /^d1$/, /^--command$/, "sql"],
  ["cockroach", /^sql$/, /^(?:-e|--execute)$/, "sql"],
  ["clickhouse", /^(?:client|local)$/, /^(?:-q|--query)$/, "sql"],
  ["influx", /^(?:query|v1)$/, null, "sql"],
  ["influx", /^-execute$/, null, "sql"],
  ["crystal", /^eval$/, null, "ruby"],
  ["hbase", /^shell$/, /^$/, "sql"],
  ["turso", /^db$/, null, "sql"],
  ["heroku", /^pg:psql$/, /^(?:-c|--command)$/, "sql"],
  ["mix", /^run$/, /^-e$/, "other"],
  ["iex", /^-e$/, null, "other"],
];

/** Programs with a subcommand that takes code. */
function findRunner(name: string, words: readonly Word[]): Interpreter | null {
  if ((name === "deno" || name === "bun") && words[0]?.text === "run" && words.some((word) => word.text === "-"))
    return interpret("javascript", [], null);
  const entry = runners.find(
    ([program, subcommand]) => program === name && words.some((word) => subcommand.test(word.text)),
  );
  if (entry === undefined) return null;
  const [, subcommand, option, language] = entry;
  const rest = words.slice(words.findIndex((word) => subcommand.test(word.text)) + 1);
  if (option === null)
    return {
      ...interpret(
        language,
        rest.filter((word) => !word.text.startsWith("-")),
        null,
      ),
      readsStdin: false,
    };
  const codes = rest.flatMap((word, index) => {
    if (option.test(word.text)) return rest.slice(index + 1, index + 2);
    const equals = word.prefix.indexOf("=");
    if (equals < 0 || !option.test(word.prefix.slice(0, equals))) return [];
    return [cutWord(word, equals + 1)];
  });
  return interpret(language, codes, null);
}
