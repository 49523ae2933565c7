import { resolve } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { judgePath, type PathOperation } from "../path/judge-path.ts";
import { openPathGuard, type PathGuard } from "../path/open-path-guard.ts";
import { isHeldBack, type StrictProgram, strictPrograms } from "./strict-programs.ts";

export type StrictVerdict =
  /** To be started as it is, without a shell. The name has no folder: it is looked for in folders outside the workdir. */
  | { readonly ok: true; readonly argv: readonly [string, ...string[]] }
  | { readonly ok: false; readonly reason: string };

export interface StrictPlace {
  readonly workdir: string;
  /** Where it will run; the workdir unless given. */
  readonly cwd?: string;
  /** Whether the operating system holds what it starts. */
  readonly sandboxed: boolean;
}

/**
 * What STRICT_WORKDIR_ONLY lets through of a shell command: one program with plain words, none of which names anything
 * outside the workdir, links included. Without a sandbox only programs and options of a short list. It limits what can be
 * asked for; what an allowed program does with it, only a sandbox limits. Never throws.
 */
export function judgeStrictCommand(text: string, place: StrictPlace): StrictVerdict {
  const split = splitStrictWords(text);
  if (!split.ok) return split;
  const [name = "", ...rest] = split.words;
  const problem = split.words.map(pathProblem).find((each) => each !== undefined);
  if (problem !== undefined) return refuse(problem);
  if (name.includes("=")) return refuse("variables can't be set in front of a program");
  if (!programName.test(name)) return refuse(`${JSON.stringify(name)} is not the plain name of a program`);
  const read = readWords(name, rest, place);
  if (!read.ok) return read;
  const refusal = findRefusal(read.words, read.does, place);
  return refusal === undefined ? { ok: true, argv: [name, ...read.argv] } : refuse(refusal);
}

const programName = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;

