import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { messageOf } from "../../../src/core/errors.ts";
import {
  openPostgresTaskStore,
  type PostgresTaskStore,
} from "../../../src/records/postgres/tasks/postgres-task-store.ts";
import { makeTask } from "../../contract/make-task.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";

async function open(t: TestContext, address: string): Promise<PostgresTaskStore> {
  const store = await openPostgresTaskStore({ scope: "app", address, clock: systemClock, worker: null });
  afterTest(t, () => store.close());
  return store;
}

describe("a PostgreSQL database", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("several that open an empty one at once all can use it [T4]", async (t) => {
    const address = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(t, address)));
    await Promise.all(stores.map((store) => store.add(makeTask())));
    assert.equal(await stores[0]!.count({ states: ["queued"] }), 4);
    const versions = await server.query(address, "SELECT version FROM deckhand.schema_version");
    assert.deepEqual(versions, [{ version: 12 }]);
  });

  test("one of a newer version is refused and left as it is [T4]", async (t) => {
    const address = await server.createDatabase();
    await (await open(t, address)).close();
    await server.query(address, "UPDATE deckhand.schema_version SET version = 99");
    await assert.rejects(open(t, address), {
      code: "STORE_NEWER",
      message:
        /^The store postgres:\/\/deckhand@.*test_\d+ was written by a newer Deckhand \(its version is 99, this one knows 12\): update Deckhand on this machine\.$/,
    });
    assert.deepEqual(await server.query(address, "SELECT version FROM deckhand.schema_version"), [{ version: 99 }]);
  });

  test("one that is damaged, missing, forbidden or read-only says so, without any password [T4]", async (t) => {
    const address = await server.createDatabase();
    const secret = (user: string, database: string): string =>
      address.replace("deckhand@", `${user}:sesame@`).replace(/test_\d+/, database);
    const name = /test_\d+/.exec(address)![0];
    const refused = async (given: string, code: string, words: RegExp): Promise<void> => {
      await assert.rejects(open(t, given), (thrown: unknown) => {
        assert.equal((thrown as { code?: unknown }).code, code);
        assert.match(messageOf(thrown), words);
        assert.doesNotMatch(messageOf(thrown), /sesame/);
        return true;
      });
    };
    await refused(
      secret("deckhand", "nowhere"),
      "STORE_UNAVAILABLE",
      /is missing: database "nowhere" does not exist\. Create the database/,
    );
    await refused(
      secret("nobody", name),
      "STORE_UNAVAILABLE",
      /does not let us in: role "nobody" does not exist\. Correct the user/,
    );
    await refused(
      "postgres://u:sesame@127.0.0.1:1/x",
      "STORE_UNAVAILABLE",
      /^The store postgres:\/\/u@127\.0\.0\.1:1\/x can't be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. What runs goes on/,
    );
    await refused("mysql://u:sesame@h/x", "CONFIG_INVALID", /^The store must be the address of a PostgreSQL database/);
    await server.query(address, "CREATE ROLE guest LOGIN");
    await refused(
      secret("guest", name),
      "STORE_READ_ONLY",
      /may not do that \(permission denied for database test_\d+\)/,
    );
    const store = await open(t, address);
    await refused(
      secret("guest", name),
      "STORE_READ_ONLY",
      /may not do that \(permission denied for schema deckhand\): .* or the rights of the user who made deckhand/,
    );
    await server.query(address, "DROP TABLE deckhand.tasks");
    await assert.rejects(store.get("task_1"), { code: "STORE_DAMAGED" });
    await store.close();
    await assert.rejects(store.get("task_1"), { code: "STORE_CLOSED" });
    await server.query(address, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await server.query(address, "BEGIN READ WRITE; DROP SCHEMA deckhand CASCADE; COMMIT");
    await refused(address, "STORE_READ_ONLY", /can't be written \(cannot execute .* in a read-only transaction\)/);
  });
});
