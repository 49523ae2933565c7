// Many calls at once: what can't disturb each other runs side by side, the rest keeps its order.
// Needs `npm run build` once; then: node examples/parallel.ts
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "deckhand";

const workdir = await mkdtemp(join(tmpdir(), "deckhand-example-"));
const runtime = await createRuntime({ workdir, settings: { store: { kind: "memory" } } });
const order: string[] = [];
runtime.on("execution:started", ({ toolId }) => order.push(`${toolId} started`));
runtime.on("execution:settled", ({ toolId }) => order.push(`${toolId} ended`));

const executions = await runtime.batch([
  { tool: "write", input: { file_path: "a.txt", content: "first\n" } },
  { tool: "write", input: { file_path: "b.txt", content: "second\n" } }, // another file: at the same time
  { tool: "read", input: { file_path: "a.txt" } }, // waits for the write of a.txt
  { tool: "read", input: { file_path: "missing.txt" } }, // fails, and disturbs nobody
  { tool: "bash", input: { command: "cat a.txt b.txt | tee both.txt" } }, // may touch anything: waits for all
]);
await runtime.close();
await rm(workdir, { recursive: true });
for (const { toolId, state, durationMs, error } of executions) {
  console.log(`${toolId}: ${state} after ${durationMs?.toFixed(1)} ms ${error ?? ""}`);
}

assert.deepEqual(
  executions.map(({ toolId, state }) => `${toolId} ${state}`),
  ["write completed", "write completed", "read completed", "read failed", "bash completed"],
);
assert.equal(executions[4]?.result?.output?.includes("first\nsecond\n"), true);
assert.deepEqual(order.slice(0, 2), ["write started", "write started"]);
assert.equal(order.at(-2), "bash started");
