import type { Finding } from "../finding.ts";
import { type OptionTable, optionTable, type ParsedOptions, parseOptions } from "../parse-options.ts";
import type { Place } from "../place.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";

/** What a rule looks at. */
export interface Subject {
  readonly command: SimpleCommand;
  readonly place: Place;
  /** The words after the program and its subcommand. */
  readonly words: readonly Word[];
  /** Those words, parsed with the rule's own table. */
  readonly options: ParsedOptions;
  /** What the program was told before the subcommand. Equal to `options` when there is none. */
  readonly globals: ParsedOptions;
}

export interface Rule {
  /** `family.what` */
  readonly id: string;
  /** Names separated by spaces; `mkfs.*` is a prefix. */
  readonly programs: string;
  /** Operands that must come first, alternatives with a bar: `stash drop|clear`, `* delete*`. */
  readonly subcommand?: string;
  /** Options before the subcommand, and where there is no other table also those after it. */
  readonly globals?: OptionTable;
  readonly options?: OptionTable;
  /** One sentence for a person: what this would do. */
  readonly reason: string;
  /** Missing: the program (and subcommand) alone is enough. */
  readonly finds?: (subject: Subject) => boolean | "unknown";
}

const noOptions = optionTable("");

export function applyRule(rule: Rule, command: SimpleCommand, place: Place): Finding | null {
  const subject = findSubject(rule, command, place);
  if (subject === null) return null;
  const found = rule.finds === undefined ? true : rule.finds(subject);
  if (found === false) return null;
  const verdict = found === true ? "danger" : "unknown";
  return { verdict, rule: rule.id, reason: rule.reason, command: command.source };
}

function findSubject(rule: Rule, command: SimpleCommand, place: Place): Subject | null {
  const words = command.words.slice(1);
  if (rule.subcommand === undefined) {
    const options = parseOptions(words, rule.options ?? rule.globals ?? noOptions);
    return { command, place, words, options, globals: options };
  }
  const globals = parseOptions(words, rule.globals ?? noOptions);
  const pattern = rule.subcommand.split(" ");
  if (!matchesOperands(globals.operands, pattern)) return null;
  const rest = globals.operands.slice(pattern.length);
  // A table that stops at the operand leaves the options of the subcommand among the operands.
  const stops = rule.globals?.stopsAtOperand === true;
  const inner = stops ? rest : words.slice(globals.firstOperandIndex + 1);
  const options = stops || rule.options !== undefined ? parseOptions(inner, rule.options ?? noOptions) : globals;
  const operands = stops ? options.operands : rest;
  return { command, place, words: inner, options: withOperands(options, operands), globals };
}

/** `stash drop|clear`: as many words as the pattern has, in this order. */
function matchesOperands(operands: readonly Word[], pattern: readonly string[]): boolean {
  return pattern.every((part, index) => {
    const operand = operands[index];
    if (operand === undefined) return false;
    return part === "*" || (operand.kind === "literal" && matchesName(operand.text, part));
  });
}

/** One of the names with a bar between; a name that ends in `*` is a prefix, one that begins with it an ending. */
export function matchesName(text: string, names: string): boolean {
  for (const name of names.split("|")) {
    if (name.length > 1 && name.endsWith("*") && text.startsWith(name.slice(0, -1))) return true;
    if (name.length > 1 && name.startsWith("*") && text.endsWith(name.slice(1))) return true;
    if (text === name) return true;
  }
  return false;
}

function withOperands(options: ParsedOptions, operands: readonly Word[]): ParsedOptions {
  if (options.operands === operands) return options;
  return {
    has: (...names) => options.has(...names),
    value: (name) => options.value(name),
    values: (name) => options.values(name),
    operands,
    firstOperandIndex: options.firstOperandIndex,
    unknown: options.unknown,
    isUncertain: options.isUncertain,
  };
}

/** `$OPTS`, `$EXTRA_ARGS`, `${flags[@]}`: a variable that is meant to hold options. */
function isNamedLikeOptions(word: Word): boolean {
  return word.kind === "dynamic" && /^\$\{?[A-Za-z_]*(?:opt|flag|arg|param|switch)/i.test(word.text);
}

/** Options that are not written out: nobody can say what the program was asked to do. */
export function hidesOptions(options: ParsedOptions): boolean {
  return options.operands.some((word) => isNamedLikeOptions(word) || word.text === "$@" || word.text === "$*");
}
