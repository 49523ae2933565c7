import { z } from "zod";
import type { Clock } from "../../src/core/clock.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import type { Execution } from "../../src/core/call.ts";
import type { Tool, ToolResult } from "../../src/core/tool.ts";
import { looseTool, setUpEngine, type EngineSetup, type EngineUnderTest } from "../support/engine.ts";

/** Every tool returns what the input says: `{ fails?, n? }`. */
export function workbench(setup: EngineSetup<Clock> = {}): EngineUnderTest & { runs: () => number } {
  let runs = 0;
  const run = (input: Record<string, unknown>): Promise<ToolResult> => {
    runs += 1;
    if (typeof input["fails"] !== "string") return Promise.resolve({ ok: true, output: "fine" });
    return Promise.resolve({ ok: false, error: input["fails"] });
  };
  const tools: Tool[] = [
    looseTool({ name: "test", run, traits: { readOnly: true } }),
    looseTool({ name: "edit", run, resources: () => [{ kind: "path", path: "a", access: "write" }] }),
    looseTool({ name: "look", run, resources: () => [{ kind: "path", path: "a", access: "read" }] }),
    looseTool({ name: "bash", run }),
    defineTool({ name: "strict", description: "", input: z.object({ path: z.string() }), run: () => run({}) }),
  ];
  return { ...setUpEngine({ tools, ...setup }), runs: () => runs };
}

export const failing = { tool: "test", input: { fails: "red" } };
export const fixing = { tool: "edit", input: { n: 1 } };

export async function series(
  bench: EngineUnderTest,
  calls: readonly { tool: string; input?: unknown }[],
): Promise<Execution[]> {
  const executions: Execution[] = [];
  for (const call of calls) executions.push(await bench.engine.call(call));
  return executions;
}
