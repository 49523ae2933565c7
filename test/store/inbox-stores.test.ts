import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createMemoryInbox } from "../../src/store/memory-inbox.ts";
import { createSqliteInbox } from "../../src/store/sqlite-inbox.ts";
import { inboxStoreContract } from "../contract/inbox-store-contract.ts";
import { temporaryFolder } from "../support/temporary.ts";

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
