import type { JsonSchema } from "../../core/json.ts";
import { bareSchema, compareLimits, isSame, type SchemaNode } from "./schema-keywords.ts";

export type SchemaComparison =
  | { readonly compatible: true }
  | { readonly compatible: false; /** One sentence. */ readonly reason: string };

/**
 * Whether every input that fits `stable` fits `next`. Says no where it can't be sure: a keyword that is not known here must
 * stay as it is, and with references the whole schema must.
 */
export function compareSchemas(stable: JsonSchema, next: JsonSchema): SchemaComparison {
  const [before, after] = [bareSchema(stable), bareSchema(next)];
  if (isSame(before, after)) return { compatible: true };
  const entangled = /"(?:\$ref|\$dynamicRef|unevaluatedProperties|unevaluatedItems)":/;
  if (entangled.test(JSON.stringify([before, after]))) {
    return refuse("It changes a schema that has references, and nobody can say what else that changes.");
  }
  const problem = compareNodes(before, after, "the input");
  return problem === null ? { compatible: true } : refuse(problem);
}

function refuse(reason: string): SchemaComparison {
  return { compatible: false, reason };
}

/** Null when all that fits the one fits the other. */
function compareNodes(before: SchemaNode, after: SchemaNode, path: string): string | null {
  if (before === false || after === true) return null;
  if (after === false) return `${path}: nothing is taken there any more.`;
  const old = before === true ? {} : before;
  return (
    compareLimits(old, after, path) ??
    compareObjects(old, after, path) ??
    compareItems(old, after, path) ??
    compareChoices(old, after, path)
  );
}

type Keywords = Exclude<SchemaNode, boolean>;

function compareObjects(before: Keywords, after: Keywords, path: string): string | null {
  const required = new Set(listOf(before["required"]));
  const added = listOf(after["required"]).find((name) => !required.has(name));
  if (added !== undefined) return `${path}: ${added} is required now, and was not.`;
  const [old, next] = [namesOf(before["properties"]), namesOf(after["properties"])];
  const oldRest = nodeOf(before["additionalProperties"]);
  const nextRest = nodeOf(after["additionalProperties"]);
  for (const [name, node] of old) {
    const problem = compareNodes(node, next.get(name) ?? nextRest, `${path}.${name}`);
    if (problem !== null) return problem;
  }
  // A name that fits a pattern was not looked at by `additionalProperties`.
  const oldOther = before["patternProperties"] === undefined ? oldRest : true;
  for (const [name, node] of next) {
    if (old.has(name)) continue;
    const problem = compareNodes(oldOther, node, `${path}.${name}`);
    if (problem !== null) return `${problem} It was taken under any form before.`;
  }
  return compareNodes(oldRest, nextRest, `${path}.*`);
}

function compareItems(before: Keywords, after: Keywords, path: string): string | null {
  return compareNodes(nodeOf(before["items"]), nodeOf(after["items"]), `${path}[]`);
}

function compareChoices(before: Keywords, after: Keywords, path: string): string | null {
  const any = after["anyOf"] as readonly SchemaNode[] | undefined;
  if (any !== undefined) {
    const { anyOf = [before], ...rest } = before as { anyOf?: readonly SchemaNode[] };
    const fits = (node: SchemaNode): boolean => any.some((each) => compareNodes(node, each, path) === null);
    // All that stands beside the choices was required as well.
    if (!anyOf.every((node) => fits(node)) && !fits(rest)) return `${path}: a form that was taken is missing in anyOf.`;
  }
  const all = after["allOf"] as readonly SchemaNode[] | undefined;
  if (all === undefined || isSame(all, before["allOf"])) return null;
  const { allOf: _, ...rest } = before;
  for (const each of all) {
    const problem = compareNodes(rest, each, path);
    if (problem !== null) return problem;
  }
  return null;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as string[]) : [];
}

function namesOf(value: unknown): ReadonlyMap<string, SchemaNode> {
  return new Map(Object.entries((value ?? {}) as Record<string, SchemaNode>));
}

/** Left out: anything. */
function nodeOf(value: unknown): SchemaNode {
  return value === undefined ? true : (value as SchemaNode);
}
