import { systemClock } from "../../src/core/clock.ts";
import { openDatabase } from "../../src/store/database.ts";
import { createMemoryScheduleStore } from "../../src/store/memory-schedule-store.ts";
import { createSqliteScheduleStore } from "../../src/store/sqlite-schedule-store.ts";
import { scheduleStoreContract } from "../contract/schedule-store-contract.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryDatabase } from "./open-temporary.ts";

scheduleStoreContract("memory", async () => createMemoryScheduleStore());
scheduleStoreContract("SQLite", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  afterTest(t, () => database.close());
  return createSqliteScheduleStore(database);
});
