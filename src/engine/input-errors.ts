import type { ToolCall } from "../core/call.ts";
import { clipText, nearest } from "../core/text.ts";
import type { InputProblem, Tool, ToolResult } from "../core/tool.ts";
import type { Catalog } from "./catalog.ts";

type Failure = Extract<ToolResult, { ok: false }>;

/** The hint names only tools that would run. `reason`: why a tool of this name can't be called here, where that is known. */
export function unknownTool({ tool: name, offered }: ToolCall, catalog: Catalog, reason?: string): Failure {
  if (reason !== undefined) {
    return { ok: false, error: `Unknown tool: ${clipText(name, 200)}`, hint: reason, errorType: "unknown_tool" };
  }
  const isOffered = (tool: string): boolean => offered?.has(tool) !== false;
  const canonical = catalog.canonicalName(name);
  const suggestions = catalog.suggest(name).filter(isOffered);
  const known =
    canonical === undefined
      ? ""
      : canonical === name
        ? `"${name}" is not offered here.`
        : `"${clipText(name, 100)}" means ${canonical}, which is not offered here.`;
  const names = catalog
    .list()
    .map((tool) => tool.name)
    .filter(isOffered);
  const instead =
    suggestions.length > 0 ? `Did you mean ${orList(suggestions)}?` : `The tools are: ${listNames(names) || "none"}.`;
  return {
    ok: false,
    error: `Unknown tool: ${clipText(name, 200)}`,
    hint: [known, instead].filter(Boolean).join(" "),
    errorType: "unknown_tool",
  };
}

/** A model that sees hundreds of names is not helped. */
const mostNames = 40;

function listNames(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `${names.slice(0, mostNames).join(", ")}${more}`;
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
    const said = asObject(schema)["description"];
    const description = typeof said === "string" ? `: ${said}` : "";
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
  return `Not known here: ${nameStray(stray, known)}.`;
}

/** For an input that is fine but for keys that mean nothing: dropping them without a word would mislead. */
export function ignoredInput(tool: Tool, ignored: readonly string[]): string {
  return `Ignored, because ${tool.name} has no such parameter: ${nameStray(ignored, Object.keys(propertiesOf(tool)))}.`;
}

function nameStray(stray: readonly string[], known: readonly string[]): string {
  const named = stray.slice(0, 5).map((key) => {
    const [meant] = nearest(key, known, 1);
    return meant === undefined ? `"${key}"` : `"${key}" (did you mean ${meant}?)`;
  });
  return named.join(", ");
}

type Property = Readonly<Record<string, unknown>>;

function propertiesOf(tool: Tool): Record<string, Property> {
  return asObject(schemaOf(tool)["properties"]) as Record<string, Property>;
}

function requiredOf(tool: Tool): Set<unknown> {
  const required = schemaOf(tool)["required"];
  return new Set(Array.isArray(required) ? required : []);
}

/** A schema that can't be read costs the hint, not the answer. */
function schemaOf(tool: Tool): Property {
  try {
    return asObject(tool.inputSchema);
  } catch {
    return {};
  }
}

function typeName(given: unknown): string {
  const schema = asObject(given);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return [...new Set(choices.map(typeName))].join(" | ");
  if (Array.isArray(schema["type"])) return schema["type"].join(" | ");
  return typeof schema["type"] === "string" ? schema["type"] : "any";
}

function asObject(value: unknown): Property {
  return typeof value === "object" && value !== null ? (value as Property) : {};
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
