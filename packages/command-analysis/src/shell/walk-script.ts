import type {
  AndOr,
  ArithmeticFor,
  CommandNode,
  CompoundList,
  For,
  Function as FunctionNode,
  ParsedScript,
  Pipeline,
  Select,
  Statement,
  SyntaxNode,
  While,
} from "unbash";
import { bareCommand, type Input, type SimpleCommand } from "../simple-command.ts";
import { assignedNames } from "./expand/assigned-names.ts";
import { hidesSubstitution, WordExpander } from "./expand/expand-word.ts";
import { readRedirects } from "./read-redirects.ts";
import { addFinding, excerpt, takeStep, type Output, type Scope, type ShellWord } from "./scope.ts";
import type { Value } from "./expand/variables.ts";
import { runRedirects, walkCommand } from "./walk-command.ts";

/** Every command of a script, in order. Returns what it prints, where that is known. */
export function walkScript(script: ParsedScript, scope: Scope): Output {
  const error = script.errors?.[0];
  if (error) {
    const reason = `The shell would not read it as written (${error.message}), so what it would run is not known.`;
    addFinding(scope, { verdict: "unknown", rule: "shell.syntax", reason }, excerpt(scope.source));
  }
  return walkStatements(script.commands, scope);
}

/** What the rest of the text may write into a coprocess. */
const fed: Input = { kind: "commands", commands: [] };

type Node = CommandNode | Pipeline | AndOr | CompoundList;

function walkStatements(statements: readonly Statement[], scope: Scope): Output {
  let output: Output = "";
  for (const statement of statements) {
    if (scope.gathered.isFull) return null;
    output = add(output, walkStatement(statement, scope));
  }
  return output;
}

function walkStatement({ command, background }: Statement, scope: Scope): Output {
  if (!background) return walkNode(command, scope);
  scope.gathered.hasBackground = true;
  return walkNode(command, { ...scope, variables: scope.variables.fork(), isParallel: true });
}

function walkNode(node: Node, outer: Scope): Output {
  const scope = { ...outer, nesting: outer.nesting + 1 };
  if (!takeStep(scope)) return null;
  switch (node.type) {
    case "Command":
      return walkCommand(node, outer);
    case "AndOr":
      return walkAndOr(node, scope);
    case "Pipeline":
      return walkPipeline(node.commands, scope);
    case "CompoundList":
      return walkStatements(node.commands, scope);
    case "BraceGroup":
      return walkStatements(node.body.commands, scope);
    case "Subshell":
      return walkStatements(node.body.commands, { ...scope, variables: scope.variables.fork() });
    case "Redirected":
      return walkRedirected(node, scope);
    case "If": {
      let output = walkStatements(node.clause.commands, scope);
      const branches = [
        node.then,
        ...node.elif.flatMap(({ clause, then }) => [clause, then]),
        ...(node.else ? [node.else] : []),
      ];
      for (const branch of branches) if (branchOff(branch.commands, scope) !== "") output = null;
      return output;
    }
    case "For":
      return walkFor(node, scope);
    case "Select":
      walkAssigned(node, scope);
      scope.variables.setText(node.name.value, null, true);
      return walkLoop([node.body], scope);
    case "ArithmeticFor":
      judgeEndless(node, scope);
      judgeNumbers(scope.source.slice(node.pos, node.body.pos), scope);
      walkEmbedded([node.initialize, node.test, node.update], scope);
      return walkLoop([node.body], scope);
    case "While":
      judgeEndless(node, scope);
      return walkLoop([node.clause, node.body], scope);
    case "Case": {
      walkEmbedded([node.word, ...node.items.flatMap(({ pattern }) => pattern)], scope);
      let output: Output = "";
      for (const item of node.items) if (branchOff(item.body.commands, scope) !== "") output = null;
      return output;
    }
    case "Function":
      return defineFunction(node, scope);
    case "Coproc":
      scope.gathered.hasBackground = true;
      return walkNode(node.body, { ...scope, variables: scope.variables.fork(), isParallel: true, input: fed }) === ""
        ? ""
        : null;
    case "TestCommand":
      walkEmbedded([node.expression], scope);
      judgeTest(scope.source.slice(node.pos, node.end), scope);
      return "";
    case "ArithmeticCommand":
      new WordExpander(scope).evaluateArithmetic(node.body, node.expression);
      return "";
  }
}

