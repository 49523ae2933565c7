import type { JsonSchema } from "../../core/json.ts";
import type { Resource, ToolTraits } from "../../core/tool.ts";
import type { RawFile } from "./host-protocol.ts";
import type { Described, Language, ToolCase, ToolSpec } from "./tool-host.ts";

const largestSpec = 256 * 1024;
const toolName = /^[a-z][a-z0-9_-]{0,63}$/i;

/** What a file says of itself, checked; or why it is no tool. */
export function readSpec(file: RawFile, language: Language): Described {
  try {
    return { ok: true, spec: read(file, templates[language]) };
  } catch (thrown) {
    if (!(thrown instanceof SpecError)) throw thrown;
    return { ok: false, problem: { message: thrown.message, line: file.line, hint: thrown.hint } };
  }
}

function read({ spec, exports }: RawFile, template: string): ToolSpec {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    throw new SpecError("It exports no TOOL_SPEC.", template);
  }
  const size = JSON.stringify(spec).length;
  if (size > largestSpec) {
    throw new SpecError(
      `TOOL_SPEC has ${Math.round(size / 1024)} kB; at most ${largestSpec / 1024} kB are read.`,
      "A model reads all of it on every turn: describe the input in a few lines.",
    );
  }
  if (exports === "neither") throw new SpecError("It has a TOOL_SPEC, but exports neither run nor create.", template);
  const given = spec as Record<string, unknown>;
  const resources = readResources(given["resources"]);
  return {
    name: readName(given["name"]),
    description: readDescription(given["description"]),
    inputSchema: readSchema("input_schema", given["input_schema"]),
    ...readQuality(given),
    traits: readTraits(given),
    ...readLimit(given, "timeout_ms", "timeoutMs"),
    ...readLimit(given, "idle_ms", "idleMs"),
    ...(resources === undefined ? {} : ({ resources } satisfies { resources: readonly Resource[] })),
    cases: readCases(given["cases"]),
    hasLifecycle: exports === "create",
  };
}

const script =
  'Write: export const TOOL_SPEC = { name: "my_tool", description: "What it does", input_schema: { type: "object", properties: {} } }; export function run(input, context) { return "done"; }';
const templates: Readonly<Record<Language, string>> = {
  typescript: script,
  javascript: script,
  python:
    'Write: TOOL_SPEC = {"name": "my_tool", "description": "What it does", "input_schema": {"type": "object", "properties": {}}} and below it: def run(input_data, context): return "done"',
};

function readName(name: unknown): string {
  if (typeof name === "string" && toolName.test(name)) return name;
  throw new SpecError(
    `TOOL_SPEC.name must have 1 to 64 letters, digits, "_" or "-" and start with a letter; got ${show(name)}.`,
    null,
  );
}

function readDescription(description: unknown): string {
  if (typeof description === "string" && description.trim() !== "") return description;
  throw new SpecError(
    `TOOL_SPEC.description must be a text; got ${show(description)}.`,
    "Say in one sentence what the tool does: models choose by it.",
  );
}

function readQuality({
  output_schema: schema,
  judge,
}: Record<string, unknown>): Pick<ToolSpec, "outputSchema" | "judge"> {
  if (judge !== undefined && !(typeof judge === "string" && toolName.test(judge))) {
    throw new SpecError(`TOOL_SPEC.judge must be the name of a tool; got ${show(judge)}.`, null);
  }
  return {
    ...(schema === undefined ? {} : { outputSchema: readSchema("output_schema", schema) }),
    ...(judge === undefined ? {} : { judge }),
  };
}

