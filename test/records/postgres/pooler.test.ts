import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { createInbox } from "../../../src/permissions/approvals/approval-inbox.ts";
import { openSharedRecords } from "../../../src/records/postgres/open-shared-records.ts";
import { openPostgresConnection } from "../../../src/records/postgres/postgres-connection.ts";
import { openPostgresTaskStore } from "../../../src/records/postgres/tasks/postgres-task-store.ts";
import { makeTask } from "../../contract/make-task.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";
import { openStrictPooler } from "../../support/strict-pooler.ts";
import { until } from "../../tasks/support/until.ts";

describe("a pooler before PostgreSQL", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("a statement that another connection has planned is sent whole [T4]", async (t) => {
    const connection = openPostgresConnection(await server.createDatabase());
    afterTest(t, () => connection.close());
    const ask = (): Promise<unknown> => connection.query("SELECT $1::int AS one", [1], "one");
    assert.deepEqual(await ask(), [{ one: 1 }]);
    await connection.query("DEALLOCATE ALL");
    assert.deepEqual(await ask(), [{ one: 1 }]);
    await connection.query("DEALLOCATE ALL");
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
  });

  test("one that takes no limits and brings no news is used all the same [T4] [L7]", async (t) => {
    const local = await server.createDatabase();
    const pooler = await openStrictPooler(server.folder);
    afterTest(t, () => pooler.close());
    const address = pooler.addressOf(local);
    const owner = { pid: process.pid, startTime: "1", bootId: "boot" };
    const here = { clock: systemClock, identity: owner, isAliveHere: () => true, scope: "app" };
    const records = await openSharedRecords({ ...here, address });
    afterTest(t, () => records.close());
    const other = await openSharedRecords({ ...here, address: local });
    afterTest(t, () => other.close());
    const inbox = createInbox({
      store: records.inbox,
      clock: systemClock,
      owner,
      isAlive: () => true,
      mask: (value) => value,
    });
    afterTest(t, async () => inbox.close());
    const asked = inbox.ask({ text: "Which one?" }, { executionId: "call_1", signal: new AbortController().signal });
    await until(async () => (await other.inbox.list({ limit: 1 })).length === 1, "the question");
    const [entry] = await other.inbox.list({ limit: 1 });
    const answer = { answered: true, text: "This." } as const;
    await other.inbox.settle(entry!.id, { state: "answered", who: "kim", answer, scope: null, reason: null }, 7);
    assert.deepEqual(await asked, answer);

    const worker = { machineId: "one", identity: owner, folder: "/project" };
    const store = await openPostgresTaskStore({ scope: "app", address, clock: systemClock, worker });
    afterTest(t, () => store.close());
    const { id } = await store.add(makeTask());
    assert.equal((await store.takeNext("claude", { limit: 1, owner, now: 1 }))?.id, id);
  });
});
