import type { SimpleCommand } from "../simple-command.ts";
import { optionTable, parseOptions } from "../parse-options.ts";
import { formatPrintf } from "./expand/format-printf.ts";
import type { Scope } from "./scope.ts";
import type { Value } from "./expand/variables.ts";

/** What a builtin does to the variables of the shell that runs it. */
export function applyBuiltin(command: SimpleCommand, scope: Scope, values: ReadonlyMap<string, Value>): void {
  const { variables } = scope;
  const args = command.words.slice(1);
  switch (command.name) {
    case "export":
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
      for (const [name, value] of values) variables.set(name, value);
      if (args.some(({ text }) => /^-[a-zA-Z]*[nilu]/.test(text))) variables.forget(values.keys());
      for (const { text, kind } of args) declareWord(text, kind === "dynamic", { scope, values });
      return;
    case "unset":
      for (const { text } of args) variables.unset(text);
      return;
    case "set":
      setPositionals(command, scope);
      return;
    case "shift":
      variables.positionals = args.length === 0 ? (variables.positionals?.slice(1) ?? null) : shiftBy(command, scope);
      return;
    case "read":
      readVariables(command, scope, values);
      return;
    case "mapfile":
    case "readarray":
      readLines(command, scope);
      return;
    case "printf":
      printInto(command, scope);
      return;
    case "cd":
    case "pushd":
    case "popd":
      variables.setText(
        "PWD",
        args.length === 1 && args[0]?.kind === "literal" && args[0].text.startsWith("/") ? args[0].text : null,
      );
      return;
    case "getopts":
      variables.forget([args[1]?.text ?? "", "OPTARG", "OPTIND"]);
      return;
    default:
  }
}

/** `declare "X=rm"`: an assignment that the parser saw as a word. */
function declareWord(
  text: string,
  isDynamic: boolean,
  { scope, values }: { scope: Scope; values: ReadonlyMap<string, Value> },
): void {
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(text);
  const name = match?.[1];
  if (name === undefined || values.has(name)) return;
  scope.variables.setText(name, isDynamic ? null : (match?.[2] ?? ""), isDynamic);
}

function setPositionals({ words }: SimpleCommand, { variables }: Scope): void {
  const args = words.slice(1);
  const at = args.findIndex(({ text }) => text === "--" || !/^[-+]/.test(text));
  if (at < 0) return;
  const values = args.slice(args[at]?.text === "--" ? at + 1 : at);
  variables.positionals = values.every(({ kind }) => kind === "literal") ? values.map(({ text }) => text) : null;
}

function shiftBy({ words }: SimpleCommand, { variables }: Scope): readonly string[] | null {
  const by = Number(words[1]?.text);
  return Number.isInteger(by) && variables.positionals ? variables.positionals.slice(by) : null;
}

const readOptions = optionTable("a= d= i= n= N= p= t= u= e r s");

function readVariables(command: SimpleCommand, { variables }: Scope, values: ReadonlyMap<string, Value>): void {
  const options = parseOptions(command.words.slice(1), readOptions);
  const list = options.value("a")?.text;
  const names = list === undefined ? options.operands.map(({ text }) => text) : [list];
  if (names.length === 0) names.push("REPLY");
  const own = values.get("IFS") ?? variables.get("IFS") ?? { kind: "text", text: " \t\n" };
  const isKnown = command.input.kind === "text" && own.kind === "text" && !options.has("d", "n", "N", "u");
  const line = command.input.kind === "text" ? (command.input.text.split("\n")[0] ?? "") : "";
  if (!isKnown || line.includes("\\")) {
    for (const name of names) variables.setText(name, null, true);
    return;
  }
  const separators = own.text;
  const fields = splitFields(line, separators, list === undefined ? names.length : Number.POSITIVE_INFINITY);
  if (list !== undefined) variables.set(list, { kind: "list", items: fields });
  else for (const [n, name] of names.entries()) variables.setText(name, fields[n] ?? "");
}

function splitFields(line: string, separators: string, limit: number): string[] {
  const fields: string[] = [];
  let rest = trimStart(line, separators);
  while (rest !== "" && fields.length < limit - 1) {
    const at = rest.split("").findIndex((character) => separators.includes(character));
    if (at < 0) break;
    fields.push(rest.slice(0, at));
    rest = trimStart(rest.slice(at + 1), separators);
  }
  if (rest !== "") fields.push(rest.replace(/[ \t]+$/, ""));
  return fields;
}

function trimStart(text: string, separators: string): string {
  let at = 0;
  while (at < text.length && /[ \t\n]/.test(text[at] ?? "") && separators.includes(text[at] ?? "")) at += 1;
  return text.slice(at);
}

function readLines({ words, input }: SimpleCommand, { variables }: Scope): void {
  const { operands } = parseOptions(words.slice(1), optionTable("d= n= O= s= u= C= c= t"));
  const name = operands[0]?.text ?? "MAPFILE";
  const isKnown = input.kind === "text" && words.slice(1).every(({ text }) => !/^-[dnOsuCc]/.test(text));
  if (isKnown) variables.set(name, { kind: "list", items: input.text.replace(/\n$/, "").split("\n") });
  else variables.setText(name, null, true);
}

function printInto({ words }: SimpleCommand, { variables }: Scope): void {
  const [option, name, ...rest] = words.slice(1);
  if (option?.text !== "-v" || !name) return;
  const isKnown = rest.every(({ kind }) => kind === "literal");
  variables.setText(name.text, isKnown ? formatPrintf(rest.map(({ text }) => text)) : null, !isKnown);
}