type ReadWords =
  | {
      readonly ok: true;
      readonly does: readonly PathOperation[];
      /** What could be paths. */
      readonly words: readonly string[];
      readonly argv: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

function readWords(name: string, words: readonly string[], { sandboxed }: StrictPlace): ReadWords {
  const program = strictPrograms.get(name);
  if (!sandboxed) {
    if (program === undefined) return refuse(`${name} is not among the programs that may run without a sandbox`);
    const read = readStrictOptions(name, words, program);
    return read.ok ? { ...read, words, does: ["read", read.does] } : read;
  }
  if (isHeldBack(name)) return refuse(`${name} can run anything, so it may not run`);
  // Of a program that is not known: whatever may be shown to it and removed by it.
  return { ok: true, does: ["read", program?.does ?? "delete"], words, argv: words };
}

const changes: ReadonlySet<PathOperation> = new Set(["write", "mkdir", "move", "delete"]);

/** Why one of the words may not be used as a path. A word that names nothing is none, unless it may be made. */
function findRefusal(
  words: readonly string[],
  does: readonly PathOperation[],
  { workdir, cwd = workdir, sandboxed }: StrictPlace,
): string | undefined {
  const makes = !sandboxed && does.some((operation) => changes.has(operation));
  for (const word of words) {
    for (const part of pathParts(word)) {
      if (part === "" || part === "." || part.startsWith("-")) continue;
      const path = resolve(cwd, part);
      if (!makes && isNothing(path, workdir)) continue;
      const verdicts = does.map((operation) => judgePath(path, operation, { workdir }));
      const refused = verdicts.find(({ allowed }) => !allowed);
      if (refused !== undefined) return (refused.reason ?? part).replaceAll(path, part).replace(/\.$/, "");
    }
  }
  return undefined;
}

function isNothing(path: string, workdir: string): boolean {
  let guard: PathGuard | undefined;
  try {
    guard = openPathGuard({ root: workdir });
    const place = guard.find(path);
    return place.ok ? place.stats === undefined : place.kind === "invalid";
  } catch (thrown) {
    return codeOf(thrown) === "ENOTDIR" || codeOf(thrown) === "ENAMETOOLONG";
  } finally {
    guard?.close();
  }
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

export type ReadOptions =
  | { readonly ok: true; readonly does: PathOperation; readonly argv: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Reads a program's words as it would, and refuses every option that is not on its list, also abbreviated ones. */
function readStrictOptions(name: string, words: readonly string[], program: StrictProgram): ReadOptions {
  if (program.commands !== undefined) {
    const [command = "", ...rest] = words;
    const chosen = Object.hasOwn(program.commands, command) ? program.commands[command] : undefined;
    if (chosen === undefined)
      return refuseOption(`${name} ${command} is not among the commands that may run without a sandbox`);
    const read = readStrictOptions(`${name} ${command}`, rest, chosen);
    return read.ok ? { ...read, argv: [...(program.always ?? []), command, ...read.argv] } : read;
  }
  const known = new Set(program.options.split(" "));
  const operands: string[] = [];
  let isPlain = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (isPlain || word === "-" || !word.startsWith("-")) operands.push(word);
    else if (word === "--") isPlain = true;
    else {
      const taken = takeOption(word, known);
      if (taken === "unknown")
        return refuseOption(`${name} ${word} is not among the options that may be used without a sandbox`);
      if (taken === "wants value" && ++at >= words.length) return refuseOption(`${name} ${word} needs a value`);
    }
  }
  const { operands: looks, firstOperand } = program;
  const wrong = operands.find(
    (word, at) => looks?.test(word) === false || (at === 0 && firstOperand?.test(word) === false),
  );
  if (wrong !== undefined) return refuseOption(`${name} may not be given ${JSON.stringify(wrong)} without a sandbox`);
  if (operands.length > (program.mostOperands ?? Infinity))
    return refuseOption(`${name} may not be given that many words`);
  return { ok: true, does: program.does, argv: [...(program.always ?? []), ...words] };
}

function takeOption(word: string, known: ReadonlySet<string>): "complete" | "wants value" | "unknown" {
  const [option = "", ...value] = word.split("=");
  if (word.startsWith("--") || known.has(word) || known.has(`${word}=`)) {
    if (known.has(`${option}=`)) return value.length > 0 || optionalValue.has(option) ? "complete" : "wants value";
    return known.has(option) && value.length === 0 ? "complete" : "unknown";
  }
  if (/^-\d+$/.test(word)) return known.has("-#") ? "complete" : "unknown";
  for (let at = 1; at < word.length; at++) {
    if (known.has(`-${word[at]}=`)) return at + 1 < word.length ? "complete" : "wants value";
    if (!known.has(`-${word[at]}`)) return "unknown";
  }
  return "complete";
}

/** They take a value only with `=`: the word after them is not theirs. */
const optionalValue = new Set(["--color", "--iso-8601", "--untracked-files", "--abbrev", "--unified", "-u"]);

function refuseOption(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** The words of a command for which no shell is needed, or why there are none. */
export type StrictWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const mostBytes = 32_768;
const mostWords = 500;

/**
 * Splits a command at spaces and tabs; single and double quotes keep them. Whatever a shell could take for more than
 * plain words is refused, also within quotes: nobody then has to know what it would have meant.
 */
function splitStrictWords(text: string): StrictWords {
  if (typeof text !== "string") return refuseWord("the command is not a text");
  if (Buffer.byteLength(text) > mostBytes) return refuseWord("the command is longer than 32 KiB");
  if (!text.isWellFormed()) return refuseWord("the command contains half of a surrogate pair");
  const character = refusedCharacter.exec(text)?.[0];
  if (character !== undefined) return refuseWord(`${nameCharacter(character)} is not allowed`);
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const each of text) {
    if (each === quote) quote = undefined;
    else if (quote === undefined && (each === "'" || each === '"')) {
      quote = each;
      word ??= "";
    } else if (quote === undefined && (each === " " || each === "\t")) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + each;
  }
  if (quote !== undefined) return refuseWord(`the quote ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  if (words.length === 0) return refuseWord("the command is empty");
  const isTooMuch = words.length > mostWords || words.some((each) => each.split(/[=:,@]/).length > mostWords / 10);
  return isTooMuch ? refuseWord("the command has too many words or parts") : { ok: true, words };
}

/** Metacharacters of shells, control characters but the tab, and what shows nothing or turns the text around. */
const refusedCharacter = /[;&|<>$`(){}[\]*?!#~\\]|(?!\t)\p{Control}|\p{Default_Ignorable_Code_Point}|[\p{Zl}\p{Zp}]/u;

function nameCharacter(character: string): string {
  const named = { "\n": "a line break", "\r": "a carriage return", "\0": "a NUL character" }[character];
  if (named !== undefined) return named;
  if (/[!-~]/.test(character)) return `the character ${character}`;
  return `the character U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Why a word may not stand in a command: it names something above or outside the workdir. */
function pathProblem(word: string): string | undefined {
  const rest = afterOption(word);
  for (const part of rest === undefined ? [word] : [word, rest]) {
    if (absolute.test(part)) return `the absolute path in ${quoted(word)} is not allowed`;
    if (parent.test(part)) return `the parent folder in ${quoted(word)} is not allowed`;
    if (fileAddress.test(part)) return `the address in ${quoted(word)} is not allowed`;
  }
  return undefined;
}

/** At the start, or after a sign behind which programs look for a path. */
const absolute = /(?:^|[=:,@])\//;
const parent = /(?:^|[=:,@/])\.\.(?=[=:,@/]|$)/;
const fileAddress = /(?:^|[=:,@])file:/i;

/** What stands behind the letters of options in one word: `-Ix`, `-xf/etc`, `-xC..`. */
function afterOption(word: string): string | undefined {
  if (!/^-[^-=:,@]/.test(word)) return undefined;
  const letters = takesPath.test(word) ? undefined : /^-[A-Za-z0-9]+(?=\/|\.\.(?:\/|$))/.exec(word)?.[0];
  return word.slice(letters?.length ?? 2);
}

/** Options of one letter that are written together with a path: `-Isrc/include`. */
const takesPath = /^-[BDFILo][A-Za-z0-9_]+\//;

/** Everything in a word that a program might take for a path: `--out=x`, `a:b,c`, `@x`, `-Ix`. */
function pathParts(word: string): string[] {
  const parts = [word, ...word.split(/[=:,@]/).slice(1)];
  for (const { index } of word.matchAll(/[=:,@]/g)) parts.push(word.slice(index + 1));
  const rest = afterOption(word);
  if (rest !== undefined) parts.push(rest);
  return [...new Set(parts)];
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function refuseWord(reason: string): StrictWords {
  return { ok: false, reason };
}
