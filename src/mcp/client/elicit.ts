import type { Answer, Question } from "../../core/approval.ts";
import { clipText } from "../../core/text.ts";
import { cleanText } from "../../guard/terminal-text/clean-text.ts";
import { asFields, asText, type Fields } from "./mcp-json-rpc.ts";

/** More than that is no question but a form, and nobody fills it in by answering one by one. */
const mostFields = 20;

export interface Asker {
  readonly server: string;
  readonly ask: (question: Question) => Promise<Answer>;
}

/** A server's question for the person, field by field. Nothing is made up: what is not answered is a cancel. */
export async function elicit(params: Fields, asker: Asker): Promise<Fields> {
  const schema = asFields(params["requestedSchema"]) ?? {};
  const fields = Object.entries(asFields(schema["properties"]) ?? {});
  // A page to visit can hold anything, and was not offered.
  if (params["mode"] === "url" || fields.length > mostFields) return { action: "decline" };
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const head = `The MCP server "${asker.server}" asks: ${shown(params["message"], 2000)}`;
  if (fields.length === 0) return confirm(head, asker);
  const content: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const field = asFields(value) ?? {};
    const taken = await askField({ head, name, field }, asker);
    if (taken.ok) content[name] = taken.value;
    else if (taken.reason !== "empty" || required.includes(name)) return { action: "cancel" };
  }
  return { action: "accept", content };
}

async function confirm(text: string, { ask }: Asker): Promise<Fields> {
  const answer = await ask({ text, options: ["Yes", "No"] });
  if (!answer.answered) return { action: "cancel" };
  return (answer.selected?.[0] ?? answer.text) === "Yes" ? { action: "accept", content: {} } : { action: "decline" };
}

type Taken =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: "cancelled" | "empty" | "nobody" };

interface AskedField {
  readonly head: string;
  readonly name: string;
  readonly field: Fields;
}

async function askField({ head, name, field }: AskedField, { ask }: Asker): Promise<Taken> {
  const choices = choicesOf(field);
  const label = shown(field["title"], 200) || name;
  const about = shown(field["description"], 500);
  const text = `${head}\n${label}${about === "" ? "" : `: ${about}`}`;
  const options = choices?.map(({ title }) => title);
  const answer = await ask({
    text,
    ...(options === undefined ? {} : { options }),
    ...(field["type"] === "array" ? { multiple: true } : {}),
  });
  if (!answer.answered) {
    if (answer.reason === "empty" && "default" in field) return { ok: true, value: field["default"] };
    return { ok: false, reason: answer.reason };
  }
  if (choices !== undefined) {
    const titles = answer.selected ?? [answer.text];
    const values = choices.filter(({ title }) => titles.includes(title)).map(({ value }) => value);
    if (field["type"] === "array") return { ok: true, value: values };
    return values.length === 1 ? { ok: true, value: values[0] } : { ok: false, reason: "cancelled" };
  }
  if (field["type"] !== "number" && field["type"] !== "integer") return { ok: true, value: answer.text };
  const value = Number(answer.text);
  const fits =
    answer.text.trim() !== "" && (field["type"] === "number" ? Number.isFinite(value) : Number.isInteger(value));
  return fits ? { ok: true, value } : { ok: false, reason: "cancelled" };
}

interface Choice {
  readonly title: string;
  readonly value: unknown;
}

function choicesOf(field: Fields): Choice[] | undefined {
  if (field["type"] === "boolean")
    return [
      { title: "Yes", value: true },
      { title: "No", value: false },
    ];
  if (field["type"] === "array") return choicesOf(asFields(field["items"]) ?? {});
  const titled = field["oneOf"] ?? field["anyOf"];
  if (Array.isArray(titled)) {
    return titled.flatMap((each) => {
      const { const: value, title } = asFields(each) ?? {};
      return typeof value === "string" ? [{ title: shown(title, 200) || value, value }] : [];
    });
  }
  const { enum: values, enumNames: titles } = field;
  if (!Array.isArray(values)) return undefined;
  return values.map((value: unknown, at) => {
    const title: unknown = Array.isArray(titles) ? titles[at] : undefined;
    return { title: shown(title, 200) || String(value), value };
  });
}

function shown(value: unknown, limit: number): string {
  return clipText(cleanText(asText(value) ?? "").trim(), limit);
}
