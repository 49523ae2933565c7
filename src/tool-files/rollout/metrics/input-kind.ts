import { createHash } from "node:crypto";
import type { JsonSchema } from "../../../core/json.ts";

/** All inputs together; no kind of its own. */
export const allKinds = "all";
const otherKinds = "other";
const mostKinds = 8;

const longestKind = 80;
const longestLabel = 30;
const readable = /^[\p{L}\p{N}_.$-]+$/u;
/** A schema of a megabyte must not be walked for each call. */
const mostSchemas = 32;

/**
 * What kind of input it is: the names of the schema's properties that are there, with the value of those that can only have
 * a few. `mode=upper,text`. No other value is told: it could be a secret, and each would be a kind of its own.
 */
export function kindOf(input: unknown, schema: JsonSchema): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return nameOfType(input);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "empty";
  const schemas = alternativesOf(schema, schema);
  const parts = given
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, value]) => {
      const properties = schemas.map((each) => valueOf(each["properties"], name)).filter((each) => each !== undefined);
      if (properties.length === 0) return [];
      return [isOneOfFew(value, properties, schema) ? `${label(name)}=${label(String(value))}` : label(name)];
    });
  return parts.length === 0 ? "unlisted" : shorten(parts);
}

/** The kind to count an input under, when these are counted already: after the first eight all are `other`. */
export function placeKind(known: readonly string[], kind: string): string {
  if (known.includes(kind)) return kind;
  const named = known.filter((each) => each !== otherKinds && each !== allKinds);
  return named.length < mostKinds ? kind : otherKinds;
}

function nameOfType(input: unknown): string {
  if (input === undefined) return "empty";
  if (input === null) return "null";
  return Array.isArray(input) ? "array" : typeof input;
}

function isOneOfFew(value: unknown, properties: readonly unknown[], root: JsonSchema): boolean {
  return properties
    .flatMap((property) => alternativesOf(property, root))
    .some(({ type, enum: values, const: constant }) => {
      if (typeof value === "boolean" && [type].flat().includes("boolean")) return true;
      if (typeof value === "object" && value !== null) return false;
      return value === constant || (Array.isArray(values) && values.includes(value));
    });
}

/** The schema, what it refers to within its document, and the schemas it is made of. */
function alternativesOf(schema: unknown, root: JsonSchema): JsonSchema[] {
  const found: JsonSchema[] = [];
  const waiting: unknown[] = [schema];
  while (waiting.length > 0 && found.length < mostSchemas) {
    const next = waiting.shift();
    if (!isSchema(next) || found.includes(next)) continue;
    found.push(next);
    if (typeof next["$ref"] === "string") waiting.push(follow(next["$ref"], root));
    for (const key of ["allOf", "anyOf", "oneOf"]) {
      const parts = next[key];
      if (Array.isArray(parts)) waiting.push(...(parts as unknown[]).slice(0, mostSchemas));
    }
  }
  return found;
}

function follow(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith("#/")) return undefined;
  return reference.slice(2).split("/").reduce<unknown>(valueOf, root);
}

function valueOf(record: unknown, key: string): unknown {
  return isSchema(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function label(text: string): string {
  return text.length <= longestLabel && readable.test(text) ? text : `~${hash(text)}`;
}

/** A single property may be called as what stands for something else. */
const taken = new Set([allKinds, otherKinds, "empty", "unlisted", "null", "array", "string", "number", "boolean"]);

function shorten(parts: readonly string[]): string {
  const whole = parts.join(",");
  if (whole.length <= longestKind) return taken.has(whole) ? `{${whole}}` : whole;
  const rest = `~${hash(whole)}`;
  const kept = whole.slice(0, longestKind - rest.length - 1);
  return kept.slice(0, kept.lastIndexOf(",") + 1) + rest;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
