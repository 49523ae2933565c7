import type { ParameterExpansionPart, ParameterOperation, Word as SyntaxWord } from "unbash";
import { decodeEscapes } from "./decode-escapes.ts";
import { removePattern, replacePattern } from "./match-pattern.ts";
import type { Scope } from "../scope.ts";
import type { Value } from "./variables.ts";

export type Expansion =
  | { readonly kind: "text"; readonly text: string }
  /** `isJoined`: one word in quotes (`$*`), else one word each (`$@`). */
  | { readonly kind: "list"; readonly items: readonly string[]; readonly isJoined: boolean }
  | { readonly kind: "unknown"; readonly isTainted: boolean; readonly glob?: string };

const unknown: Expansion = { kind: "unknown", isTainted: false };

/** What `$name` stands for, as far as the text itself tells. Undefined: the text never sets it. */
export function lookUp(name: string, scope: Scope): Expansion | undefined {
  const { variables } = scope;
  if (/^[1-9]\d*$/.test(name)) {
    if (variables.positionals === null) return unknown;
    return { kind: "text", text: variables.positionals[Number(name) - 1] ?? "" };
  }
  if (name === "@" || name === "*") {
    if (variables.positionals === null) return unknown;
    return { kind: "list", items: variables.positionals, isJoined: name === "*" };
  }
  if (name === "#") {
    return variables.positionals ? { kind: "text", text: String(variables.positionals.length) } : unknown;
  }
  const value = variables.get(name);
  if (value) return first(value);
  const { cwd, home } = scope.gathered.place;
  if (name === "IFS") return { kind: "text", text: " \t\n" };
  if (name === "HOME") return { kind: "text", text: home ?? "~" };
  if (name === "PWD" && cwd !== undefined) return { kind: "text", text: cwd };
  return /^[A-Za-z_]\w*$/.test(name) ? undefined : unknown;
}

/** `evaluate` gives the text of a word inside the braces, or null. */
export function expandParameter(
  part: ParameterExpansionPart,
  scope: Scope,
  evaluate: (word: SyntaxWord) => string | null,
): Expansion {
  const value = part.index ? element(part, scope, evaluate) : lookUp(part.parameter, scope);
  if (part.prefix === "!") return followName(part, value, scope);
  if (part.prefix === "#") return measure(value);
  if (!part.operation) return value ?? unknown;
  if (value === undefined) return operateOnUnset(part, scope, evaluate);
  if (value.kind === "unknown") return value;
  if (part.operation.type === "Default") return chooseDefault(part, { value, scope, evaluate });
  if (value.kind === "list" && part.operation.type === "Slice") {
    const { offset, length } = part.operation;
    // `${@:1}` counts from 1, arrays from 0.
    const shift = part.parameter === "@" || part.parameter === "*" ? 1 : 0;
    const [from, size] = [toNumber(evaluate(offset)), length ? toNumber(evaluate(length)) : Number.POSITIVE_INFINITY];
    if (from === null || size === null || from < shift || size < 0) return unknown;
    return { ...value, items: value.items.slice(from - shift, from - shift + size) };
  }
  const operation = part.operation;
  const items = value.kind === "list" ? value.items : [value.text];
  const results = items.map((text) => operate(text, operation, evaluate));
  if (!results.every((result) => result !== null)) return unknown;
  return value.kind === "list" ? { ...value, items: results } : { kind: "text", text: results[0] ?? "" };
}

function first(value: Value): Expansion {
  if (value.kind === "list") return { kind: "text", text: value.items[0] ?? "" };
  return value;
}

function element(
  { parameter, index }: ParameterExpansionPart,
  scope: Scope,
  evaluate: (word: SyntaxWord) => string | null,
): Expansion | undefined {
  const value = scope.variables.get(parameter);
  const text = index ? evaluate(index) : null;
  if (!value || value.kind === "unknown") return value;
  const items = value.kind === "list" ? value.items : [value.text];
  if (text === "@" || text === "*") return { kind: "list", items, isJoined: text === "*" };
  const at = toNumber(text);
  return at === null ? unknown : { kind: "text", text: items.at(at) ?? "" };
}

function followName(part: ParameterExpansionPart, value: Expansion | undefined, scope: Scope): Expansion {
  if (part.operation || part.index || value?.kind !== "text") return unknown;
  return lookUp(value.text, scope) ?? unknown;
}

