import type { JsonSchema } from "../../core/json.ts";
import { asFields } from "./mcp-json-rpc.ts";

/** As much as a whole list of honest tools has. */
const mostCharacters = 1024 * 1024;
const deepest = 64;

export type CleanSchema =
  | { readonly ok: true; readonly schema: JsonSchema }
  | { readonly ok: false; readonly reason: string };

/**
 * A stranger's schema as models may see it and inputs may be checked by it: an object, not too large, and without patterns, which
 * nobody here may run.
 */
export function cleanSchema(value: unknown): CleanSchema {
  const given = value === undefined ? {} : asFields(value);
  if (given === undefined) return { ok: false, reason: "its input schema is not an object" };
  if (JSON.stringify(given).length > mostCharacters)
    return { ok: false, reason: "its input schema has more than 1 MB" };
  if (given["type"] !== undefined && given["type"] !== "object") {
    return { ok: false, reason: "its input schema describes something else than an object" };
  }
  const { $schema: _draft, ...rest } = given;
  const cleaned = withoutPatterns(rest, 0);
  if (cleaned === undefined) return { ok: false, reason: `its input schema is nested more than ${deepest} deep` };
  return { ok: true, schema: { type: "object", properties: {}, ...(cleaned as JsonSchema) } };
}

/** Undefined: too deep. */
function withoutPatterns(value: unknown, depth: number, isNames = false): unknown {
  if (depth > deepest) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutPatterns(item, depth + 1));
    return items.includes(undefined) ? undefined : items;
  }
  const kept: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    // A property may be called "pattern": then it is a name, and no word of the schema.
    if (!isNames && (key === "pattern" || key === "patternProperties")) continue;
    const cleaned =
      isLiteral.has(key) && !isNames ? inner : withoutPatterns(inner, depth + 1, !isNames && hasNames.has(key));
    if (cleaned === undefined) return undefined;
    kept.push([key, cleaned]);
  }
  return Object.fromEntries(kept);
}

/** Their keys are names that the server chose. */
const hasNames = new Set(["properties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
/** Values of inputs, not schemas. */
const isLiteral = new Set(["const", "enum", "default", "examples"]);
