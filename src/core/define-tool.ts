import { z } from "zod";
import { RuntimeError } from "./errors.ts";
import type { JsonSchema } from "./json.ts";
import type {
  Checked,
  InputProblem,
  Preview,
  PreviewContext,
  Resource,
  Tool,
  ToolContext,
  ToolResult,
  ToolTraits,
} from "./tool.ts";

export interface ToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  /** Other names that models use for its parameters: `{ path: "file_path" }`. */
  readonly parameterAliases?: Readonly<Record<string, string>>;
  /** Left out: not read-only, high risk, not idempotent, never replayed. */
  readonly traits?: Partial<ToolTraits>;
  readonly version?: string;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly stopMs?: number;
  limits?(input: z.output<Schema>): { readonly timeoutMs?: number; readonly idleMs?: number };
  resources?(input: z.output<Schema>): readonly Resource[];
  preview?(input: z.output<Schema>, context: PreviewContext): Promise<Preview | undefined>;
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
}

/** A tool as a value: its input described once, by a zod object; its schema and its check follow from that. */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool<z.output<Schema>> {
  if (!toolName.test(definition.name)) {
    throw new RuntimeError(
      "INVALID_TOOL",
      `A tool's name has 1 to 64 letters, digits, "_" or "-" and starts with a letter; got "${definition.name}".`,
    );
  }
  if (
    !(definition.input instanceof z.ZodObject) &&
    typeof (definition.input as { shape?: unknown })?.shape !== "object"
  ) {
    throw new RuntimeError(
      "INVALID_TOOL",
      `The input of tool "${definition.name}" must be a zod object: z.object({ … }).`,
    );
  }
  if (typeof definition.run !== "function") {
    throw new RuntimeError("INVALID_TOOL", `The tool "${definition.name}" needs a function run(input, context).`);
  }
  const { input: schema, traits, parameterAliases = {}, ...rest } = definition;
  let jsonSchema: JsonSchema | undefined;
  return {
    version: "builtin",
    ...rest,
    traits: completeTraits(traits ?? {}),
    // Made on first use: most runs of a program never show a schema to anyone.
    get inputSchema() {
      return (jsonSchema ??= toJsonSchema(schema));
    },
    check: (input) => checkWith(schema, renameKeys(input, parameterAliases)),
  };
}

/** A parameter that came under its own name keeps what it has. */
function renameKeys(input: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const given = input as Readonly<Record<string, unknown>>;
  const found = Object.entries(aliases).filter(([alias, name]) => alias in given && !(name in given));
  if (found.length === 0) return input;
  const renamed: Record<string, unknown> = { ...given };
  for (const [alias, name] of found) {
    renamed[name] = given[alias];
    delete renamed[alias];
  }
  return renamed;
}

const toolName = /^[a-z][a-z0-9_-]{0,63}$/i;

/** Every model reads this on every turn, so what says nothing is left out. */
function toJsonSchema(schema: z.ZodObject): JsonSchema {
  const { $schema: _draft, ...plain } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return plain;
}

/** What a tool does not say of itself is taken to be the worst. */
export function completeTraits(given: Partial<ToolTraits>): ToolTraits {
  const readOnly = given.readOnly ?? false;
  return {
    readOnly,
    risk: given.risk ?? (readOnly ? "low" : "high"),
    idempotent: given.idempotent ?? readOnly,
    category: given.category ?? "other",
    offeredIn: given.offeredIn ?? ["agent", "mcp", "schedule"],
    replay: given.replay ?? (readOnly ? "safe" : "never"),
  };
}

function checkWith<Schema extends z.ZodObject>(schema: Schema, input: unknown): Checked<z.output<Schema>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) {
    const ignored = ignoredKeys(schema, input);
    return ignored ? { ok: true, input: parsed.data, ignored } : { ok: true, input: parsed.data };
  }
  const { issues } = parsed.error;
  const said = withoutNulls(schema, input, issues);
  return said ? checkWith(schema, said) : { ok: false, problems: issues.map((issue) => toProblem(issue, input)) };
}

/** Models that have to name every parameter write null for what they leave out. Undefined: no such null is in the way. */
function withoutNulls(schema: z.ZodObject, input: unknown, issues: readonly z.core.$ZodIssue[]): object | undefined {
  const idle = issues
    .filter(({ path }) => path.length === 1 && valueAt(input, path) === null)
    .map(({ path }) => path[0]);
  const optional = idle.filter(
    (key) => (schema.shape[String(key)] as z.ZodType | undefined)?.safeParse(undefined).success,
  );
  if (optional.length === 0) return undefined;
  return Object.fromEntries(Object.entries(input as object).filter(([key]) => !optional.includes(key)));
}

/** What the schema silently dropped; nothing when it takes any key. */
function ignoredKeys(schema: z.ZodObject, input: unknown): string[] | undefined {
  let ignored: string[] | undefined;
  for (const key in input as object) {
    if (!Object.hasOwn(schema.shape, key) && !schema.def.catchall) (ignored ??= []).push(key);
  }
  return ignored;
}

function toProblem(issue: z.core.$ZodIssue, input: unknown): InputProblem {
  const came = valueAt(input, issue.path);
  const path = issue.path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("");
  const missing = came === undefined && issue.path.length > 0;
  if (missing) return { path, kind: "missing", message: `${path} is missing` };
  const expected = "expected" in issue ? `expected ${String(issue.expected)}` : issue.message;
  return { path, kind: "wrong", message: `${path || "the input"}: ${expected}, got ${describe(came)}` };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[step];
  return value;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string")
    return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  if (typeof value === "number" || typeof value === "boolean") return `the ${typeof value} ${value}`;
  return typeof value === "object" ? "an object" : `a value of type ${typeof value}`;
}
