import { messageOf } from "./errors.ts";
import type { Checked, InputProblem } from "./tool.ts";

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema document (2020-12). Its keys are never renamed on the wire. */
export interface JsonSchema {
  readonly [key: string]: unknown;
}

/** JSON with line and block comments and trailing commas. Throws a SyntaxError that names line and column. */
export function parseJsonc(text: string): unknown {
  const plain = blankTrailingCommas(blankComments(text));
  try {
    return JSON.parse(plain);
  } catch (thrown) {
    const at = /position (\d+)/.exec(messageOf(thrown))?.[1];
    if (at === undefined) throw thrown;
    const before = plain.slice(0, Number(at)).split("\n");
    throw new SyntaxError(`line ${before.length}, column ${before.at(-1)!.length + 1}: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}

// Blanks instead of nothing, so that positions in error messages stay true. A string is matched first and kept.
function blankComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (match) =>
    match.startsWith('"') ? match : match.replaceAll(/[^\n]/g, " "),
  );
}

function blankTrailingCommas(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (match) => (match === "," ? " " : match));
}

/**
 * The part of a stranger's schema that can be checked here without running anything of it: that the input is an object, that
 * nothing required is missing, and that the types at the top are right. The host checks all of it before the tool is entered.
 */
export function checkStructure(schema: JsonSchema, input: unknown): Checked<unknown> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    const message = `the input: expected an object, got ${nameType(input)}`;
    return { ok: false, problems: [{ path: "", kind: "wrong", message }] };
  }
  const problems = [...findMissing(schema, input), ...findWrongTypes(schema, input as Record<string, unknown>)];
  return problems.length === 0 ? { ok: true, input } : { ok: false, problems };
}

function findMissing(schema: JsonSchema, input: object): InputProblem[] {
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return required.flatMap((key) =>
    typeof key !== "string" || Object.hasOwn(input, key)
      ? []
      : [{ path: key, kind: "missing" as const, message: `${key} is missing` }],
  );
}

function findWrongTypes(schema: JsonSchema, input: Readonly<Record<string, unknown>>): InputProblem[] {
  const properties = asRecord(schema["properties"]);
  return Object.entries(input).flatMap(([key, value]) => {
    const type = Object.hasOwn(properties, key) ? asRecord(properties[key])["type"] : undefined;
    if (typeof type !== "string" || fitsType(type, value)) return [];
    return [{ path: key, kind: "wrong" as const, message: `${key}: expected ${type}, got ${nameType(value)}` }];
  });
}

function fitsType(type: string, value: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return nameType(value) === "object";
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    // Not a type of JSON Schema: the host says what is wrong with it.
    default:
      return true;
  }
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Something to wait for. Not `instanceof Promise`: libraries and other realms bring their own. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