function measure(value: Expansion | undefined): Expansion {
  if (!value || value.kind === "unknown") return unknown;
  return { kind: "text", text: String(value.kind === "list" ? value.items.length : Array.from(value.text).length) };
}

const pathLike = new Set(["PATH", "HOME", "PWD", "OLDPWD", "SHELL", "BASH", "TMPDIR"]);

function operateOnUnset(
  part: ParameterExpansionPart,
  scope: Scope,
  evaluate: (word: SyntaxWord) => string | null,
): Expansion {
  const { operation, parameter } = part;
  if (operation?.type === "Slice" && pathLike.has(parameter)) {
    const isFirst = evaluate(operation.offset) === "0" && operation.length && evaluate(operation.length) === "1";
    return isFirst ? { kind: "text", text: "/" } : unknown;
  }
  if (operation?.type !== "Default" || !/^:?[-=]$/.test(operation.operator)) {
    if (operation?.type === "Default") evaluate(operation.operand);
    return unknown;
  }
  scope.gathered.hasAssumed = true;
  const text = evaluate(operation.operand);
  if (operation.operator.endsWith("=")) scope.variables.setText(parameter, text);
  return text === null ? unknown : { kind: "text", text };
}

interface Choice {
  readonly value: Extract<Expansion, { kind: "text" | "list" }>;
  readonly scope: Scope;
  readonly evaluate: (word: SyntaxWord) => string | null;
}

function chooseDefault(part: ParameterExpansionPart, { value, scope, evaluate }: Choice): Expansion {
  if (part.operation?.type !== "Default") return unknown;
  const { operator, operand } = part.operation;
  // A positional that was not given is unset, one that is "" is not: `-` and `:-` are only told apart for names.
  const isEmpty = value.kind === "text" ? value.text === "" : value.items.length === 0;
  const isMissing = isEmpty && (operator.startsWith(":") || /^[\d@*]/.test(part.parameter));
  const text = evaluate(operand);
  if (operator.endsWith("+")) return isMissing ? { kind: "text", text: "" } : toExpansion(text);
  if (!isMissing) return value;
  if (operator.endsWith("=")) scope.variables.setText(part.parameter, text);
  return operator.endsWith("?") ? unknown : toExpansion(text);
}

function toExpansion(text: string | null): Expansion {
  return text === null ? unknown : { kind: "text", text };
}

function operate(
  text: string,
  operation: ParameterOperation,
  evaluate: (word: SyntaxWord) => string | null,
): string | null {
  switch (operation.type) {
    case "Remove": {
      const pattern = evaluate(operation.operand);
      return pattern === null ? null : removePattern(text, pattern, operation.operator);
    }
    case "Replace": {
      const [pattern, by] = [evaluate(operation.pattern), evaluate(operation.replacement)];
      return pattern === null || by === null
        ? null
        : replacePattern(text, { pattern, by, operator: operation.operator });
    }
    case "Slice":
      return slice(
        text,
        toNumber(evaluate(operation.offset)),
        operation.length && toNumber(evaluate(operation.length)),
      );
    case "CaseModification":
      return operation.operand ? null : changeCase(text, operation.operator);
    case "Transform":
      return transform(text, operation.operand.text);
    default:
      return null;
  }
}

function slice(text: string, offset: number | null, length: number | null | undefined): string | null {
  if (offset === null || length === null) return null;
  const from = offset < 0 ? text.length + offset : offset;
  if (from < 0) return "";
  return text.slice(from, length === undefined ? undefined : length < 0 ? text.length + length : from + length);
}

function changeCase(text: string, operator: string): string {
  const change = (part: string) => (operator.startsWith("^") ? part.toUpperCase() : part.toLowerCase());
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}

function transform(text: string, operator: string): string | null {
  if (operator === "U") return text.toUpperCase();
  if (operator === "L") return text.toLowerCase();
  if (operator === "u") return changeCase(text, "^");
  if (operator === "E") return decodeEscapes(text, "ansi-c");
  return operator === "P" && !/[\\$`]/.test(text) ? text : null;
}

function toNumber(text: string | null): number | null {
  return text !== null && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : null;
}