/** What follows `&&` may not run, and what follows `||` rarely does: neither replaces what was known for sure. */
function walkAndOr({ commands, operators }: AndOr, scope: Scope): Output {
  const [first, ...rest] = commands;
  let output = first ? walkNode(first, scope) : "";
  const variables = scope.variables.fork();
  for (const [n, node] of rest.entries()) {
    const own = operators[n] === "||" ? variables.fork() : variables;
    output = add(output, walkNode(node, { ...scope, variables: own }));
    if (own !== variables) variables.join(own);
  }
  scope.variables.join(variables);
  return output;
}

function walkPipeline(nodes: readonly CommandNode[], scope: Scope): Output {
  let { input } = scope;
  let output: Output = null;
  const isParallel = scope.isParallel || nodes.length > 1;
  for (const node of nodes) {
    const before = scope.gathered.commands.length;
    const variables = nodes.length > 1 ? scope.variables.fork() : scope.variables;
    output = walkNode(node, { ...scope, variables, input, isParallel });
    input =
      output === null
        ? { kind: "commands", commands: pass(input, scope.gathered.commands.slice(before)) }
        : { kind: "text", text: output };
  }
  return output;
}

/** Filters pass on what they read, so where it came from stays part of it. */
function pass(input: Input, commands: Extract<Input, { kind: "commands" }>["commands"]): typeof commands {
  return input.kind === "commands" ? [...input.commands, ...commands] : commands;
}

function walkRedirected(node: Extract<Node, { type: "Redirected" }>, scope: Scope): Output {
  const expander = new WordExpander(scope);
  const { redirects, input } = readRedirects(node.redirects, expander);
  const output = walkNode(node.command, { ...scope, input: input ?? scope.input });
  const source = excerpt(scope.source.slice(node.command.end, node.end));
  const command: SimpleCommand = {
    ...bareCommand,
    redirects,
    source,
    via: scope.via,
    substitutions: expander.substitutions,
  };
  return runRedirects(command, output, scope);
}

function branchOff(statements: readonly Statement[], scope: Scope): Output {
  const variables = scope.variables.fork();
  const output = walkStatements(statements, { ...scope, variables });
  scope.variables.join(variables);
  return output;
}

function walkLoop(bodies: readonly CompoundList[], scope: Scope): Output {
  scope.variables.forget(assignedNames(bodies));
  const outputs = bodies.map(({ commands }) => branchOff(commands, scope));
  return outputs.every((output) => output === "") ? "" : null;
}

const maxRounds = 16;

/** Over a short list of known words each round is walked with its own word. */
function walkFor(node: For, scope: Scope): Output {
  const words = walkAssigned(node, scope);
  const items = node.wordlist ? knownValues(words) : (scope.variables.positionals?.map(toText) ?? null);
  const rounds = scope.rounds * (items?.length ?? 0);
  const isTainted = words.some((word) => word.isTainted);
  scope.variables.forget(assignedNames([node.body]));
  if (items === null || items.length === 0 || rounds > maxRounds) {
    scope.variables.set(node.name.value, { kind: "unknown", isTainted });
    return walkLoop([node.body], scope);
  }
  let output: Output = "";
  const start = scope.variables.fork();
  for (const [n, item] of items.entries()) {
    const variables = start.fork();
    variables.set(node.name.value, item);
    output = add(
      output,
      walkStatements(node.body.commands, { ...scope, variables, rounds, isRepeat: scope.isRepeat || n > 0 }),
    );
    scope.variables.join(variables);
  }
  return output;
}

