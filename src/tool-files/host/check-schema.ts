interface SchemaProblem {
  /** Such as `.properties.mode`. */
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

const deepest = 50;
const types = ["object", "array", "string", "number", "integer", "boolean", "null"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const single = ["items", "additionalProperties", "not", "contains"];
const named = ["properties", "$defs", "definitions", "patternProperties"];

/** What keeps a schema from being used; null when nothing does. No pattern of it is run. */
export function findSchemaProblem(schema: unknown, path = "", root: unknown = schema): SchemaProblem | null {
  if (typeof schema === "boolean") return null;
  if (!isObject(schema)) return problem(path, `must be a schema; got ${show(schema)}.`);
  if (path.split(".").length > deepest) return problem(path, `is nested more than ${deepest} levels deep.`);
  return ownProblem(schema, path, root) ?? childProblem(schema, path, root);
}

function ownProblem(schema: Record<string, unknown>, path: string, root: unknown): SchemaProblem | null {
  const { type, $ref: reference, required, enum: choices, pattern } = schema;
  const given = type === undefined ? [] : Array.isArray(type) ? (type as unknown[]) : [type];
  const unknown = given.find((each) => !types.includes(each as string));
  if (unknown !== undefined)
    return problem(`${path}.type`, `must be one of ${types.join(", ")}; got ${show(unknown)}.`);
  if (reference !== undefined) {
    if (typeof reference !== "string" || !reference.startsWith("#")) {
      const hint = "Put the schema into $defs and refer to it as #/$defs/name: nothing is loaded from elsewhere.";
      return { path: `${path}.$ref`, message: `must refer to this schema itself; got ${show(reference)}.`, hint };
    }
    if (!leadsSomewhere(root, reference)) return problem(`${path}.$ref`, `there is nothing at ${reference}.`);
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((each) => typeof each === "string"))) {
    return problem(`${path}.required`, `must be a list of names; got ${show(required)}.`);
  }
  if (choices !== undefined && !(Array.isArray(choices) && choices.length > 0)) {
    return problem(`${path}.enum`, `must be a list of values; got ${show(choices)}.`);
  }
  if (pattern !== undefined && !isPattern(pattern))
    return problem(`${path}.pattern`, `is no regular expression: ${show(pattern)}.`);
  return null;
}

function childProblem(schema: Record<string, unknown>, path: string, root: unknown): SchemaProblem | null {
  for (const [key, value] of Object.entries(schema)) {
    let children: readonly (readonly [string, unknown])[] = [];
    if (lists.includes(key)) {
      if (!Array.isArray(value) || value.length === 0) return problem(`${path}.${key}`, "must be a list of schemas.");
      children = value.map((each, index) => [`${path}.${key}[${index}]`, each] as const);
    } else if (named.includes(key)) {
      if (!isObject(value)) return problem(`${path}.${key}`, "must be an object of schemas.");
      children = Object.entries(value).map(([name, each]) => [`${path}.${key}.${name}`, each] as const);
    } else if (single.includes(key)) children = [[`${path}.${key}`, value]];
    for (const [at, child] of children) {
      const found = findSchemaProblem(child, at, root);
      if (found) return found;
    }
  }
  return null;
}

/** Made, never used: that is the host's to do. */
function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

function leadsSomewhere(root: unknown, reference: string): boolean {
  let at = root;
  for (const step of reference.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  }
  return typeof at === "boolean" || isObject(at);
}

function problem(path: string, message: string): SchemaProblem {
  return { path, message, hint: null };
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
