import type { InputProblem } from "../../../core/tool.ts";
import { validateInput } from "./validate-input.ts";

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
