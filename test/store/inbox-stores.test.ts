import { join } from "node:path";
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
