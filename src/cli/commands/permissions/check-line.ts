import { toWire } from "../../../core/wire.ts";
import type { Checker } from "../../../permissions/checker.ts";
import { clipText } from "../../../core/cut-text.ts";
import type { Line } from "../../terminal/json-lines.ts";

export type CheckKind = "command" | "path" | "url" | "text";

export const checkKinds: readonly CheckKind[] = ["command", "path", "url", "text"];

type Fields = Readonly<Record<string, unknown>>;

/** The answer to one line of `check --stdin`. Never rejects: what is wrong with the line is the answer, and the next one follows. */
export async function answerLine(line: Line, kind: CheckKind | undefined, checker: Checker): Promise<unknown> {
  if ("problem" in line) return { error: line.problem };
  const fields = parseObject(line.text);
  if (typeof fields === "string") return { error: fields };
  const echo = Object.hasOwn(fields, "id") ? { id: fields["id"] } : {};
  return { ...echo, ...((await answer(fields, kind, checker)) as object) };
}

async function answer(fields: Fields, preferred: CheckKind | undefined, checker: Checker): Promise<unknown> {
  const kinds = preferred === undefined ? checkKinds : [preferred, ...checkKinds];
  const kind = kinds.find((key) => Object.hasOwn(fields, key));
  if (kind === undefined) return { error: `The line has none of the keys ${checkKinds.join(", ")}.` };
  const wrong = findWrongField(fields, kind);
  if (wrong !== undefined) return { error: wrong };
  return toWire(await ask(fields, kind, checker));
}

function ask(fields: Fields, kind: CheckKind, checker: Checker): Promise<unknown> {
  const text = (key: string): string | undefined => fields[key] as string | undefined;
  switch (kind) {
    case "command":
      return checker.command(text("command")!, { cwd: text("cwd") });
    case "path": {
      const question = { operation: text("op") ?? "read", to: text("to"), workdir: text("workdir") };
      return checker.path(text("path")!, question);
    }
    case "url": {
      const rest = (fields["redirects"] ?? []) as readonly (string | Fields)[];
      const steps = rest.map((step) => (typeof step === "string" ? { url: step } : step));
      return checker.url([toStep(fields, fields), ...steps.map((step) => toStep(step, fields))]);
    }
    case "text":
      return checker.text(text("text")!);
  }
}

/** `addresses` is a list for one URL, or an object that says for each name what it leads to. */
function toStep(step: Fields, line: Fields): { url: string; addresses?: readonly string[] } {
  const url = step["url"] as string;
  const own = step["addresses"];
  if (Array.isArray(own)) return { url, addresses: own as string[] };
  const names = line["addresses"];
  const host = URL.parse(url)?.hostname;
  if (!isObject(names) || host === undefined || !Object.hasOwn(names, host)) return { url };
  return { url, addresses: names[host] as string[] };
}

function findWrongField(fields: Fields, kind: CheckKind): string | undefined {
  const optional = { command: ["cwd"], path: ["op", "to", "workdir"], url: [], text: [] }[kind];
  const wrong = [kind, ...optional].find((key) => {
    const value = fields[key];
    return typeof value !== "string" && (key === kind || value !== undefined);
  });
  if (wrong !== undefined) return `The value of "${wrong}" must be a string.`;
  if (kind !== "url") return undefined;
  if (!isAddresses(fields["addresses"]))
    return `"addresses" must be a list of strings, or an object of such lists by name.`;
  const { redirects = [] } = fields;
  const isRedirects = Array.isArray(redirects) && redirects.every(isStep);
  return isRedirects ? undefined : `"redirects" must be a list of URLs, or of objects with "url" and "addresses".`;
}

function isStep(step: unknown): boolean {
  return (
    typeof step === "string" || (isObject(step) && typeof step["url"] === "string" && isAddresses(step["addresses"]))
  );
}

function isAddresses(value: unknown): boolean {
  if (value === undefined || isStrings(value)) return true;
  return isObject(value) && Object.values(value).every(isStrings);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** The object, or one sentence about what it is instead. */
function parseObject(text: string): Fields | string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below: what the parser says is about positions, not about what to do.
  }
  return `The line is not a JSON object such as {"command":"ls"}: ${JSON.stringify(clipText(text.trim(), 60))}.`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
