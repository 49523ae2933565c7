import { clipText } from "../../core/text.ts";
import type { JsonSchema } from "../../core/json.ts";
import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import { quoteText } from "../../guard/terminal-text/quote-text.ts";
import { asFields, asText, type Fields, McpProblem } from "./mcp-json-rpc.ts";
import type { Connection } from "./server-connection.ts";

/** What a server says of one of its tools, cleaned. */
export interface ListedTool {
  /** The server's own name for it. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Missing: it does not say. */
  readonly hints: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly idempotent?: boolean };
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Tools that can't be used, each as a sentence. */
  readonly leftOut: readonly string[];
}

/** More pages or tools than that are a server that never ends its list. */
const mostPages = 100;
const mostTools = 1000;
const longestDescription = 4000;

/** All pages of `tools/list`. Rejects with an McpProblem. */
export async function listTools(connection: Connection, timeoutMs: number): Promise<ToolList> {
  const found: Fields[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const params: Fields = cursor === undefined ? {} : { cursor };
    const result = await connection.ask("tools/list", params, { timeoutMs }).answer;
    const { tools } = result;
    if (!Array.isArray(tools)) throw new McpProblem("protocol", 'answered "tools/list" without a list of tools.');
    for (const tool of tools) found.push(asFields(tool) ?? {});
    const next = asText(result["nextCursor"]);
    if (next === undefined || next === cursor || found.length >= mostTools) break;
    cursor = next;
  }
  return readToolList(found.slice(0, mostTools));
}

/** Of two tools by one name the first counts. */
function readToolList(found: readonly Fields[]): ToolList {
  const tools = new Map<string, ListedTool>();
  const leftOut: string[] = [];
  for (const fields of found) {
    const name = asText(fields["name"]) ?? "";
    const shown = quoteText(name, 64);
    const schema = cleanSchema(fields["inputSchema"]);
    if (name === "") leftOut.push("A tool without a name is left out.");
    else if (tools.has(name)) leftOut.push(`The tool "${shown}" is listed twice; the first one counts.`);
    else if (!schema.ok) leftOut.push(`The tool "${shown}" is left out: ${schema.reason}.`);
    else tools.set(name, { name, description: describe(fields), inputSchema: schema.schema, hints: hintsOf(fields) });
  }
  return { tools: [...tools.values()], leftOut };
}

function describe(fields: Fields): string {
  const title = asText(fields["title"]) ?? asText(asFields(fields["annotations"])?.["title"]) ?? "";
  const text = asText(fields["description"]) ?? "";
  return clipText(cleanText(text.trim() === "" ? title : text).trim(), longestDescription);
}

function hintsOf(fields: Fields): ListedTool["hints"] {
  const { readOnlyHint, destructiveHint, idempotentHint } = asFields(fields["annotations"]) ?? {};
  return {
    ...(typeof readOnlyHint === "boolean" ? { readOnly: readOnlyHint } : {}),
    ...(typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {}),
    ...(typeof idempotentHint === "boolean" ? { idempotent: idempotentHint } : {}),
  };
}

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
function cleanSchema(value: unknown): CleanSchema {
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
