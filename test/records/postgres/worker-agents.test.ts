import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import {
  openPostgresTaskStore,
  type PostgresTaskStore,
} from "../../../src/records/postgres/tasks/postgres-task-store.ts";
import { makeTask } from "../../contract/make-task.ts";
import { afterTest } from "../../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";

const identity = { pid: process.pid, startTime: "1", bootId: "boot" };
const folder = "/project/.deckhand/tasks";
const take = { limit: 2, owner: identity, now: 50 };
const lackOfPi =
  'No worker has the agent "pi" (available: claude, my agent). Install it on a worker\'s machine and restart that worker, or start another worker.';

describe("the agents of workers", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  let address: string;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  async function open(
    t: TestContext,
    machineId: string | null,
    agents?: readonly string[],
  ): Promise<PostgresTaskStore> {
    const worker = machineId === null ? null : { machineId, identity, folder, ...(agents && { agents }) };
    const store = await openPostgresTaskStore({ scope: "app", address, clock: systemClock, worker });
    afterTest(t, () => store.close());
    return store;
  }

  test("an agent that no worker has is told from one that somebody has, and from when there is nobody [T2] [T4]", async (t) => {
    address = await server.createDatabase();
    const { shared } = await open(t, null);
    assert.equal(await shared.explainLack("pi"), undefined);
    const first = await open(t, "one", ["my agent", "claude"]);
    assert.equal(await shared.explainLack("claude"), undefined);
    assert.equal(await shared.explainLack("pi"), lackOfPi);
    const second = await open(t, "two", ["pi"]);
    assert.equal(await shared.explainLack("pi"), undefined);
    await second.close();
    assert.equal(await shared.explainLack("pi"), lackOfPi);
    await server.query(address, "UPDATE deckhand.workers SET seen_at = now() - interval '61 seconds'");
    assert.equal(await shared.explainLack("pi"), undefined);
    await first.close();
    // One of an earlier version does not say what it has.
    await open(t, "three");
    assert.equal(await shared.explainLack("pi"), undefined);
  });

  test("whoever asks hears which agents the workers that live have [T8]", async (t) => {
    address = await server.createDatabase();
    const { shared } = await open(t, null);
    assert.deepEqual(await shared.listAgents(), { names: [], isWhole: true });
    await open(t, "one", []);
    assert.deepEqual(await shared.listAgents(), { names: [], isWhole: true });
    await open(t, "two", ["my agent", "claude"]);
    await open(t, "three", ["claude"]);
    assert.deepEqual(await shared.listAgents(), { names: ["claude", "my agent"], isWhole: true });
    // One of an earlier version does not say what it has.
    const silent = await open(t, "four");
    assert.deepEqual(await shared.listAgents(), { names: ["claude", "my agent"], isWhole: false });
    await silent.close();
    await server.query(address, "UPDATE deckhand.workers SET seen_at = now() - interval '61 seconds'");
    assert.deepEqual(await shared.listAgents(), { names: [], isWhole: true });
  });

  test("a task that nobody can take says what it waits for [T4]", async (t) => {
    address = await server.createDatabase();
    const asking = await open(t, null);
    const { shared } = asking;
    const [mine, other] = [makeTask(), makeTask({}, { agent: "pi" })];
    for (const task of [mine, other]) await asking.add(task);
    const waits = async (): Promise<unknown> => Object.fromEntries(await shared.explainWaits([mine, other]));
    assert.deepEqual(await waits(), { [mine.id]: "waiting for a worker", [other.id]: "waiting for a worker" });
    const worker = await open(t, "one", ["claude"]);
    assert.deepEqual(await waits(), { [other.id]: 'waiting for a worker that has "pi"' });
    await worker.takeNext("claude", take);
    await worker.update(mine.id, { from: ["running"], set: { state: "completed", sessionId: "s", completedAt: 60 } });
    await worker.close();
    const resumed = makeTask({}, { resume: "s" });
    await asking.add(resumed);
    await open(t, "two", ["claude", "pi"]);
    assert.deepEqual(Object.fromEntries(await shared.explainWaits([resumed, other])), {
      [resumed.id]: 'waiting for a worker that has "claude" on the machine "one"',
    });
    assert.deepEqual(await shared.explainWaits([]), new Map());
  });
});
