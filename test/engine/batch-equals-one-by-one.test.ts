import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Execution, RunStatistics, ToolCall } from "../../src/core/call.ts";
import { count } from "../support/counts.ts";
import { setUpEngine } from "../support/engine.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { createFileTools } from "./file-tools.ts";
import { createFileWorld, worldNames, type FileWorld } from "./file-world.ts";

const path = fc.array(fc.constantFrom(...worldNames), { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const input = fc.record({
  path,
  to: path,
  text: fc.constantFrom("+", "-"),
  pause: fc.nat({ max: 3 }),
  raw: fc.boolean(),
});
/** Few inputs, so that the same call comes again and again and the failure guard has work. */
const plainInput = fc.record({ path: fc.constantFrom("a", "d", "c") });
const names = ["read", "list", "write", "append", "delete", "mkdir", "rename", "symlink", "shell", "look_around"];
const call: fc.Arbitrary<ToolCall> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ tool: fc.constantFrom("read", "write", "append", "list", "delete"), input }) },
  { weight: 6, arbitrary: fc.record({ tool: fc.constantFrom(...names), input }) },
  { weight: 3, arbitrary: fc.record({ tool: fc.constantFrom("bump", "counter", "fail"), input: plainInput }) },
  { weight: 3, arbitrary: fc.record({ tool: fc.constantFrom("read", "append", "mkdir"), input: plainInput }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constantFrom("nope", "reed"), input: plainInput }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant("read"), input: fc.constant({ path: 5 }) }) },
);

test("a batch run in parallel leaves the same files, results, guard and statistics as one by one [P3 P5 P6]", async (t) => {
  const world = createFileWorld(await temporaryFolder(t));
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 2, maxLength: 12 }),
      fc.array(call, { maxLength: 4 }),
      fc.record({ maxParallel: fc.constantFrom(2, 4, 12), maxRetry: fc.constantFrom(0, 1, 2, 3) }),
      async (calls, afterwards, limits) => {
        const oneByOne = await runWith(world, { calls, afterwards, limits, inParallel: false });
        const together = await runWith(world, { calls, afterwards, limits, inParallel: true });
        assert.deepEqual(together, oneByOne);
      },
    ),
    { numRuns: count({ quick: 150, full: 5000 }) },
  );
});

interface Plan {
  readonly calls: readonly ToolCall[];
  /** Made one by one after the batch: they meet the failure guard as the batch left it. */
  readonly afterwards: readonly ToolCall[];
  readonly limits: { readonly maxParallel: number; readonly maxRetry: number };
  readonly inParallel: boolean;
}

interface Outcome {
  readonly results: unknown[];
  readonly files: string[];
  readonly later: unknown[];
  readonly statistics: RunStatistics;
}

async function runWith(world: FileWorld, plan: Plan): Promise<Outcome> {
  world.reset();
  const { engine } = setUpEngine({
    tools: createFileTools(() => world.snapshot()),
    workdir: world.workdir,
    limits: plan.limits,
  });
  const conversationId = "one";
  const one = async (calls: readonly ToolCall[]): Promise<Execution[]> => {
    const executions: Execution[] = [];
    for (const each of calls) executions.push(await engine.call({ ...each, conversationId }));
    return executions;
  };
  let executions: Execution[];
  if (plan.inParallel) {
    const batch = engine.openBatch({ conversationId });
    for (const each of plan.calls) batch.add(each);
    executions = await batch.end();
  } else executions = await one(plan.calls);
  return {
    results: executions.map(essence),
    files: world.snapshot(),
    later: (await one(plan.afterwards)).map(essence),
    statistics: engine.statistics(conversationId),
  };
}

function essence({ toolName, toolId, state, result, error, errorType, note, attempt }: Execution): unknown {
  return { toolName, toolId, state, result, error, errorType, note, attempt };
}
