import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createMemoryInbox } from "../../src/records/memory/memory-stores.ts";
import { createSqliteInbox } from "../../src/records/sqlite/sqlite-approvals.ts";
import { inboxStoreContract } from "../contract/inbox-store-contract.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { planOf, recording, type Asked } from "./recording-database.ts";

inboxStoreContract("memory", () => Promise.resolve(createMemoryInbox()));

inboxStoreContract("sqlite", async (t) => {
  const database = await openDatabase({ path: join(await temporaryFolder(t), "deckhand.db"), clock: systemClock });
  t.after(() => database.close());
  return createSqliteInbox(database);
});

test("an entry that an older version kept has no origin [L7]", async (t) => {
  const database = await openDatabase({ path: join(await temporaryFolder(t), "deckhand.db"), clock: systemClock });
  t.after(() => database.close());
  const body =
    '{"id":"ask_1","kind":"question","execution_id":"call_1","conversation_id":null,"question":{"text":"Which?"}}';
  await database.write((connection) =>
    connection.run("INSERT INTO inbox (id, state, created_at, body) VALUES ('ask_1', 'waiting', 1, ?)", body),
  );
  assert.equal((await createSqliteInbox(database).get("ask_1"))?.origin, null);
});

test("among many settled entries those that wait are found, counted and pruned along an index [D6]", async (t) => {
  const database = await openDatabase({ path: join(await temporaryFolder(t), "deckhand.db"), clock: systemClock });
  t.after(() => database.close());
  const insert = "INSERT INTO inbox (id, state, created_at, settled_at, body) VALUES (?, ?, 1, ?, '{}')";
  await database.write((connection) => {
    for (let number = 0; number < 3000; number++) {
      const isWaiting = number === 5;
      const id = `ask_${String(number).padStart(5, "0")}`;
      connection.run(insert, id, isWaiting ? "waiting" : "answered", isWaiting ? null : number);
    }
  });
  const asked: Asked[] = [];
  const inbox = createSqliteInbox(recording(database, asked));
  assert.equal((await inbox.list({ states: ["waiting"], limit: 1000 })).length, 1);
  assert.equal((await inbox.list({ states: ["waiting", "answered"], limit: 2, beforeId: "ask_00009" })).length, 2);
  assert.equal((await inbox.list({ limit: 2, beforeId: "ask_00009" })).length, 2);
  assert.equal(await inbox.countPrunable(100), 99);
  assert.deepEqual(
    asked.map(({ rows }) => rows),
    [1, 1, 2, 2, 1],
  );
  const ways = await Promise.all(asked.map((each) => planOf(database, each)));
  assert.deepEqual(ways, [
    ["SEARCH inbox USING INDEX inbox_by_state (state=? AND id<?)"],
    ["SEARCH inbox USING INDEX inbox_by_state (state=? AND id<?)"],
    ["SEARCH inbox USING INDEX inbox_by_state (state=? AND id<?)"],
    ["SEARCH inbox USING INDEX sqlite_autoindex_inbox_1 (id<?)"],
    ["SEARCH inbox USING COVERING INDEX inbox_by_settlement (settled_at<?)"],
  ]);
});
