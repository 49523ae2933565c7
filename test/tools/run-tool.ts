import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Tool, ToolContext, ToolResult } from "../../src/core/tool.ts";

export type Failed = Extract<ToolResult, { ok: false }>;
export type Done = Extract<ToolResult, { ok: true }>;

let number = 0;

export function contextIn(workdir: string, signal: AbortSignal = new AbortController().signal): ToolContext {
  return {
    workdir,
    signal,
    executionId: `call_${process.pid}_${++number}`,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    progress() {},
    stopped() {},
    sandboxed() {},
    ask: () => Promise.resolve({ answered: false, reason: "nobody" }),
  };
}

/** Checks the input as the engine does, then runs the tool. */
export async function runTool<Input>(tool: Tool<Input>, input: unknown, context: ToolContext): Promise<ToolResult> {
  const checked = tool.check(input);
  assert(checked.ok, `the input is refused: ${JSON.stringify(checked)}`);
  return tool.run(checked.input, context);
}

export async function succeed<Input>(tool: Tool<Input>, input: unknown, workdir: string): Promise<Done> {
  const result = await runTool(tool, input, contextIn(workdir));
  assert(result.ok, `failed: ${JSON.stringify(result)}`);
  return result;
}

export async function fail<Input>(tool: Tool<Input>, input: unknown, workdir: string): Promise<Failed> {
  const result = await runTool(tool, input, contextIn(workdir));
  assert(!result.ok, `succeeded: ${JSON.stringify(result)}`);
  assertSentence(result.error);
  return result;
}

/** One sentence that a person can read: no stack, no code alone, on one line. */
function assertSentence(error: string): void {
  assert.match(error, /^\S[^\n]*\.$/);
  assert.doesNotMatch(error, /\bat [\w.]+ \(|undefined|\[object/);
}

export async function makeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
