import type { InputProblem, Tool, ToolResult } from "../core/tool.ts";
import { nearest } from "../core/nearest.ts";
import type { Catalog } from "./catalog.ts";

type Failure = Extract<ToolResult, { ok: false }>;

export function unknownTool(name: string, catalog: Catalog): Failure {
  const canonical = catalog.canonicalName(name);
  const suggestions = catalog.suggest(name);
  const hint =
    canonical !== undefined && canonical !== name
      ? `"${name}" means ${canonical}, which is not offered here.`
      : suggestions.length > 0
        ? `Did you mean ${orList(suggestions)}?`
        : `The tools are: ${
            catalog
              .list()
              .map((tool) => tool.name)
              .join(", ") || "none"
          }.`;
  return { ok: false, error: `Unknown tool: ${name}`, hint, errorType: "unknown_tool" };
}

export function unreadableInput(tool: Tool, problem: string): Failure {
  return {
    ok: false,
    error: `The input of ${tool.name} is not JSON: ${problem}`,
    hint: describeInput(tool),
    errorType: "invalid_input",
  };
}

/** "Missing parameters: …" and "Wrong parameters: …", with what to send instead. */
export function invalidInput(tool: Tool, input: unknown, problems: readonly InputProblem[]): Failure {
  const missing = problems.filter(({ kind }) => kind === "missing").map(({ path }) => path);
  const wrong = problems.filter(({ kind }) => kind === "wrong").map(({ message }) => message);
  const parts: string[] = [];
  if (missing.length > 0) parts.push(`Missing parameters: ${missing.join(", ")}`);
  if (wrong.length > 0) parts.push(`Wrong parameters: ${wrong.slice(0, 8).join("; ")}`);
  return {
    ok: false,
    error: parts.join(". "),
    hint: [strayKeys(tool, input), describeInput(tool)].filter(Boolean).join(" "),
    errorType: "invalid_input",
  };
}

/** The tool's parameters in one line, made from its schema, so that it is true for every tool. */
function describeInput(tool: Tool): string {
  const required = requiredOf(tool);
  const parameters = Object.entries(propertiesOf(tool)).map(([name, schema]) => {
    const notes = [typeName(schema), ...(required.has(name) ? [] : ["optional"])].join(", ");
    const description = typeof schema["description"] === "string" ? `: ${schema["description"]}` : "";
    return `${name} (${notes})${description}`;
  });
  if (parameters.length === 0) return `For "${tool.name}" send an empty object: {}.`;
  return `For "${tool.name}" send ${parameters.join("; ")}`;
}

function strayKeys(tool: Tool, input: unknown): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return "";
  const known = Object.keys(propertiesOf(tool));
  const stray = Object.keys(input).filter((key) => !known.includes(key));
  if (stray.length === 0 || known.length === 0) return "";
  const named = stray.slice(0, 5).map((key) => {
    const [meant] = nearest(key, known, 1);
    return meant === undefined ? `"${key}"` : `"${key}" (did you mean ${meant}?)`;
  });
  return `Not known here: ${named.join(", ")}.`;
}

type Property = Readonly<Record<string, unknown>>;

function propertiesOf(tool: Tool): Record<string, Property> {
  const properties = tool.inputSchema["properties"];
  return typeof properties === "object" && properties !== null ? (properties as Record<string, Property>) : {};
}

function requiredOf(tool: Tool): Set<unknown> {
  const required = tool.inputSchema["required"];
  return new Set(Array.isArray(required) ? required : []);
}

function typeName(schema: Property): string {
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  return typeof schema["type"] === "string" ? schema["type"] : "any";
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
