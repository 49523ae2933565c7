import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "../../src/records/memory/memory-call-store.ts";
import { executionStoreContract } from "../contract/execution-store-contract.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";

executionStoreContract("memory", async () => createMemoryStore());

test("the oldest final executions make room for new ones; what is under way stays", async () => {
  const store = createMemoryStore({ keep: 10 });
  const running = makeExecution();
  const finals = Array.from({ length: 30 }, () => complete(makeExecution()));
  await store.save([running]);
  for (const final of finals) await store.save([final]);
  assert.deepEqual(await store.list({ limit: 100 }), [...finals.slice(-9).toReversed(), running]);
  await store.save([complete(running)]);
  await store.save([complete(makeExecution())]);
  assert.equal((await store.list({ limit: 100 })).length, 10);
});

test("large records make room too", async () => {
  const store = createMemoryStore({ keepCharacters: 200_000 });
  for (let index = 0; index < 20; index++) {
    await store.save([complete(makeExecution(), { result: { ok: true, output: "x".repeat(60_000) } })]);
  }
  assert.equal((await store.list({ limit: 100 })).length, 3);
});

test("what was read is a copy: changing it does not change history", async () => {
  const store = createMemoryStore();
  const execution = complete(makeExecution());
  await store.save([execution]);
  const read = (await store.get(execution.id)) as { toolInput: unknown; error: string };
  read.error = "changed";
  (read.toolInput as { path: string }).path = "changed";
  assert.deepEqual(await store.get(execution.id), complete(execution));
});
