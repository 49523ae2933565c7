import type { CallPart } from "../../core/message.ts";

/**
 * A call of `call_tool` as the call of the tool it names: permission, overlap, records and log see that one. Anything
 * else, and what can't be understood, stays as it is; the check of `call_tool` then says what is wrong.
 */
export function unwrapBridge(call: CallPart): CallPart {
  if (!isCallTool(call.tool)) return call;
  const wanted = parseObject(call.inputText);
  const name = wanted?.["name"] ?? wanted?.["tool"] ?? wanted?.["tool_name"];
  if (!wanted || typeof name !== "string" || name.trim() === "" || isBridge(name)) return call;
  const input = wanted["input"] ?? wanted["arguments"] ?? wanted["parameters"] ?? {};
  // Some models write the inner input as text once more.
  const inner = typeof input === "string" ? parseObject(input) : input;
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return call;
  const inputText = writeObject(inner);
  return inputText === undefined ? call : { ...call, tool: name.trim(), inputText };
}

function writeObject(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply: it can be read, but not be written again.
    return undefined;
  }
}

function isCallTool(name: string): boolean {
  return fold(name) === "calltool";
}

function isBridge(name: string): boolean {
  return isCallTool(name) || fold(name) === "findtools";
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
