import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openDatabase, type Database } from "../../src/records/sqlite/database.ts";
import { inspectDatabase } from "../../src/records/sqlite/inspect-database.ts";
import { createSqliteStore } from "../../src/records/sqlite/sqlite-call-store.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryDatabase } from "./open-temporary.ts";

async function open(t: TestContext, path: string): Promise<Database> {
  const database = await openDatabase({ path, clock: systemClock });
  afterTest(t, () => database.close());
  return database;
}

/** A store of the newest version with one call in it; then something is done to it. */
async function openChanged(t: TestContext, change: string): Promise<{ path: string; id: string; schema: string[] }> {
  const path = await temporaryDatabase(t);
  const database = await openDatabase({ path, clock: systemClock });
  const call = complete(makeExecution());
  await createSqliteStore(database).save([call]);
  await database.close();
  const raw = new DatabaseSync(path);
  const schema = schemaOf(raw);
  raw.exec(change);
  raw.close();
  return { path, id: call.id, schema };
}

function schemaOf(raw: DatabaseSync): string[] {
  const rows = raw.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  return rows.map(({ type, name, sql }) => `${String(type)} ${String(name)} ${String(sql)}`);
}

for (let version = 0; version <= 10; version++) {
  test(`a store of version 11 that says it is of version ${version} is usable, and loses nothing`, async (t) => {
    const { path, id, schema } = await openChanged(t, `PRAGMA user_version = ${version}`);
    assert.deepEqual(inspectDatabase(path)?.missing, { tables: [], indexes: [] });
    const database = await open(t, path);
    assert.equal(database.loss, null);
    assert.equal((await createSqliteStore(database).get(id))?.id, id);
    const raw = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual(schemaOf(raw), schema);
    assert.equal(raw.prepare("PRAGMA user_version").get()?.["user_version"], 11);
    raw.close();
  });
}

test("tables and indexes that are missing are created again, and the loss of what they held is reported once", async (t) => {
  const drop = "DROP TABLE task_orders; DROP TABLE tasks; DROP TABLE rollout_documents; DROP INDEX inbox_by_state";
  const { path, id, schema } = await openChanged(t, drop);
  assert.deepEqual(inspectDatabase(path)?.missing, {
    tables: ["rollout_documents", "tasks", "task_orders"],
    indexes: [
      "tasks_by_agent_and_state",
      "tasks_by_agent",
      "tasks_by_state",
      "tasks_by_completion",
      "tasks_by_idempotency_key",
      "inbox_by_state",
    ],
  });
  const first = await openDatabase({ path, clock: systemClock });
  assert.equal(
    first.loss,
    `In the store ${path} the tables were missing: rollout_documents, tasks, task_orders. What they held is lost; created again, empty.`,
  );
  await first.close();
  const again = await open(t, path);
  assert.equal(again.loss, null);
  assert.equal((await createSqliteStore(again).get(id))?.id, id);
  const raw = new DatabaseSync(path, { readOnly: true });
  assert.deepEqual(schemaOf(raw), schema);
  raw.close();
});

test("a migration that was left half done is finished", async (t) => {
  // As if the second half of 0010 and all of 0011 were still to come.
  const half = "DROP INDEX inbox_by_settlement; DROP TABLE schedule_service; PRAGMA user_version = 9";
  const { path, id } = await openChanged(t, half);
  assert.deepEqual(inspectDatabase(path)?.missing, { tables: [], indexes: [] });
  const database = await open(t, path);
  assert.equal(database.loss, null);
  assert.equal((await createSqliteStore(database).get(id))?.id, id);
});

test("a table that lacks a column is called damaged by whoever looks, not only by whoever uses it", async (t) => {
  const { path } = await openChanged(t, "ALTER TABLE journal_heads RENAME COLUMN bytes TO length");
  assert.throws(() => inspectDatabase(path), {
    code: "STORE_DAMAGED",
    message: /is damaged \(the table journal_heads has no column bytes\)/,
  });
});
