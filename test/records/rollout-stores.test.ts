import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/core/clock.ts";
import type { RolloutStore } from "../../src/core/stores.ts";
import { type Database, openDatabase } from "../../src/records/sqlite/database.ts";
import { createMemoryRolloutStore } from "../../src/records/memory/memory-rollout-store.ts";
import { migrateDatabase, readMigrations } from "../../src/records/sqlite/migrate-database.ts";
import { createSqliteRolloutStore } from "../../src/records/sqlite/sqlite-rollout-store.ts";
import { makeEvent, makeFeedback } from "../contract/make-rollout-records.ts";
import { rolloutStoreContract } from "../contract/rollout-store-contract.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryDatabase } from "./open-temporary.ts";

rolloutStoreContract("memory", async () => createMemoryRolloutStore());
rolloutStoreContract("SQLite", async (t) => (await openRollouts(t, await temporaryDatabase(t))).rollouts);

test("what one connection writes, another one learns by its revision and reads", async (t) => {
  const path = await temporaryDatabase(t);
  const [{ rollouts: one }, { rollouts: other }] = [await openRollouts(t, path), await openRollouts(t, path)];
  const before = other.revision();
  assert.equal(other.revision(), before);
  await one.change((transaction) => transaction.writeDocument("a", 1));
  const after = other.revision();
  assert.notEqual(after, before);
  assert.equal(other.readDocument("a"), 1);
  assert.equal(other.revision(), after);
  const ours = one.revision();
  await other.change((transaction) => transaction.mark("roll_1", "ses_1", "failed"));
  assert.notEqual(one.revision(), ours);
  assert.equal(one.findMark("roll_1", "ses_1"), "failed");
});

test("a reader does not wait for a writer, and sees nothing of what is not committed", async (t) => {
  const path = await temporaryDatabase(t);
  const [{ rollouts: one }, { rollouts: other }] = [await openRollouts(t, path), await openRollouts(t, path)];
  await one.change((transaction) => transaction.writeDocument("a", 1));
  const revision = other.revision();
  await one.change((transaction) => {
    transaction.writeDocument("a", 2);
    assert.equal(other.readDocument("a"), 1);
    assert.equal(other.revision(), revision);
  });
  assert.equal(other.readDocument("a"), 2);
});

test("of two processes that change one document at once, none loses a change of the other", async (t) => {
  const path = await temporaryDatabase(t);
  const { rollouts } = await openRollouts(t, path);
  const revision = rollouts.revision();
  const counters = await Promise.all([1, 2].map(() => startCounter(t, path, 200)));
  await Promise.all(counters.map((finish) => finish()));
  assert.equal(rollouts.readDocument("counter"), 400);
  assert.notEqual(rollouts.revision(), revision);
});

test("a damaged row is as good as none, and is healed by the next write", async (t) => {
  const path = await temporaryDatabase(t);
  const { rollouts } = await openRollouts(t, path);
  await rollouts.change((transaction) => {
    transaction.writeDocument("a", 1);
    transaction.writeDocument("b", 2);
    for (const reason of ["first", "second", "third"]) transaction.addEvent(makeEvent({ reason }));
    for (const signature of ["a", "b"]) transaction.addFeedback(makeFeedback({ signature }));
  });
  const raw = new DatabaseSync(path, { timeout: 5000 });
  raw.exec(`
    UPDATE rollout_documents SET body = '{"v":1,' WHERE name = 'a';
    UPDATE rollout_documents SET body = x'00ff' WHERE name = 'b';
    UPDATE rollout_events SET body = '[' WHERE id = 1;
    UPDATE rollout_events SET figures = '{"at":"soon"}' WHERE id = 2;
    UPDATE tool_feedback SET body = 'null' WHERE signature = 'a'`);
  raw.close();
  assert.deepEqual([rollouts.readDocument("a"), rollouts.readDocument("b")], [undefined, undefined]);
  assert.deepEqual(rollouts.listDocuments(""), ["a", "b"]);
  assert.deepEqual(rollouts.listEvents({ limit: 9 }), [
    { ...makeEvent({ reason: "third" }), id: 3 },
    { ...makeEvent({ reason: "second", figures: null }), id: 2 },
  ]);
  const signatures = () => rollouts.listFeedback({ tool: "echo", limit: 9 }).map(({ signature }) => signature);
  assert.deepEqual(signatures(), ["b"]);
  await rollouts.change((transaction) => {
    transaction.writeDocument("a", 3);
    transaction.addFeedback(makeFeedback({ signature: "a" }));
  });
  assert.equal(rollouts.readDocument("a"), 3);
  assert.deepEqual(signatures(), ["a", "b"]);
});

test("a store that can't be read says why, at once", async (t) => {
  const path = await temporaryDatabase(t);
  const { rollouts, database } = await openRollouts(t, path);
  const raw = new DatabaseSync(path, { timeout: 5000 });
  raw.exec("DROP TABLE rollout_marks");
  raw.close();
  assert.throws(() => rollouts.findMark("roll_1", "ses_1"), { code: "STORE_DAMAGED" });
  assert.equal(rollouts.readDocument("a"), undefined);
  await database.close();
  assert.throws(() => rollouts.readDocument("a"), { code: "STORE_CLOSED" });
  assert.throws(() => rollouts.revision(), { code: "STORE_CLOSED" });
  await assert.rejects(
    rollouts.change(() => 1),
    { code: "STORE_CLOSED" },
  );
});

test("a store of version 6 is brought to the newest, with all that it holds", async (t) => {
  const path = await temporaryDatabase(t);
  const old = new DatabaseSync(path);
  migrateDatabase(old, path, readMigrations().slice(0, 6));
  old.exec(`
    INSERT INTO inbox (id, state, created_at, body) VALUES ('ask_1', 'waiting', 5, '{}');
    INSERT INTO executions (id, state, created_at, body) VALUES ('call_1', 'running', 5, '{}')`);
  assert.deepEqual(count(old, "sqlite_schema WHERE name LIKE 'rollout%' OR name LIKE 'tool_feedback%'"), 0);
  old.close();
  const { rollouts } = await openRollouts(t, path);
  await rollouts.change((transaction) => transaction.addEvent(makeEvent()));
  assert.deepEqual(rollouts.listEvents({ limit: 9 }), [{ ...makeEvent(), id: 1 }]);
  const raw = new DatabaseSync(path, { readOnly: true });
  afterTest(t, async () => raw.close());
  assert.deepEqual(
    ["inbox", "executions", "rollout_events"].map((table) => count(raw, table)),
    [1, 1, 1],
  );
  assert.equal(raw.prepare("PRAGMA user_version").get()?.["user_version"], readMigrations().length);
});

function count(database: DatabaseSync, table: string): unknown {
  return database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"];
}

async function openRollouts(t: TestContext, path: string): Promise<{ rollouts: RolloutStore; database: Database }> {
  const database = await openDatabase({ path, clock: systemClock });
  afterTest(t, () => database.close());
  return { rollouts: createSqliteRolloutStore(database), database };
}

/** A process that stands ready; the returned function lets it go, and resolves when it has counted. */
async function startCounter(t: TestContext, path: string, times: number): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL("../fixtures/store/count-up.ts", import.meta.url));
  const child = spawn(process.execPath, [program, path, String(times)], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => void child.kill("SIGKILL"));
  const signal = AbortSignal.timeout(60_000);
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data", { signal })) as [string];
  assert.equal(line, "ready\n");
  return async () => {
    child.stdin.end("go\n");
    assert.deepEqual(await once(child, "close", { signal: AbortSignal.timeout(60_000) }), [0, null]);
  };
}
