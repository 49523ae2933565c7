import { after, before, describe, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { openSharedRecords, type SharedRecords } from "../../../src/records/postgres/open-shared-records.ts";
import { inboxStoreContract } from "../../contract/inbox-store-contract.ts";
import { scheduleStoreContract } from "../../contract/schedule-store-contract.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";

const identity = { pid: process.pid, startTime: "1", bootId: "boot" };

describe("jobs, runs and the inbox on PostgreSQL", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  let address: string;
  before(async () => {
    server = await openPostgres();
    address = await server.createDatabase();
  });
  after(() => server.close());

  async function open(t: TestContext): Promise<SharedRecords> {
    const here = { clock: systemClock, identity, isAliveHere: () => true };
    const records = await openSharedRecords({ ...here, address, scope: "/home/ann/app" });
    afterTest(t, async () => {
      await records.close();
      await server.query(address, "TRUNCATE deckhand.jobs, deckhand.runs, deckhand.inbox, deckhand.owners");
    });
    return records;
  }

  scheduleStoreContract("postgres", async (t) => (await open(t)).schedule);
  inboxStoreContract("postgres", async (t) => (await open(t)).inbox);
});
