import type { Redirect, SimpleCommand, Word } from "../../../packages/command-analysis/src/simple-command.ts";
import { matchText } from "./match-glob.ts";
import { quoteWord, type PatternWord } from "./pattern-words.ts";
import type { RuleSpec } from "./permission-rule.ts";
import { skipLeadingOptions } from "./skip-options.ts";

type CommandSpec = Extract<RuleSpec, { kind: "command" }>;
export type PartFit = "yes" | "maybe" | "no";

/**
 * Whether a rule speaks of one command, word by word. An allowing rule must also name the variables set for it and the files
 * it writes by redirection; one that denies does not care about those.
 */
export function fitCommand(spec: CommandSpec, command: SimpleCommand, effect: "allow" | "restrict"): PartFit {
  const { words, redirects } = splitRedirects(spec.words);
  if (command.words.length === 0) return "no";
  if (effect === "allow" && !sameTexts(redirects, writtenFiles(command))) return "no";
  const rule = { words, takesMore: spec.takesMore };
  if (effect === "allow") return fitWords(rule, [...assignmentWords(command), ...command.words], { command, effect });
  const direct = fitWords(rule, command.words, { command, effect });
  if (direct === "yes") return "yes";
  // `git -C . push` pushes: what stands between a program and its sub-command must not hide it.
  const fits = skipLeadingOptions(command).map((reading) => {
    const fit = fitWords(rule, reading.words, { command, effect });
    return fit === "yes" && !reading.isSure ? "maybe" : fit;
  });
  return fits.includes("yes") ? "yes" : fits.includes("maybe") ? "maybe" : direct;
}

/** What stands in the parentheses of a rule that fits exactly this command and no other. */
export function grantableText(command: SimpleCommand): string {
  const words = [...assignmentWords(command), ...command.words].map(({ text }) => quoteWord(text));
  const files = command.redirects
    .filter(writesFile)
    .map((each) => `${operatorOf(each)} ${quoteWord(each.target.text)}`);
  return [...words, ...files].join(" ");
}

function fitWords(
  spec: Omit<CommandSpec, "kind">,
  given: readonly Word[],
  { command, effect }: { readonly command: SimpleCommand; readonly effect: "allow" | "restrict" },
): PartFit {
  const hasUnknown = given.some(isDynamic);
  let isSure = true;
  for (const [index, pattern] of spec.words.entries()) {
    const word = given[index];
    // An unquoted variable may hold any number of words, also none.
    if (word === undefined) return hasUnknown ? "maybe" : "no";
    const isProgram = effect === "restrict" && word === command.words[0];
    const fit = fitWord(pattern, isProgram ? programWord(pattern, command) : word);
    if (fit === "no") return given.slice(0, index + 1).some(isDynamic) ? "maybe" : "no";
    if (fit === "maybe") isSure = false;
  }
  const rest = given.slice(spec.words.length);
  if (rest.length > 0 && !spec.takesMore) return hasUnknown ? "maybe" : "no";
  // Whatever they are, a rule that stops any further words stops these.
  return isSure && (effect === "restrict" || !rest.some(isDynamic)) ? "yes" : "maybe";
}

/**
 * A rule that stops `rm` means it by whatever path it is called; one that says `/opt/x/rm` means that one. To allow, the words are
 * taken as they are: `./evil/npm` is not the `npm` that somebody allowed.
 */
function programWord(pattern: PatternWord, { name, words }: SimpleCommand): Word {
  const program = words[0]!;
  return pattern.text.includes("/") || program.kind !== "literal" ? program : { ...program, text: name };
}

function isDynamic({ kind }: Word): boolean {
  return kind === "dynamic";
}

function fitWord(pattern: PatternWord, word: Word): PartFit {
  // Exactly as it was shown to the person who said yes.
  if (pattern.isExact && pattern.text === word.text) return "yes";
  if (isDynamic(word)) return "maybe";
  return !pattern.isExact && matchText(pattern.text, word.text) ? "yes" : "no";
}

function assignmentWords({ assignments }: SimpleCommand): Word[] {
  return assignments.map(({ name, value }) => {
    const before = `${name}=`;
    return { text: before + value.text, kind: value.kind, prefix: before + value.prefix };
  });
}

/** `> file`, one text each; what goes to another descriptor or to /dev/null writes nothing. */
function writtenFiles({ redirects }: SimpleCommand): string[] {
  return redirects.filter(writesFile).map((each) => `${operatorOf(each)} ${each.target.text}`);
}

function operatorOf({ fd, operator }: Redirect): string {
  return `${fd ?? ""}${operator}`;
}

function writesFile({ operator, target }: Redirect): boolean {
  return operator !== "<" && operator !== "<&" && operator !== ">&" && target.text !== "/dev/null";
}

function splitRedirects(words: readonly PatternWord[]): { words: readonly PatternWord[]; redirects: string[] } {
  const first = words.findIndex(({ text, isExact }) => !isExact && /^\d*(>>?|>\||&>>?|<>|>&)$/.test(text));
  if (first < 0) return { words, redirects: [] };
  const texts = words.slice(first).map(({ text }) => text);
  const redirects: string[] = [];
  for (let index = 0; index < texts.length; index += 2)
    redirects.push(`${texts[index]!.replace(">&", "&>")} ${texts[index + 1] ?? ""}`);
  return { words: words.slice(0, first), redirects };
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
