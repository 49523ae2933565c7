/** What a form needs of a JSON schema; whatever it does not understand is written as JSON. */
export type Schema = Readonly<Record<string, unknown>>;

export type FieldKind = "text" | "number" | "boolean" | "choice" | "list" | "object" | "json";

/** What stands in the fields: texts as they were typed. `undefined`: not given. */
export type Draft = string | boolean | undefined | readonly Draft[] | { readonly [name: string]: Draft };

export interface Property {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export interface Problem {
  /** The names on the way to the field, such as `files.0.path`. */
  readonly path: string;
  readonly message: string;
  /** Nothing was typed there yet. */
  readonly isMissing?: true;
}

/** `partial`: what could be read beside the problems. */
export type ReadDraft =
  | { readonly value: unknown; readonly problems: readonly [] }
  | { readonly partial: unknown; readonly problems: readonly Problem[] };

export function kindOf(schema: Schema): FieldKind {
  const { type, items } = withoutNull(schema);
  if (choicesOf(schema) !== undefined) return "choice";
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "boolean";
  if (type === "array" && isSchema(items)) return "list";
  if (type === "object" && propertiesOf(schema).length > 0) return "object";
  return "json";
}

export function propertiesOf(schema: Schema): readonly Property[] {
  const { properties, required } = withoutNull(schema);
  if (!isSchema(properties)) return [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.entries(properties).flatMap(([name, each]) =>
    isSchema(each) ? [{ name, schema: each, isRequired: needed.has(name) }] : [],
  );
}

export function itemsOf(schema: Schema): Schema {
  const { items } = withoutNull(schema);
  return isSchema(items) ? items : {};
}

/** The values to choose from; undefined where anything goes. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  const { enum: choices, const: only, anyOf, oneOf } = withoutNull(schema);
  if (Array.isArray(choices) && choices.length > 0) return choices;
  if (only !== undefined) return [only];
  const variants: readonly unknown[] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const constants = variants.flatMap((each) => (isSchema(each) && each["const"] !== undefined ? [each["const"]] : []));
  return constants.length > 0 && constants.length === variants.length ? constants : undefined;
}

/** `1 to 100`, `more than 0`; empty where any number goes. The ends of whole numbers, which some write, say nothing. */
export function rangeOf(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = withoutNull(schema);
  const least = isEnd(minimum) ? `${minimum}` : "";
  const most = isEnd(maximum) ? `${maximum}` : "";
  if (least !== "" && most !== "") return `${least} to ${most}`;
  return [
    least === "" ? "" : `at least ${least}`,
    isEnd(above) ? `more than ${above}` : "",
    most === "" ? "" : `at most ${most}`,
    isEnd(below) ? `less than ${below}` : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function isEnd(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

/** Whether an input can only be empty. */
export function takesNothing(schema: Schema): boolean {
  const { additionalProperties: others } = schema;
  const isOpen = others === true || (isSchema(others) && Object.keys(others).length > 0);
  const parts = ["anyOf", "oneOf", "allOf", "$ref", "patternProperties"];
  return propertiesOf(schema).length === 0 && !isOpen && !parts.some((part) => part in schema);
}

/** Whether everything in `part` is in `whole`, which may have more. */
export function holds(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) && whole.length === part.length && part.every((each, index) => holds(whole[index], each))
    );
  }
  if (!isSchema(part)) return Object.is(whole, part);
  return isSchema(whole) && Object.entries(part).every(([name, value]) => name in whole && holds(whole[name], value));
}

/** How a value, such as a default, stands in the fields. */
export function draftOf(schema: Schema, value: unknown): Draft {
  if (value === undefined || value === null) return undefined;
  switch (kindOf(schema)) {
    case "text":
    case "number":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "choice":
      return JSON.stringify(value);
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "list":
      return Array.isArray(value) ? value.map((each) => draftOf(itemsOf(schema), each)) : undefined;
    case "object":
      return isSchema(value)
        ? Object.fromEntries(propertiesOf(schema).map((each) => [each.name, draftOf(each.schema, value[each.name])]))
        : undefined;
    case "json":
      return JSON.stringify(value, null, 2);
  }
}

/** Defaults are filled in, so that a person sees what would be taken. */
export function emptyDraft(schema: Schema): Draft {
  if (schema["default"] !== undefined) return draftOf(schema, schema["default"]);
  if (kindOf(schema) !== "object") return undefined;
  return Object.fromEntries(propertiesOf(schema).map((each) => [each.name, emptyDraft(each.schema)]));
}

/** The input that the fields stand for, or what is wrong with them. What was not given is left out. */
export function readDraft(schema: Schema, draft: Draft): ReadDraft {
  const problems: Problem[] = [];
  const value = read({ name: "", schema, isRequired: true }, draft, { path: "", problems });
  return problems.length > 0 ? { partial: value, problems } : { value, problems: [] };
}

interface Place {
  readonly path: string;
  readonly problems: Problem[];
}

function read(property: Property, draft: Draft, place: Place): unknown {
  const { schema, isRequired } = property;
  const complain = (message: string): undefined => void place.problems.push({ path: place.path, message });
  const kind = kindOf(schema);
  if (kind === "object") return readObject(property, draft, place);
  if (kind === "list") return readList(property, draft, place);
  const isMissing = draft === undefined || (draft === "" && (!isRequired || kind !== "text"));
  if (isMissing) {
    if (!isRequired) return undefined;
    if (isNullable(schema)) return null;
    if (kind === "boolean") return false;
    if (kind === "text") return "";
    place.problems.push({ path: place.path, message: "A value is needed here.", isMissing: true });
    return undefined;
  }
  if (typeof draft !== "string") return draft;
  if (kind === "number") return readNumber(schema, draft, complain);
  return kind === "choice" || kind === "json" ? readJson(draft, complain) : draft;
}

function readObject({ schema, isRequired }: Property, draft: Draft, { path, problems }: Place): unknown {
  const given = typeof draft === "object" && !Array.isArray(draft) ? (draft as Readonly<Record<string, Draft>>) : {};
  if (!isRequired && isEmpty(given)) return undefined;
  const value: Record<string, unknown> = {};
  for (const property of propertiesOf(schema)) {
    const inner = read(property, given[property.name], { path: joinPath(path, property.name), problems });
    if (inner !== undefined) value[property.name] = inner;
  }
  return value;
}

function readList({ schema, isRequired }: Property, draft: Draft, { path, problems }: Place): unknown {
  if (!Array.isArray(draft) || draft.length === 0) return isRequired ? [] : undefined;
  const item = { name: "", schema: itemsOf(schema), isRequired: true };
  return (draft as readonly Draft[]).map((each, index) => read(item, each, { path: joinPath(path, index), problems }));
}

type Complain = (message: string) => undefined;

function readNumber(schema: Schema, text: string, complain: Complain): number | undefined {
  const { type, minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = withoutNull(schema);
  const value = Number(text.trim());
  if (text.trim() === "" || !Number.isFinite(value)) return complain(`Expected a number, got "${text}".`);
  if (type === "integer" && !Number.isInteger(value)) return complain(`Expected a whole number, got ${text.trim()}.`);
  if (typeof minimum === "number" && value < minimum) return complain(`Expected at least ${minimum}, got ${value}.`);
  if (typeof maximum === "number" && value > maximum) return complain(`Expected at most ${maximum}, got ${value}.`);
  if (typeof above === "number" && value <= above) return complain(`Expected more than ${above}, got ${value}.`);
  if (typeof below === "number" && value >= below) return complain(`Expected less than ${below}, got ${value}.`);
  return value;
}

function readJson(text: string, complain: Complain): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    return complain(`Expected JSON: ${(thrown as Error).message}`);
  }
}

/** Nothing was given in it, at any depth. */
function isEmpty(draft: Draft): boolean {
  if (draft === undefined || draft === "") return true;
  if (typeof draft !== "object") return false;
  return (Array.isArray(draft) ? draft : Object.values(draft)).every(isEmpty);
}

/** `null` or exactly one other thing is that thing. */
function withoutNull(schema: Schema): Schema {
  const { anyOf, oneOf, type } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== "null");
    return others.length === 1 ? { ...schema, type: others[0] } : schema;
  }
  const variants = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const others = variants.filter((each) => isSchema(each) && each["type"] !== "null");
  return others.length === 1 && isSchema(others[0]) ? { ...others[0], description: schema["description"] } : schema;
}

function isNullable({ anyOf, oneOf, type }: Schema): boolean {
  if (Array.isArray(type)) return type.includes("null");
  const variants = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return variants.some((each) => isSchema(each) && each["type"] === "null");
}

export function joinPath(path: string, part: string | number): string {
  return path === "" ? String(part) : `${path}.${part}`;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