function readSchema(key: "input_schema" | "output_schema", schema: unknown): JsonSchema {
  if (schema === undefined || schema === null) {
    throw new SpecError(
      `TOOL_SPEC.${key} is missing.`,
      'For a tool without input: input_schema: { type: "object", properties: {} }.',
    );
  }
  if (typeof schema !== "object" || Array.isArray(schema)) {
    throw new SpecError(`TOOL_SPEC.${key} must be a JSON schema; got ${show(schema)}.`, null);
  }
  const { type } = schema as { readonly type?: unknown };
  if (type !== "object") {
    throw new SpecError(
      `TOOL_SPEC.${key} must have type: "object"; got ${show(type)}.`,
      key === "input_schema"
        ? "The input of a tool is an object with named fields."
        : "It describes the output as JSON.",
    );
  }
  const problem = findSchemaProblem(schema);
  if (problem) throw new SpecError(`TOOL_SPEC.${key}${problem.path}: ${problem.message}`, problem.hint);
  return schema as JsonSchema;
}

function readLimit(
  given: Record<string, unknown>,
  name: string,
  key: "timeoutMs" | "idleMs",
): { [Key in typeof key]?: number } {
  const value = given[name] ?? given[key];
  if (value === undefined || value === null) return {};
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return { [key]: value };
  throw new SpecError(`TOOL_SPEC.${name} must be a number of milliseconds above 0; got ${show(value)}.`, null);
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80);
}

type Given = Readonly<Record<string, unknown>>;

/** Beside the name or inside `traits`, in snake_case or camelCase. */
function readTraits(spec: Given): Partial<ToolTraits> {
  const given = { ...spec, ...(isObject(spec["traits"]) ? spec["traits"] : {}) };
  const pick = (snake: string, camel = snake): unknown => given[snake] ?? given[camel];
  return {
    ...flag("readOnly", "read_only", pick("read_only", "readOnly")),
    ...word("risk", pick("risk"), ["low", "medium", "high"] as const),
    ...flag("idempotent", "idempotent", pick("idempotent")),
    ...text("category", pick("category")),
    ...words("offeredIn", pick("offered_in", "offeredIn"), ["agent", "chat", "mcp", "schedule"] as const),
    ...word("replay", pick("replay"), ["safe", "check", "never"] as const),
  };
}

function readResources(given: unknown): readonly Resource[] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given))
    throw refused("resources", 'a list such as [{ kind: "path", path: "{file_path}", access: "read" }]', given);
  return given.map((each, index) => {
    const { kind, access, path, name } = isObject(each) ? each : {};
    const isKnown =
      (access === "read" || access === "write") &&
      (kind === "everything" ||
        (kind === "path" && typeof path === "string") ||
        (kind === "name" && typeof name === "string"));
    if (!isKnown)
      throw refused(`resources[${index}]`, '{ kind: "path" | "name" | "everything", access: "read" | "write" }', each);
    return each as Resource;
  });
}

function readCases(given: unknown): readonly ToolCase[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given))
    throw refused("cases", 'a list such as [{ name: "empty", input: {}, expect: "text" }]', given);
  return given.map((each, index) => {
    if (!isObject(each) || !("input" in each)) throw refused(`cases[${index}]`, "an object with an input", each);
    const { name = `case ${index + 1}`, input, expect, expect_error: expectError = each["expectError"] } = each;
    for (const [key, value] of Object.entries({ name, expect, expect_error: expectError })) {
      if (value !== undefined && typeof value !== "string") throw refused(`cases[${index}].${key}`, "a text", value);
    }
    return {
      name: name as string,
      input,
      ...(expect === undefined ? {} : { expect: expect as string }),
      ...(expectError === undefined ? {} : { expectError: expectError as string }),
    };
  });
}

function flag<Key extends string>(key: Key, shown: string, value: unknown): { [Each in Key]?: boolean } {
  if (value === undefined || value === null) return {};
  if (typeof value !== "boolean") throw refused(shown, "true or false", value);
  return { [key]: value } as { [Each in Key]: boolean };
}

function word<Key extends string, Word extends string>(
  key: Key,
  value: unknown,
  allowed: readonly Word[],
): { [Each in Key]?: Word } {
  if (value === undefined || value === null) return {};
  if (!allowed.includes(value as Word)) throw refused(key, allowed.join(", "), value);
  return { [key]: value } as { [Each in Key]: Word };
}

