import type { Resource } from "../../core/resource.ts";
import type { ToolTraits } from "../../core/tool.ts";
import { SpecError } from "./spec-error.ts";
import type { ToolCase } from "./tool-host.ts";

type Given = Readonly<Record<string, unknown>>;

/** Beside the name or inside `traits`, in snake_case or camelCase. */
export function readTraits(spec: Given): Partial<ToolTraits> {
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

export function readResources(given: unknown): readonly Resource[] | undefined {
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

export function readCases(given: unknown): readonly ToolCase[] {
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
