import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { executionStoreContract } from "../contract/execution-store-contract.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { fastClock, openStore, temporaryDatabase } from "./open-temporary.ts";

executionStoreContract("sqlite", async (t) => openStore(t, await temporaryDatabase(t)));

test("what was saved is there after the store is opened again [E5]", async (t) => {
  const path = await temporaryDatabase(t);
  const executions = [makeExecution(), complete(makeExecution())];
  const first = await openStore(t, path);
  await first.save(executions);
  await first.close();
  const second = await openStore(t, path);
  assert.deepEqual(await second.list({ limit: 10 }), executions.toReversed());
});

test("the body of a row is the record in snake_case, with times in ISO-8601 [E2]", async (t) => {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path);
  const id = "call_019b76da-a801-7000-8000-000000000001";
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  await store.save([complete(makeExecution({ id, createdAt: at, startedAt: at }), { completedAt: at + 1000 })]);
  await store.close();
  const raw = new DatabaseSync(path, { readOnly: true });
  t.after(() => raw.close());
  const row = raw.prepare("SELECT * FROM executions").get();
  assert.deepEqual(JSON.parse(String(row?.["body"])), {
    id,
    tool_name: "Read",
    tool_id: "read",
    tool_input: { path: "notes.md" },
    state: "completed",
    run_phase: "returned",
    result: { ok: true, output: "done" },
    created_at: "2026-01-02T03:04:05.006Z",
    started_at: "2026-01-02T03:04:05.006Z",
    completed_at: "2026-01-02T03:04:06.006Z",
    duration_ms: 4.25,
    attempt: 1,
    timeout_ms: 10_000,
    version: "builtin",
    route: "stable",
    door: "agent",
    output_bytes: 4,
    killed: [],
    survivors: [],
    owner: { pid: 4711, start_time: "123456", boot_id: "5f0c1d1e-0000-4000-8000-000000000001" },
  });
  assert.equal(row?.["created_at"], at);
  assert.equal(row?.["completed_at"], at + 1000);
});

test("the revision changes when another connection wrote", async (t) => {
  const path = await temporaryDatabase(t);
  const [one, other] = [await openStore(t, path), await openStore(t, path)];
  const before = one.revision();
  await other.save([makeExecution()]);
  const after = one.revision();
  assert.notEqual(after, before);
  assert.equal(one.revision(), after);
});

test("two takers never get the same request [E5]", async (t) => {
  const path = await temporaryDatabase(t);
  const [one, other] = [await openStore(t, path), await openStore(t, path)];
  const executions = Array.from({ length: 50 }, () => makeExecution());
  await one.save(executions);
  for (const { id } of executions) await one.requestCancel(id, "stop");
  const owner = executions[0]!.owner!;
  const taken = await Promise.all([one, other, one, other].map((store) => store.takeCancelRequests(owner)));
  assert.deepEqual(
    taken
      .flat()
      .map(({ id }) => id)
      .sort(),
    executions.map(({ id }) => id),
  );
});

test("while another holds the write lock, a save waits without stalling the event loop", async (t) => {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path);
  const blocker = blockWrites(path);
  t.after(() => blocker.close());
  const executions = Array.from({ length: 30 }, () => makeExecution());
  const saves = Promise.all(executions.map((execution) => store.save([execution])));
  assert.equal(store.saveNow?.([makeExecution()]), false);
  assert.deepEqual(await store.list({ limit: 10 }), [], "reading is not held up");
  let [turns, longestMs, last] = [0, 0, performance.now()];
  const until = performance.now() + 600;
  while (performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    turns += 1;
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }
  blocker.exec("COMMIT");
  await saves;
  t.diagnostic(`${turns} turns of the event loop, the longest ${longestMs.toFixed(0)} ms`);
  assert.ok(turns >= 15, `only ${turns} turns of the event loop in 600 ms`);
  assert.deepEqual(await store.list({ limit: 100 }), executions.toReversed());
});

test("a store that others write for seconds on end rejects with STORE_BUSY, and works again afterwards", async (t) => {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path, fastClock(20));
  const blocker = blockWrites(path);
  t.after(() => blocker.close());
  const execution = makeExecution();
  const rejected = { code: "STORE_BUSY", message: new RegExp(`${path} is being written by others: try again`) };
  await Promise.all([1, 2, 3].map(() => assert.rejects(store.save([execution]), rejected)));
  blocker.exec("ROLLBACK");
  await store.save([execution]);
  assert.deepEqual(await store.get(execution.id), execution);
});

test("close waits for the saves that are under way", async (t) => {
  const path = await temporaryDatabase(t);
  const store = await openStore(t, path);
  const blocker = blockWrites(path);
  t.after(() => blocker.close());
  const executions = Array.from({ length: 5 }, () => makeExecution());
  const saves = executions.map((execution) => store.save([execution]));
  const closed = store.close();
  await assert.rejects(store.save([makeExecution()]), { code: "STORE_CLOSED" });
  setTimeout(() => blocker.exec("COMMIT"), 50);
  await Promise.all([...saves, closed]);
  const again = await openStore(t, path);
  assert.equal((await again.list({ limit: 10 })).length, 5);
});

function blockWrites(path: string): DatabaseSync {
  const blocker = new DatabaseSync(path);
  blocker.exec("BEGIN IMMEDIATE");
  return blocker;
}
