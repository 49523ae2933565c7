import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Execution, executionStates, isFinal } from "../../src/core/call.ts";
import type { ExecutionStore } from "../../src/core/stores.ts";
import { createMemoryStore } from "../../src/records/memory/memory-call-store.ts";
import { makeExecution } from "../contract/make-execution.ts";
import { count } from "../support/counts.ts";
import { openStore, temporaryDatabase } from "./open-temporary.ts";

const ids = Array.from({ length: 8 }, () => makeExecution().id);

/** Any form of one of a few executions, so that the same id comes often. */
const execution = fc
  .record({
    id: fc.constantFrom(...ids),
    state: fc.constantFrom(...executionStates),
    attempt: fc.nat(1000),
    toolId: fc.constantFrom(null, "read", "bash"),
    conversationId: fc.constantFrom(null, "ses_1", "ses_2"),
    completedAt: fc.option(fc.nat(100)),
    // JSON has no negative zero, so what was read back is what is expected.
    toolInput: fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
  })
  .map((given) => makeExecution({ ...given, createdAt: 1, startedAt: 1 }));

const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(execution, { maxLength: 5 }).map((saved) => ({ saved })) },
  { weight: 1, arbitrary: fc.nat(100).map((pruned) => ({ pruned })) },
);

describe("any sequence of saves and prunes ends as the same done to a map", () => {
  test("in memory [E5]", async () => {
    await compareWithModel(async () => createMemoryStore());
  });

  test("in SQLite [E5]", async (t) => {
    const path = await temporaryDatabase(t);
    const store = await openStore(t, path);
    const raw = new DatabaseSync(path, { timeout: 5000 });
    t.after(() => raw.close());
    await compareWithModel(async () => {
      raw.exec("DELETE FROM executions");
      return store;
    });
  });
});

async function compareWithModel(open: () => Promise<ExecutionStore>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const store = await open();
      const model = new Map<string, Execution>();
      for (const each of steps) {
        if ("saved" in each) {
          await store.save(each.saved);
          for (const saved of each.saved) if (!isKnownFinal(model, saved.id)) model.set(saved.id, saved);
        } else {
          const pruned = [...model.values()].filter((known) => isPruned(known, each.pruned));
          assert.equal(await store.prune(each.pruned), pruned.length);
          for (const { id } of pruned) model.delete(id);
        }
      }
      const newest = [...model.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
      assert.deepEqual(await store.list({ limit: 100 }), newest);
      assert.deepEqual(
        await store.list({ limit: 100, states: ["running", "failed"], toolId: "read" }),
        newest.filter(({ state, toolId }) => (state === "running" || state === "failed") && toolId === "read"),
      );
      assert.deepEqual(
        await store.list({ limit: 3, conversationId: "ses_1" }),
        newest.filter(({ conversationId }) => conversationId === "ses_1").slice(0, 3),
      );
    }),
    { numRuns: count({ quick: 150, full: 5000 }) },
  );
}

function isKnownFinal(model: Map<string, Execution>, id: string): boolean {
  const known = model.get(id);
  return known !== undefined && isFinal(known.state);
}

function isPruned({ state, completedAt }: Execution, before: number): boolean {
  return isFinal(state) && completedAt !== null && completedAt < before;
}
