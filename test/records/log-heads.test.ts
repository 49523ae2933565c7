import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createMemoryJournalHeads } from "../../src/records/memory/memory-stores.ts";
import { createSqliteJournalHeads, readJournalHeads } from "../../src/records/sqlite/sqlite-log-heads.ts";
import { journalHeadsContract } from "../contract/journal-heads-contract.ts";
import { temporaryDatabase } from "./open-temporary.ts";

journalHeadsContract("memory", async () => createMemoryJournalHeads());
journalHeadsContract("SQLite", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  t.after(() => database.close());
  return createSqliteJournalHeads(database);
});

test("heads are read without the store being opened for writing, also while it is in use", async (t) => {
  const path = await temporaryDatabase(t);
  assert.equal(readJournalHeads(path), undefined);
  const database = await openDatabase({ path, clock: systemClock });
  const head = { writer: "a", seq: 1, hash: "0".repeat(64), segment: 1, bytes: 300, at: 5 };
  await createSqliteJournalHeads(database).save(head);
  assert.deepEqual(readJournalHeads(path), [head]);
  await database.close();
  chmodSync(path, 0o400);
  assert.deepEqual(readJournalHeads(path), [head]);
  chmodSync(path, 0o600);
  writeFileSync(path, "not a database at all, but long enough to be looked at as one".repeat(20));
  assert.throws(() => readJournalHeads(path), { code: "STORE_DAMAGED" });
});