function words<Key extends string, Word extends string>(
  key: Key,
  value: unknown,
  allowed: readonly Word[],
): { [Each in Key]?: Word[] } {
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value) || value.some((each) => !allowed.includes(each as Word))) {
    throw refused("offered_in", `a list of ${allowed.join(", ")}`, value);
  }
  return { [key]: value } as { [Each in Key]: Word[] };
}

function text<Key extends string>(key: Key, value: unknown): { [Each in Key]?: string } {
  if (value === undefined || value === null) return {};
  if (typeof value !== "string" || value === "") throw refused(key, "a text", value);
  return { [key]: value } as { [Each in Key]: string };
}

function refused(name: string, expected: string, value: unknown): SpecError {
  return new SpecError(`TOOL_SPEC.${name} must be ${expected}; got ${JSON.stringify(value).slice(0, 80)}.`, null);
}

function isObject(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Something in a spec that can't be taken. Never leaves the reading of it. */
class SpecError extends Error {
  override readonly name = "SpecError";
  readonly hint: string | null;
  constructor(message: string, hint: string | null) {
    super(message);
    this.hint = hint;
  }
}

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
function findSchemaProblem(schema: unknown, path = "", root: unknown = schema): SchemaProblem | null {
  if (typeof schema === "boolean") return null;
  if (!isSchemaObject(schema)) return problem(path, `must be a schema; got ${showValue(schema)}.`);
  if (path.split(".").length > deepest) return problem(path, `is nested more than ${deepest} levels deep.`);
  return ownProblem(schema, path, root) ?? childProblem(schema, path, root);
}

function ownProblem(schema: Record<string, unknown>, path: string, root: unknown): SchemaProblem | null {
  const { type, $ref: reference, required, enum: choices, pattern } = schema;
  const given = type === undefined ? [] : Array.isArray(type) ? (type as unknown[]) : [type];
  const unknown = given.find((each) => !types.includes(each as string));
  if (unknown !== undefined)
    return problem(`${path}.type`, `must be one of ${types.join(", ")}; got ${showValue(unknown)}.`);
  if (reference !== undefined) {
    if (typeof reference !== "string" || !reference.startsWith("#")) {
      const hint = "Put the schema into $defs and refer to it as #/$defs/name: nothing is loaded from elsewhere.";
      return { path: `${path}.$ref`, message: `must refer to this schema itself; got ${showValue(reference)}.`, hint };
    }
    if (!leadsSomewhere(root, reference)) return problem(`${path}.$ref`, `there is nothing at ${reference}.`);
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((each) => typeof each === "string"))) {
    return problem(`${path}.required`, `must be a list of names; got ${showValue(required)}.`);
  }
  if (choices !== undefined && !(Array.isArray(choices) && choices.length > 0)) {
    return problem(`${path}.enum`, `must be a list of values; got ${showValue(choices)}.`);
  }
  if (pattern !== undefined && !isPattern(pattern))
    return problem(`${path}.pattern`, `is no regular expression: ${showValue(pattern)}.`);
  return null;
}

function childProblem(schema: Record<string, unknown>, path: string, root: unknown): SchemaProblem | null {
  for (const [key, value] of Object.entries(schema)) {
    let children: readonly (readonly [string, unknown])[] = [];
    if (lists.includes(key)) {
      if (!Array.isArray(value) || value.length === 0) return problem(`${path}.${key}`, "must be a list of schemas.");
      children = value.map((each, index) => [`${path}.${key}[${index}]`, each] as const);
    } else if (named.includes(key)) {
      if (!isSchemaObject(value)) return problem(`${path}.${key}`, "must be an object of schemas.");
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
  return typeof at === "boolean" || isSchemaObject(at);
}

function problem(path: string, message: string): SchemaProblem {
  return { path, message, hint: null };
}

function showValue(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}

function isSchemaObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
