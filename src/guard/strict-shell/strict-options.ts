import type { PathOperation } from "../path/judge-path.ts";
import type { StrictProgram } from "./strict-programs.ts";

export type ReadOptions =
  | { readonly ok: true; readonly does: PathOperation; readonly argv: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Reads a program's words as it would, and refuses every option that is not on its list, also abbreviated ones. */
export function readStrictOptions(name: string, words: readonly string[], program: StrictProgram): ReadOptions {
  if (program.commands !== undefined) {
    const [command = "", ...rest] = words;
    const chosen = Object.hasOwn(program.commands, command) ? program.commands[command] : undefined;
    if (chosen === undefined)
      return refuse(`${name} ${command} is not among the commands that may run without a sandbox`);
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
        return refuse(`${name} ${word} is not among the options that may be used without a sandbox`);
      if (taken === "wants value" && ++at >= words.length) return refuse(`${name} ${word} needs a value`);
    }
  }
  const { operands: looks, firstOperand } = program;
  const wrong = operands.find(
    (word, at) => looks?.test(word) === false || (at === 0 && firstOperand?.test(word) === false),
  );
  if (wrong !== undefined) return refuse(`${name} may not be given ${JSON.stringify(wrong)} without a sandbox`);
  if (operands.length > (program.mostOperands ?? Infinity)) return refuse(`${name} may not be given that many words`);
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

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
