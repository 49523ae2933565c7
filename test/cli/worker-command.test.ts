import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { until } from "../tasks/support/until.ts";
import { openTasksMachine, type TaskDocument } from "./tasks-machine.ts";

test("a worker without a shared store says what it needs [T4]", async (t) => {
  const machine = await openTasksMachine(t);
  const { code, stderr } = await machine.run(["worker"]);
  assert.equal(code, 2);
  assert.match(stderr, /needs a shared store: give --store postgres:/);
});

test("an address that is none is refused in one sentence [T4]", async (t) => {
  const machine = await openTasksMachine(t);
  const { code, stderr } = await machine.run(["tasks", "list", "--store", "mysql://x"]);
  assert.equal(code, 2);
  assert.match(stderr, /store\.url: expected an address that begins with postgres:\/\//);
});

describe("deckhand worker", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("what one machine orders another one runs, and its result and output come back [T4]", async (t) => {
    const store = ["--store", await server.createDatabase()];
    const [here, there] = [await openTasksMachine(t), await openTasksMachine(t)];
    const worker = there.start(["worker", "--json", "--machine", "there", ...store]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    await until(async () => worker.stdout().includes("worker:ready"), "the worker is ready");

    const started = await here.run(["tasks", "start", "shell", "echo from $PWD; echo ok", ...store]);
    assert.equal(started.code, 0, started.stderr);
    const followed = await here.run(["tasks", "follow", started.stdout.trim(), ...store]);
    assert.equal(followed.code, 0, followed.stderr);
    const shown = await here.run(["tasks", "show", started.stdout.trim(), "--json", ...store]);
    const task = JSON.parse(shown.stdout) as TaskDocument;
    assert.equal(task.state, "completed");
    assert.match(task.result ?? "", /^from .*\nok$/);

    worker.child.kill("SIGTERM");
    const { code } = await worker.ended;
    assert.equal(code, 143);
    const events = worker
      .stdout()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    assert.deepEqual(events, ["worker:ready", "task:started", "task:settled"]);
  });
});