/** The words of a loop, gathered as assignments without a program: what the variable gets may be an order to all that follows. */
function walkAssigned({ name, wordlist = [], pos, end }: For | Select, scope: Scope): readonly ShellWord[] {
  const expander = new WordExpander(scope);
  const words = wordlist.flatMap((word) => expander.expand(word));
  const assignments = words.map((value) => ({ name: name.value, value }));
  const source = excerpt(scope.source.slice(pos, wordlist.at(-1)?.end ?? end));
  const { via } = scope;
  if (words.length > 0)
    runRedirects({ ...bareCommand, assignments, source, via, substitutions: expander.substitutions }, "", scope);
  return words;
}

/** A pattern is each file in turn that fits it. */
function knownValues(words: readonly ShellWord[]): readonly Value[] | null {
  if (words.some(({ kind, isVague }) => kind === "dynamic" || isVague)) return null;
  return words.map(({ text, kind }) =>
    kind === "glob" ? { kind: "unknown", isTainted: false, glob: text } : toText(text),
  );
}

function toText(text: string): Value {
  return { kind: "text", text };
}

function walkEmbedded(nodes: readonly (SyntaxNode | undefined)[], scope: Scope): void {
  new WordExpander(scope).embed(nodes.filter((node) => node !== undefined));
}

function defineFunction(node: FunctionNode, scope: Scope): Output {
  const { functions } = scope.gathered;
  const { value: name } = node.name;
  const former = functions.get(name);
  if (former?.walked.size === 0) {
    former.walked.add("");
    former.walk({ ...former.scope, calls: [{ name, isParallel: false }] });
  }
  functions.set(name, { name, scope, walk: (inside) => walkNode(node.body, inside), walked: new Set() });
  return "";
}

/** `[[ 'a[$(…)]' -eq 1 ]]` evaluates what it compares as numbers, and with it what stands in subscripts. */
function judgeTest(text: string, scope: Scope): void {
  if (/(?:^|\s)-(?:eq|ne|lt|le|gt|ge|v)(?:\s|$)/.test(text)) judgeNumbers(text, scope);
}

function judgeNumbers(text: string, scope: Scope): void {
  if (!hidesSubstitution(text)) return;
  const reason = "It runs the commands in the subscripts of what it takes for numbers.";
  addFinding(scope, { verdict: "unknown", rule: "shell.hidden-substitution", reason }, excerpt(text));
}

/** `while true; do something & done`: starts processes faster than they can end. */
function judgeEndless(node: While | ArithmeticFor, scope: Scope): void {
  const { body, pos, end } = node;
  const textOf = (part: { readonly pos: number; readonly end: number }) => scope.source.slice(part.pos, part.end);
  const waits = body.commands.some(
    ({ command, background }) => !background && /^(?:wait|sleep|read|inotifywait)\b/.test(textOf(command)),
  );
  if (waits || !isEndless(node, textOf) || !body.commands.some(({ background }) => background)) return;
  const reason = "It starts new processes without end and waits for none of them.";
  addFinding(scope, { verdict: "danger", rule: "process.fork-bomb", reason }, excerpt(textOf({ pos, end })));
}

function isEndless(node: While | ArithmeticFor, textOf: (node: CompoundList) => string): boolean {
  if (node.type === "ArithmeticFor") return node.test === undefined;
  const condition = textOf(node.clause).replace(/[;\s]+$/, "");
  const always = /^(?:true|:|\[ 1 \]|\(\( ?1 ?\)\)|\[\[ 1 \]\])$/;
  return node.kind === "while" ? always.test(condition) : /^(?:false|\(\( ?0 ?\)\))$/.test(condition);
}

function add(one: Output, other: Output): Output {
  return one === null || other === null ? null : one + other;
}
