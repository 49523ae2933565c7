import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolResult } from "../../src/core/tool.ts";
import { looseTool, setUpEngine, settleDown } from "../support/engine.ts";
import { createLatchTool } from "../support/latch-tool.ts";

const run = (input: Record<string, unknown>): Promise<ToolResult> =>
  Promise.resolve(input["ok"] === false ? { ok: false, error: "no" } : { ok: true, output: "yes" });
const tools = [
  looseTool({ name: "read", run, traits: { readOnly: true } }),
  looseTool({ name: "status", run, resources: () => [{ kind: "name", name: "n", access: "read" }] }),
  looseTool({ name: "write", run, resources: () => [{ kind: "path", path: "a", access: "write" }] }),
];

test("one conversation's calls are counted as they end [P7]", async () => {
  const { engine } = setUpEngine({ tools, permit: ({ input }) => (denies(input) ? deny : { decision: "allow" }) });
  const after = async (tool: string, input: object = {}): Promise<unknown> => {
    await engine.call({ tool, input });
    const { calls, successes, failures, cancelled, consecutiveErrors, recoveries, ...rows } = engine.statistics(null);
    const { consecutiveReadOnlySuccesses, consecutiveNonMutatingSuccesses } = rows;
    const inRow = [consecutiveReadOnlySuccesses, consecutiveNonMutatingSuccesses, consecutiveErrors];
    return { ended: [calls, successes, failures, cancelled], inRow, recoveries };
  };
  assert.deepEqual(await after("read"), { ended: [1, 1, 0, 0], inRow: [1, 1, 0], recoveries: 0 });
  assert.deepEqual(await after("status"), { ended: [2, 2, 0, 0], inRow: [0, 2, 0], recoveries: 0 });
  assert.deepEqual(await after("write"), { ended: [3, 3, 0, 0], inRow: [0, 0, 0], recoveries: 0 });
  assert.deepEqual(await after("read"), { ended: [4, 4, 0, 0], inRow: [1, 1, 0], recoveries: 0 });
  assert.deepEqual(await after("read", { deny: true }), { ended: [5, 4, 0, 1], inRow: [1, 1, 0], recoveries: 0 });
  assert.deepEqual(await after("read", { ok: false }), { ended: [6, 4, 1, 1], inRow: [0, 0, 1], recoveries: 0 });
  assert.deepEqual(await after("nope"), { ended: [7, 4, 2, 1], inRow: [0, 0, 2], recoveries: 0 });
  assert.deepEqual(await after("read"), { ended: [8, 5, 2, 1], inRow: [1, 1, 0], recoveries: 1 });
  assert.deepEqual(await after("read"), { ended: [9, 6, 2, 1], inRow: [2, 2, 0], recoveries: 1 });
  assert.deepEqual(engine.statistics(null).toolsUsed, ["read", "status", "write"]);
});

const deny = { decision: "deny", reason: "no", by: "rule" } as const;
function denies(input: unknown): boolean {
  return (input as { readonly deny?: boolean }).deny === true;
}

test("a batch is counted in the model's order, whatever finished first [P7 P5]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [latch.tool] });
  const batch = engine.openBatch({ conversationId: "c" });
  for (const name of ["fails", "works"]) batch.add({ tool: "latch", input: { name } });
  const ended = batch.end();
  await latch.runs("works");
  latch.finish("works");
  await settleDown();
  assert.equal(engine.statistics("c").calls, 0);
  latch.finish("fails", { ok: false, error: "no" });
  await ended;
  const { calls, recoveries, consecutiveErrors } = engine.statistics("c");
  assert.deepEqual([calls, recoveries, consecutiveErrors], [2, 1, 0]);
});

test("the quietest of more than a thousand conversations is forgotten, but none with a call under way [P7]", async () => {
  const latch = createLatchTool();
  const { engine } = setUpEngine({ tools: [...tools, latch.tool] });
  await engine.call({ tool: "read", conversationId: "quiet" });
  const slow = engine.call({ tool: "latch", input: { name: "slow" }, conversationId: "busy" });
  await latch.runs("slow");
  for (let at = 0; at < 1200; at++) {
    await engine.call({ tool: "read", conversationId: `${at}` });
    engine.statistics(`never seen ${at}`);
  }
  latch.finish("slow");
  await slow;
  assert.equal(engine.statistics("quiet").calls, 0);
  assert.equal(engine.statistics("busy").calls, 1);
  assert.equal(engine.statistics("1199").calls, 1);
  assert.equal(engine.statistics("300").calls, 1);
  await engine.call({ tool: "read", conversationId: "busy" });
  assert.equal(engine.statistics("busy").calls, 2);
});
