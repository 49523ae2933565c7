/** As JSON has it: true takes anything, false nothing. */
export type SchemaNode = boolean | { readonly [keyword: string]: unknown };
type Keywords = Exclude<SchemaNode, boolean>;

const annotations = new Set(
  "title description examples default $comment $schema deprecated readOnly writeOnly".split(" "),
);
const named = new Set("properties patternProperties $defs definitions dependentSchemas".split(" "));
const listed = new Set("anyOf oneOf allOf prefixItems".split(" "));
const single = new Set(
  "items additionalProperties not contains if then else propertyNames unevaluatedProperties unevaluatedItems".split(
    " ",
  ),
);

/** Without what only people read. */
export function bareSchema(schema: unknown): SchemaNode {
  if (typeof schema === "boolean") return schema;
  const bare: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema as object)) {
    if (annotations.has(keyword)) continue;
    if (single.has(keyword) && isNode(value)) bare[keyword] = bareSchema(value);
    else if (listed.has(keyword) && Array.isArray(value)) bare[keyword] = value.map(bareSchema);
    else if (named.has(keyword) && isNode(value)) {
      bare[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bareSchema(each)]));
    } else bare[keyword] = value;
  }
  return bare;
}

function isNode(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
}

/** Equal as JSON; the order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) => Object.hasOwn(b, key) && isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

const lower = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const upper = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/** Without them more is taken; another one is another question. */
const removable = ["multipleOf", "pattern", "format", "uniqueItems"];
/** Compared with what stands in them. */
const structural = ["required", "properties", "additionalProperties", "items", "anyOf", "allOf"];

/** The keywords of one node that do not lead into others. Null when none of them takes less than before. */
export function compareLimits(before: Keywords, after: Keywords, path: string): string | null {
  const lost = typesOf(before).find((type) => !typesOf(after).includes(type));
  if (lost !== undefined) return `${path}: the type ${lost} is not taken any more.`;
  const missing = compareValues(before, after);
  if (missing !== null) return `${path}: ${missing}`;
  const known = new Set(["type", "enum", "const", ...structural]);
  for (const keyword of Object.keys({ ...before, ...after })) {
    if (known.has(keyword)) continue;
    if (!isAsWide(keyword, before[keyword], after[keyword])) {
      return `${path}: ${keyword} is ${show(after[keyword])} now, and was ${show(before[keyword])}.`;
    }
  }
  return null;
}

function isAsWide(keyword: string, before: unknown, after: unknown): boolean {
  if (isSame(before, after)) return true;
  if (lower.includes(keyword)) return after === undefined || (typeof before === "number" && Number(after) <= before);
  if (upper.includes(keyword)) return after === undefined || (typeof before === "number" && Number(after) >= before);
  return removable.includes(keyword) && after === undefined;
}

/** Every value that was one of a list must still be one. */
function compareValues(before: Keywords, after: Keywords): string | null {
  const old = valuesOf(before);
  for (const allowed of [after["enum"], "const" in after ? [after["const"]] : undefined]) {
    if (!Array.isArray(allowed)) continue;
    if (old === undefined) return `only ${show(allowed)} is taken now.`;
    const lost = old.find((value) => !allowed.some((each) => isSame(each, value)));
    if (lost !== undefined) return `the value ${show(lost)} is not taken any more.`;
  }
  return null;
}

function valuesOf(node: Keywords): readonly unknown[] | undefined {
  if ("const" in node) return [node["const"]];
  return Array.isArray(node["enum"]) ? (node["enum"] as unknown[]) : undefined;
}

const everyType = ["string", "number", "integer", "boolean", "null", "array", "object"];

/** A number is also what an integer is. */
function typesOf({ type }: Keywords): readonly string[] {
  if (type === undefined) return everyType;
  const types = (Array.isArray(type) ? type : [type]) as string[];
  return types.includes("number") ? [...types, "integer"] : types;
}

function show(value: unknown): string {
  return value === undefined ? "left out" : JSON.stringify(value).slice(0, 80);
}
