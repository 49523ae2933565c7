import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createMemoryScheduleStore } from "../../src/records/memory/memory-schedule-store.ts";
import { createSqliteScheduleStore } from "../../src/records/sqlite/sqlite-schedule-store.ts";
import { makeJob } from "../contract/make-job.ts";
import { scheduleStoreContract } from "../contract/schedule-store-contract.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryDatabase } from "./open-temporary.ts";

scheduleStoreContract("memory", async () => createMemoryScheduleStore());
scheduleStoreContract("SQLite", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  afterTest(t, () => database.close());
  return createSqliteScheduleStore(database);
});

test("the revision of SQLite changes when a write is there, not when it is wanted [D1]", async (t) => {
  const path = await temporaryDatabase(t);
  const database = await openDatabase({ path, clock: systemClock });
  afterTest(t, () => database.close());
  const store = createSqliteScheduleStore(database);
  const inTheWay = new DatabaseSync(path);
  afterTest(t, async () => inTheWay.close());
  inTheWay.exec("BEGIN IMMEDIATE");
  const added = store.addJob(makeJob());
  const before = await store.revision();
  assert.deepEqual(await store.listJobs(), []);
  inTheWay.exec("ROLLBACK");
  assert.equal(await added, true);
  assert.notEqual(await store.revision(), before);
});
