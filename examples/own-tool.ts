// A tool of your own: run it, watch its events, cancel it. Needs `npm run build` once; then: node examples/own-tool.ts
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createRuntime, defineTool } from "deckhand";
import { z } from "zod";

const countTool = defineTool({
  name: "count",
  description: "Counts until it is stopped.",
  traits: { readOnly: true },
  input: z.object({ from: z.number().describe("The first number") }),
  async run({ from }, { signal, progress }) {
    for (let number = from; !signal.aborted; number++) {
      progress({ message: `at ${number}` });
      await sleep(50);
    }
    return { ok: true, output: "stopped counting" };
  },
});

const runtime = await createRuntime({ tools: [countTool], settings: { store: { kind: "memory" } } });
const events: string[] = [];
runtime.on("*", (event) => {
  events.push(event.type);
  console.log(event.type, event.type === "execution:progressed" ? event.progress.message : "");
});

const call = runtime.call("count", { from: 1 });
runtime.on("execution:progressed", ({ progress }) => {
  if (progress.message === "at 3") void runtime.cancel(call.id, "Enough");
});
const execution = await call;
await runtime.close();
console.log(`${execution.id} is ${execution.state}: ${execution.error} (proof: ${execution.stopProof})`);

assert.deepEqual(
  [execution.state, execution.error, execution.stopProof, execution.runPhase],
  ["cancelled", "Enough", "cooperative", "returned"],
);
assert.equal(events[0], "execution:created");
assert.equal(events.at(-1), "execution:settled");
