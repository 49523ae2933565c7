import { clipText } from "../../../src/core/text.ts";
import type { CallResult, Message } from "../../../src/core/message.ts";
import { textOfParts } from "../../../src/core/message.ts";
import type { ExpectedResult, ScriptExpectation } from "./script.ts";

/** What is not as the turn expects it, in one sentence without its end; undefined when all is. */
export function checkExpectation(expect: ScriptExpectation, messages: readonly Message[]): string | undefined {
  const said = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const results = said.flatMap((message): readonly CallResult[] => (message.role === "tool" ? message.results : []));
  const text = said.map(textOf).join("\n");
  const missing = listOf(expect.contains).find((each) => !text.includes(each));
  if (missing !== undefined) return `expected ${quote(missing)} in what was said last, which is ${quote(text)}`;
  return expect.toolResult === undefined ? undefined : checkResults(toExpected(expect.toolResult), results);
}

function checkResults({ tool, contains, isError }: ExpectedResult, results: readonly CallResult[]): string | undefined {
  const wanted = listOf(contains);
  const fits = (result: CallResult): boolean =>
    (tool === undefined || result.tool === tool) &&
    (isError === undefined || result.isError === isError) &&
    wanted.every((each) => result.text.includes(each));
  if (results.some(fits)) return undefined;
  const kind = isError === undefined ? "a result" : isError ? "a failed result" : "a successful result";
  const of = tool === undefined ? "" : ` of ${tool}`;
  const holding = wanted.length === 0 ? "" : ` with ${wanted.map(quote).join(" and ")}`;
  const came = results.map((each) => `${each.tool} ${each.isError ? "failed" : "gave"} ${quote(each.text)}`);
  return `expected ${kind}${of}${holding}, but ${came.length === 0 ? "there are no results" : `got: ${came.join("; ")}`}`;
}

function toExpected(given: NonNullable<ScriptExpectation["toolResult"]>): ExpectedResult {
  return typeof given === "object" && !isList(given) ? given : { contains: given };
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

function listOf(texts: string | readonly string[] | undefined): readonly string[] {
  if (texts === undefined) return [];
  return typeof texts === "string" ? [texts] : texts;
}

function textOf(message: Message): string {
  return message.role === "tool" ? message.results.map(({ text }) => text).join("\n") : textOfParts(message.parts);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${clipText(text, 200)}…` : text);
}
