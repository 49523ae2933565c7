import type { SimpleCommand } from "../simple-command.ts";
import { optionTable, parseOptions } from "../parse-options.ts";
import { decodeEscapes } from "./expand/decode-escapes.ts";
import { formatPrintf } from "./expand/format-printf.ts";
import type { Output } from "./scope.ts";
import { editText } from "./expand/edit-text.ts";

/** What a program prints when its arguments and its input are known. Null: not known. */
export function knownOutput(command: SimpleCommand): Output {
  const { name, words } = command;
  if (silent.has(name) && !(listers.has(name) && words.slice(1).every(({ text }) => text.startsWith("-")))) return "";
  const parts = words.slice(1);
  // A glob that matches nothing stays as it is; what it matches can't be known.
  if (parts.some(({ kind }) => kind !== "literal")) return null;
  const args = parts.map(({ text }) => text);
  if (name === "echo") return echo(args);
  if (name === "printf") return args[0] === "-v" ? "" : formatPrintf(args[0] === "--" ? args.slice(1) : args);
  if (name === "basename" && args.length === 1) return `${args[0]?.replace(/\/+$/, "").split("/").at(-1) ?? ""}\n`;
  const found = locate(name, args);
  if (found !== null) return found;
  return command.input.kind === "text" ? editText(command, command.input.text) : null;
}

const silent = new Set(
  ": true false cd export readonly declare typeset local unset set shopt shift alias unalias trap test [ [[ let read mapfile readarray mkdir touch chmod sleep wait rm cp mv ln".split(
    " ",
  ),
);

/** Without a name they print what there is. */
const listers = new Set("export readonly declare typeset local set alias trap shopt".split(" "));

const echoOptions = /^-[neE]+$/;

function echo(args: readonly string[]): string {
  let [start, isRaw, end] = [0, true, "\n"];
  for (; echoOptions.test(args[start] ?? ""); start += 1) {
    const letters = args[start] ?? "";
    if (letters.includes("n")) end = "";
    if (/[eE]/.test(letters)) isRaw = letters.lastIndexOf("E") > letters.lastIndexOf("e");
  }
  const text = args.slice(start).join(" ");
  return (isRaw ? text : decodeEscapes(text, "echo")) + end;
}

const locators = optionTable("a|all s p P v t f");

/** `which rm`: wherever it is, running it is running `rm`. */
function locate(name: string, args: readonly string[]): string | null {
  const isLocator =
    name === "which" || (name === "command" && args[0] === "-v") || (name === "type" && /^-[pP]$/.test(args[0] ?? ""));
  if (!isLocator) return null;
  const words = args.map((text) => ({ text, kind: "literal" as const, prefix: text }));
  const { operands } = parseOptions(words, locators);
  return operands.length === 1 ? `${operands[0]?.text ?? ""}\n` : null;
}
