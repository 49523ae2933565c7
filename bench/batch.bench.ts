import { z } from "zod";
import { defineTool } from "../src/core/define-tool.ts";
import { createConflictTracker } from "../src/engine/conflicts.ts";
import { createPathLocator } from "../src/engine/locate-path.ts";
import { Step } from "../src/engine/batch-node.ts";
import { touchesOf } from "../src/engine/batch.ts";
import type { Bench } from "./bench.ts";
import { benchRuntime } from "./support.ts";

const slowRead = defineTool({
  name: "slow_read",
  description: "Reads for 100 ms.",
  input: z.object({ n: z.number() }),
  traits: { readOnly: true },
  resources: ({ n }) => [{ kind: "path", path: `file-${n}`, access: "read" }],
  run: ({ n }) => new Promise((resolve) => setTimeout(() => resolve({ ok: true, output: String(n) }), 100)),
});

/** What planning does for each call: find where its paths lead, and who has to wait for whom. */
function planThousand(pathOf: (n: number) => string, accessOf: (n: number) => "read" | "write"): number {
  const begin = performance.now();
  const locate = createPathLocator(process.cwd());
  const tracker = createConflictTracker();
  for (let n = 0; n < 1000; n++) {
    const touches = touchesOf([{ kind: "path", path: pathOf(n), access: accessOf(n) }], locate);
    if (touches === "anything") throw new Error("A path is not everything.");
    tracker.add(new Step(() => undefined), touches);
  }
  return performance.now() - begin;
}

export const benches: readonly Bench[] = [
  {
    name: "planning of 1,000 calls on 1,000 files",
    unit: "ms",
    budget: 5,
    rounds: 20,
    measure: () =>
      planThousand(
        (n) => `src/folder-${n % 50}/file-${n}.ts`,
        (n) => (n % 3 === 0 ? "write" : "read"),
      ),
  },
  {
    name: "planning of 1,000 calls, writes under listings of their folder",
    unit: "ms",
    budget: 5,
    rounds: 20,
    measure: () =>
      planThousand(
        (n) => (n % 2 === 0 ? `src/file-${n}.ts` : "src"),
        (n) => (n % 2 === 0 ? "write" : "read"),
      ),
  },
  {
    name: "8 reads of 100 ms, limit 8, against bare promises",
    unit: "×",
    budget: 1.05,
    async measure() {
      const runtime = await benchRuntime("sqlite", [slowRead], { max_parallel: 8 });
      const begin = performance.now();
      const executions = await runtime.batch(
        Array.from({ length: 8 }, (_, n) => ({ tool: "slow_read", input: { n } })),
      );
      const took = performance.now() - begin;
      await runtime.close();
      if (executions.some(({ state }) => state !== "completed")) throw new Error("A read did not complete.");
      return took;
    },
    async baseline() {
      const begin = performance.now();
      await Promise.all(Array.from({ length: 8 }, (_, n) => slowRead.run({ n }, undefined as never)));
      return performance.now() - begin;
    },
  },
];
