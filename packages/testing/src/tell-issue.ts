import { z } from "zod";
import { nearest } from "../../../src/core/text.ts";
import { scriptSchema } from "./script-schema.ts";

/** What is wrong, where, and what was meant. */
export function tellIssue(issue: z.core.$ZodIssue, value: unknown): string {
  const place = nameOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => tellUnknownKey(key, place, knownKeys(issue.path))).join("; ");
  }
  const came = valueAt(value, issue.path);
  if (came === undefined && issue.path.length > 0) return `${place} is missing`;
  return `${place || "the whole file"}: ${expectation(issue)}, got ${describe(came)}`;
}

function tellUnknownKey(key: string, place: string, known: readonly string[]): string {
  const [meant] = nearest(key, known, 1);
  const advice = meant === undefined ? `there are ${known.join(", ")}` : `did you mean "${meant}"`;
  return `${place ? `${place}.` : ""}${key} is unknown; ${advice}`;
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return `expected ${nouns[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value") return `expected one of ${issue.values.map((each) => String(each)).join(", ")}`;
  if (issue.code === "too_small") return `expected ${amount(issue.origin, issue.minimum, "at least")}`;
  if (issue.code === "too_big") return `expected ${amount(issue.origin, issue.maximum, "at most")}`;
  return issue.message;
}

const nouns: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

function amount(origin: string, limit: number | bigint, bound: string): string {
  if (origin === "array") return `${bound} ${limit} in the list`;
  return origin === "string" ? `${bound} ${limit} character${Number(limit) === 1 ? "" : "s"}` : `${bound} ${limit}`;
}

function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((each, step) => (each as Record<PropertyKey, unknown> | null)?.[step], value);
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema = plain(scriptSchema);
  for (const step of path) {
    const next = schema instanceof z.ZodObject ? schema.shape[String(step)] : (schema as z.ZodArray).element;
    schema = plain(next as z.ZodType);
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Without what only wraps it. */
function plain(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return plain(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return plain(schema.out as z.ZodType);
  return schema;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
