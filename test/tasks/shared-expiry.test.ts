import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { openPostgresTaskStore } from "../../src/records/postgres/tasks/postgres-task-store.ts";
import { usualTaskLimits } from "../../src/tasks/manager/task-parts.ts";
import { makeTask } from "../contract/make-task.ts";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { openRuntime } from "../support/runtime.ts";
import { openMachines, patient } from "./support/machines.ts";
import { openDoor } from "./support/shared-tasks.ts";

const door = "mcp" as const;
const longMs = 120_000;
const ahead: Clock = { ...systemClock, now: () => Date.now() + 7_200_000 };
const ended = { state: "completed", completedAt: 60 } as const;

describe("the time for which a shared task is kept", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  const untilWhen = (address: string): Promise<unknown> =>
    server.query(
      address,
      "SELECT floor(extract(epoch FROM expires_at - now()) / 3600)::float8 AS hours FROM deckhand.tasks",
    );

  test("it is the database's, whatever clock and settings another machine has [T5]", async (t) => {
    const { manager, store, address, start } = await openMachines(t, server, patient);
    await start("a");
    const order = { agent: "said", message: "echo text x; echo ok", idempotencyKey: "k", door } as const;
    const { id } = await manager.start(order);
    assert.equal((await manager.wait(id, longMs)).state, "completed");
    const limits = { ...usualTaskLimits, ttlMs: 1 };
    const hasty = await openDoor(t, address, { times: patient, more: { clock: ahead, limits } });
    await hasty.manager.expire();
    assert.equal((await hasty.manager.get(id))?.result, "x");
    assert.deepEqual(
      (await hasty.manager.list({ limit: 9 })).map((task) => task.id),
      [id],
    );
    assert.equal((await hasty.manager.start(order)).id, id);
    assert.equal((await store.get(id))?.result, "x");

    await server.query(address, "UPDATE deckhand.tasks SET expires_at = now() - interval '1 second'");
    assert.equal(await manager.get(id), undefined);
    assert.deepEqual(await manager.list({ limit: 9 }), []);
    const again = await manager.start(order);
    assert.notEqual(again.id, id, "its key can be used again");
    assert.equal(await store.get(id), undefined);
  });

  test("it is what whoever ordered it wants, and begins with the end [T5]", async (t) => {
    const address = await server.createDatabase();
    const options = { address, clock: ahead, worker: null };
    const wants = await openPostgresTaskStore({ scope: "app", ...options, keepMs: 7.5 * 3_600_000 });
    const other = await openPostgresTaskStore({ scope: "app", ...options, keepMs: 1 });
    afterTest(t, () => Promise.all([wants.close(), other.close()]));
    const { id } = await wants.add(makeTask());
    assert.deepEqual(await untilWhen(address), [{ hours: null }]);
    await other.update(id, { from: ["queued"], set: ended });
    assert.deepEqual(await untilWhen(address), [{ hours: 7 }]);
    assert.deepEqual([await other.shared.pruneExpired(), [...(await other.shared.findExpired([id]))]], [[], []]);
    await server.query(address, "UPDATE deckhand.tasks SET expires_at = now() - interval '1 second'");
    assert.deepEqual([...(await other.shared.findExpired([id, "task_x"]))], [id]);
    assert.deepEqual(
      (await other.shared.pruneExpired()).map((task) => task.id),
      [id],
    );
  });

  test("what an older version has ended is kept as long from when that is noticed, and for ever is no error [T5]", async (t) => {
    const address = await server.createDatabase();
    const store = await openPostgresTaskStore({
      scope: "app",
      address,
      clock: systemClock,
      worker: null,
      keepMs: 1e300,
    });
    afterTest(t, () => store.close());
    const { id } = await store.add(makeTask());
    await store.update(id, { from: ["queued"], set: ended });
    await server.query(address, "UPDATE deckhand.tasks SET expires_at = NULL, keep_ms = 9000000");
    assert.deepEqual([...(await store.shared.findExpired([id]))], []);
    assert.deepEqual(await store.shared.pruneExpired(), []);
    assert.deepEqual(await untilWhen(address), [{ hours: 2 }]);
  });

  test("it comes from the settings of the runtime that orders [T5]", async (t) => {
    const url = await server.createDatabase();
    const agents = { shell: { command: ["sh", "-s"] as [string, ...string[]] } };
    const runtime = await openRuntime(t, { settings: { store: { url }, retention: { tasks_minutes: 450 }, agents } });
    const tasks = await runtime.tasks();
    const { id } = await tasks.start({ agent: "shell", message: "true", door });
    await tasks.cancel(id, "enough");
    assert.deepEqual(await untilWhen(url), [{ hours: 7 }]);
  });
});
