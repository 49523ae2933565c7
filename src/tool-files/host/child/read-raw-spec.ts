import type { InputProblem } from "../../../core/tool.ts";

export interface RawSpec {
  /** Plain JSON, not yet looked at. */
  readonly plain: unknown;
  take(input: unknown): TakenInput;
}

export interface TakenInput {
  readonly problems: readonly InputProblem[];
  /** What `run` gets: with the defaults of a zod schema filled in. */
  readonly value: unknown;
}

/** Takes what can be told in JSON out of a spec or a definition; a zod object becomes a schema. */
export async function readRawSpec(spec: unknown): Promise<RawSpec> {
  if (typeof spec !== "object" || spec === null) return { plain: spec ?? null, take: takeBy(true) };
  const { input, inputSchema, input_schema: given = inputSchema ?? input, ...rest } = spec as Record<string, unknown>;
  if (isZod(given)) return readZod(given, rest);
  const schema = toPlain(given) ?? null;
  return { plain: { ...toPlain(rest), input_schema: schema }, take: takeBy(schema ?? true) };
}

interface ZodLike {
  safeParse(
    input: unknown,
  ):
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

async function readZod(schema: ZodLike, rest: object): Promise<RawSpec> {
  const { z } = await import("zod");
  const { $schema: _draft, ...converted } = z.toJSONSchema(schema as never, { io: "input", unrepresentable: "any" });
  const byShape = takeBy(converted);
  return {
    plain: { ...toPlain(rest), input_schema: toPlain(converted) },
    take(input) {
      const { problems } = byShape(input);
      if (problems.length > 0) return { problems, value: input };
      const parsed = schema.safeParse(input);
      return parsed.success
        ? { problems: [], value: parsed.data }
        : { problems: parsed.error.issues.map(toProblem), value: input };
    },
  };
}

function toProblem({ path, message }: Issue): InputProblem {
  const at = path.map((step, index) =>
    typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`,
  );
  return { path: at.join(""), kind: "wrong", message: `${at.join("") || "the input"}: ${message}` };
}

function takeBy(schema: unknown): RawSpec["take"] {
  return (input) => ({ problems: validateInput(schema, input), value: input });
}

function isZod(value: unknown): value is ZodLike {
  return typeof value === "object" && value !== null && "_zod" in value;
}

function toPlain<Value>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);
}

type Schema = boolean | { readonly [keyword: string]: unknown };

interface Place {
  readonly root: Schema;
  readonly path: string;
  /** How many references led here without taking a step into the value. */
  readonly depth: number;
}

/** What models need of JSON Schema; keywords that are not known here forbid nothing. Empty: it fits. */
export function validateInput(schema: unknown, value: unknown): InputProblem[] {
  return validate(schema as Schema, value, { root: schema as Schema, path: "", depth: 0 });
}

const deepest = 64;

function validate(schema: Schema, value: unknown, place: Place): InputProblem[] {
  if (typeof schema === "boolean") return schema ? [] : [wrong(place, "expected nothing here", value)];
  if (place.depth > deepest) return [wrong(place, "expected something that ends", value)];
  const typed = checkType(schema, value, place);
  if (typed) return [typed];
  return [
    ...checkReference(schema, value, place),
    ...checkChoices(schema, value, place),
    ...checkCombinations(schema, value, place),
    ...(typeof value === "string" ? checkText(schema, value).map((expected) => wrong(place, expected, value)) : []),
    ...(typeof value === "number" ? checkNumber(schema, value).map((expected) => wrong(place, expected, value)) : []),
    ...(Array.isArray(value) ? checkItems(schema, value, place) : []),
    ...(isObject(value) ? checkProperties(schema, value, place) : []),
  ];
}

function checkType(schema: Exclude<Schema, boolean>, value: unknown, place: Place): InputProblem | null {
  const { type } = schema;
  if (type === undefined) return null;
  const types = Array.isArray(type) ? type : [type];
  return types.some((each) => isOfType(each, value)) ? null : wrong(place, `expected ${types.join(" or ")}`, value);
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function checkReference(schema: Exclude<Schema, boolean>, value: unknown, place: Place): InputProblem[] {
  const { $ref: reference } = schema;
  if (typeof reference !== "string") return [];
  const target = followReference(place.root, reference);
  if (target === undefined) return [wrong(place, `expected what ${reference} names, which is not there`, value)];
  return validate(target, value, { ...place, depth: place.depth + 1 });
}

function followReference(root: Schema, reference: string): Schema | undefined {
  const steps = reference.split("/").slice(1);
  let at: unknown = reference.startsWith("#") ? root : undefined;
  for (const step of steps) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) || Array.isArray(at) ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at as Schema | undefined;
}

function checkChoices(schema: Exclude<Schema, boolean>, value: unknown, place: Place): InputProblem[] {
  const { enum: choices } = schema;
  if (Array.isArray(choices) && !choices.some((each) => isEqual(each, value))) {
    return [wrong(place, `expected one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`, value)];
  }
  if ("const" in schema && !isEqual(schema["const"], value)) {
    return [wrong(place, `expected ${JSON.stringify(schema["const"])}`, value)];
  }
  return [];
}

function checkCombinations(schema: Exclude<Schema, boolean>, value: unknown, place: Place): InputProblem[] {
  const problemsOf = (each: unknown): InputProblem[] =>
    validate(each as Schema, value, { ...place, depth: place.depth + 1 });
  const problems: InputProblem[] = [];
  const { allOf, anyOf, oneOf, not } = schema;
  if (Array.isArray(allOf)) problems.push(...allOf.flatMap(problemsOf));
  if (Array.isArray(anyOf)) problems.push(...nearestOf(anyOf.map(problemsOf)));
  if (Array.isArray(oneOf)) {
    const results = oneOf.map(problemsOf);
    const fitting = results.filter((each) => each.length === 0).length;
    if (fitting > 1)
      problems.push(wrong(place, `expected exactly one of ${oneOf.length} forms, ${fitting} fit`, value));
    problems.push(...nearestOf(results));
  }
  if (not !== undefined && problemsOf(not).length === 0) problems.push(wrong(place, "expected something else", value));
  return problems;
}

/** None when one form fits; otherwise the complaints of the one that came closest. */
function nearestOf(results: readonly InputProblem[][]): InputProblem[] {
  return results.toSorted((a, b) => a.length - b.length || depthOf(b) - depthOf(a))[0] ?? [];
}

/** One that failed further inside is what was meant. */
function depthOf(problems: readonly InputProblem[]): number {
  return Math.max(0, ...problems.map(({ path }) => path.length));
}

function checkItems(schema: Exclude<Schema, boolean>, value: readonly unknown[], place: Place): InputProblem[] {
  const { items, prefixItems, minItems, maxItems, uniqueItems } = schema;
  const problems: InputProblem[] = [];
  if (typeof minItems === "number" && value.length < minItems)
    problems.push(wrong(place, `expected at least ${minItems} items`, value));
  if (typeof maxItems === "number" && value.length > maxItems)
    problems.push(wrong(place, `expected at most ${maxItems} items`, value));
  if (uniqueItems === true && new Set(value.map((each) => JSON.stringify(each))).size < value.length) {
    problems.push(wrong(place, "expected items that differ", value));
  }
  const first = Array.isArray(prefixItems) ? (prefixItems as Schema[]) : [];
  for (const [index, item] of value.entries()) {
    const itemSchema = first[index] ?? (items as Schema | undefined);
    if (itemSchema === undefined) break;
    problems.push(...validate(itemSchema, item, { ...place, path: `${place.path}[${index}]`, depth: 0 }));
  }
  return problems;
}

function checkProperties(
  schema: Exclude<Schema, boolean>,
  value: Readonly<Record<string, unknown>>,
  place: Place,
): InputProblem[] {
  const { properties = {}, required, additionalProperties, minProperties, maxProperties } = schema;
  const known = properties as Record<string, Schema>;
  const at = (key: string): Place => ({ ...place, path: place.path === "" ? key : `${place.path}.${key}`, depth: 0 });
  const problems: InputProblem[] = [];
  for (const key of Array.isArray(required) ? (required as string[]) : []) {
    if (!Object.hasOwn(value, key)) {
      problems.push({ path: at(key).path, kind: "missing", message: `${at(key).path} is missing` });
    }
  }
  for (const [key, each] of Object.entries(value)) {
    if (Object.hasOwn(known, key)) problems.push(...validate(known[key]!, each, at(key)));
    else if (additionalProperties === false) {
      const names = Object.keys(known).join(", ") || "none";
      problems.push({
        path: at(key).path,
        kind: "wrong",
        message: `${at(key).path} is not known; there are: ${names}`,
      });
    } else if (additionalProperties !== undefined)
      problems.push(...validate(additionalProperties as Schema, each, at(key)));
  }
  const count = Object.keys(value).length;
  if (typeof minProperties === "number" && count < minProperties)
    problems.push(wrong(place, `expected at least ${minProperties} keys`, value));
  if (typeof maxProperties === "number" && count > maxProperties)
    problems.push(wrong(place, `expected at most ${maxProperties} keys`, value));
  return problems;
}

function wrong({ path }: Place, expected: string, value: unknown): InputProblem {
  return { path, kind: "wrong", message: `${path || "the input"}: ${expected}, got ${describe(value)}` };
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string")
    return `the string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return typeof value === "object" ? "an object" : `the ${typeof value} ${JSON.stringify(value)}`;
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === "object" && a !== null && sorted(a) === sorted(b));
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Keywords = { readonly [keyword: string]: unknown };

/** What was expected of a text and is not so. */
function checkText(schema: Keywords, value: string): string[] {
  const { minLength, maxLength, pattern } = schema;
  const problems: string[] = [];
  const length = minLength === undefined && maxLength === undefined ? 0 : Array.from(value).length;
  if (typeof minLength === "number" && length < minLength) problems.push(`expected at least ${minLength} characters`);
  if (typeof maxLength === "number" && length > maxLength) problems.push(`expected at most ${maxLength} characters`);
  // May take for ever: that is why this runs in the tool's own process.
  if (typeof pattern === "string" && !compile(pattern).test(value))
    problems.push(`expected a text that fits ${pattern}`);
  return problems;
}

/** What was expected of a number and is not so. */
function checkNumber(schema: Keywords, value: number): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const problems: string[] = [];
  if (typeof minimum === "number" && value < minimum) problems.push(`expected ${minimum} or more`);
  if (typeof maximum === "number" && value > maximum) problems.push(`expected ${maximum} or less`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    problems.push(`expected more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    problems.push(`expected less than ${exclusiveMaximum}`);
  if (typeof multipleOf === "number" && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    problems.push(`expected a multiple of ${multipleOf}`);
  }
  return problems;
}

/** 0.3 is a multiple of 0.1, whatever floating point says. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}
