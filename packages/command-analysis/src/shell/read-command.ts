import type { Assignment, Command } from "unbash";
import type { Input, SimpleCommand, Word } from "../simple-command.ts";
import { hidesSubstitution, WordExpander } from "./expand/expand-word.ts";
import { readRedirects } from "./read-redirects.ts";
import { addFinding, dynamic, excerpt, type Scope, type ShellWord } from "./scope.ts";
import type { Value } from "./expand/variables.ts";

interface ReadCommand {
  readonly command: SimpleCommand;
  /** What its assignments give, for builtins and for bare assignments. */
  readonly values: ReadonlyMap<string, Value>;
  readonly descriptors: ReadonlyMap<number, Input>;
}

/** One command of the syntax tree, its words expanded and what runs inside them walked. */
export function readCommand(node: Command, scope: Scope): ReadCommand {
  const expander = new WordExpander(scope);
  const values = new Map<string, Value>();
  const assignments: { name: string; value: Word }[] = [];
  const assign = (assignment: Assignment): Word => {
    const { value, word } = readAssignment(assignment, expander, scope);
    values.set(assignment.name, value);
    warnOfSubscript(word, scope);
    return word;
  };
  for (const part of node.prefix)
    if (part.type === "Assignment") assignments.push({ name: part.name, value: assign(part) });
  const words: ShellWord[] = node.name ? locate(expander.expand(node.name), node.name) : [];
  for (const part of node.suffix) {
    if (part.type === "Word") words.push(...locate(expander.expand(part), part));
    else if (part.type === "Assignment") words.push(prepend(`${part.name}=`, assign(part)));
  }
  const { redirects, input, descriptors } = readRedirects(node.redirects, expander);
  const command: SimpleCommand = {
    name: nameOf(words[0]),
    words,
    assignments,
    redirects,
    input: input ?? scope.input,
    source: excerpt(scope.source.slice(node.pos, node.end)),
    via: scope.via,
    substitutions: expander.substitutions,
  };
  return { command, values, descriptors };
}

function locate(
  words: readonly ShellWord[],
  { pos, end }: { readonly pos: number; readonly end: number },
): ShellWord[] {
  return words.map((word) => ({ ...word, from: pos, to: end }));
}

export function nameOf(word: Word | undefined): string {
  return word?.text.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

function readAssignment(
  assignment: Assignment,
  expander: WordExpander,
  scope: Scope,
): { value: Value; word: ShellWord } {
  const own = assignment.append ? scope.variables.get(assignment.name) : undefined;
  const index = assignment.index ? expander.text(assignment.index) : undefined;
  if (assignment.value.type === "ArrayValue") {
    const words = assignment.value.elements.flatMap((element) => expander.expand(element));
    const isKnown =
      words.every(({ kind }) => kind === "literal") && !words.some(({ text }) => /^\[[^\]]*\]=/.test(text));
    const isTainted = words.some((word) => word.isTainted);
    const items = [
      ...(own?.kind === "list" ? own.items : own?.kind === "text" ? [own.text] : []),
      ...words.map(({ text }) => text),
    ];
    const text = `(${words.map((word) => word.text).join(" ")})`;
    const value: Value = isKnown && own?.kind !== "unknown" ? { kind: "list", items } : { kind: "unknown", isTainted };
    const isMatched =
      !isKnown && words.some(({ kind }) => kind === "glob") && words.every((word) => word.kind !== "dynamic");
    const kind = isKnown ? "literal" : isMatched ? "glob" : "dynamic";
    return { value, word: { text, kind, prefix: kind === "dynamic" ? "(" : text, isTainted } };
  }
  const given = expander.single(assignment.value);
  // `X=a:~` means a home there, too.
  const word: ShellWord = /:~/.test(assignment.value.text) && given.kind === "literal" ? dynamic(given.text) : given;
  if (word.kind === "dynamic" || own?.kind === "unknown")
    return { value: { kind: "unknown", isTainted: word.isTainted === true }, word };
  if (index !== undefined) return { value: placeElement(scope.variables.get(assignment.name), index, word.text), word };
  const before = own?.kind === "text" ? own.text : own?.kind === "list" ? (own.items[0] ?? "") : "";
  return { value: { kind: "text", text: before + word.text }, word };
}

function placeElement(own: Value | undefined, index: string | null, text: string): Value {
  const items = own?.kind === "list" ? [...own.items] : own?.kind === "text" ? [own.text] : [];
  const at = index !== null && /^\d{1,3}$/.test(index) ? Number(index) : -1;
  if (own?.kind === "unknown" || at < 0 || at > items.length) return { kind: "unknown", isTainted: false };
  items[at] = text;
  return { kind: "list", items };
}

function prepend(start: string, word: ShellWord): ShellWord {
  return { ...word, text: start + word.text, prefix: start + word.prefix };
}

/** Arithmetic evaluates the text of a variable, and with it what stands in its subscripts. */
function warnOfSubscript({ text, kind }: Word, scope: Scope): void {
  if (kind !== "literal" || !/^\s*[A-Za-z_]\w*\[.*(?:\$\(|`)/s.test(text)) return;
  const reason = "It stores a subscript with a command in it, which runs as soon as the variable is used as a number.";
  addFinding(scope, { verdict: "unknown", rule: "shell.hidden-substitution", reason }, excerpt(text));
}

/** Builtins that evaluate subscripts in their arguments. */
const evaluatesSubscripts = new Set(
  "let declare typeset local export readonly unset read printf test [ wait mapfile readarray getopts".split(" "),
);

export function hasHiddenSubscript(command: SimpleCommand): boolean {
  return (
    evaluatesSubscripts.has(command.name) &&
    command.words.some(
      ({ text, kind }) =>
        kind === "literal" && (hidesSubstitution(`'${text}`) || (command.name === "let" && /\$\(|`/.test(text))),
    )
  );
}
