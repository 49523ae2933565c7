import assert from "node:assert/strict";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { until } from "../tasks/support/until.ts";
import { openMachine, type Ended } from "./run-deckhand.ts";
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

/** One project on several machines. */
const shop = { store: { scope: "shop" } };

describe("deckhand worker", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("what one machine orders another one runs, and its result and output come back [T4]", async (t) => {
    const store = ["--store", await server.createDatabase()];
    const [here, there] = [await openTasksMachine(t, shop), await openTasksMachine(t, shop)];
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
    assert.equal(task.result, `from ${await realpath(there.workdir)}\nok`);

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

  test("an agent that only a worker has is listed, can be asked, and goes on with its session [T4] [T8]", async (t) => {
    const store = ["--store", await server.createDatabase()];
    const [here, there] = [await openMachine(t), await openTasksMachine(t, shop)];
    here.env["DECKHAND_STORE_SCOPE"] = shop.store.scope;
    const worker = there.start(["worker", "--json", ...store]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    await until(async () => worker.stdout().includes("worker:ready"), "the worker is ready");
    const [listed, shown, started, refused] = await Promise.all([
      here.run(["tasks", "agents", "--json", ...store]),
      here.run(["tasks", "agents", ...store]),
      here.run(["tasks", "start", "talker", "hello", "--follow", ...store]),
      here.run(["tasks", "start", "tolker", "hello", ...store]),
    ]);
    const agents = JSON.parse(listed.stdout) as { readonly name: string; readonly installed: boolean }[];
    const isInstalled = Object.fromEntries(agents.map(({ name, installed }) => [name, installed]));
    assert.deepEqual([isInstalled["talker"], isInstalled["deckhand"]], [true, true]);
    assert.match(shown.stdout, /^AGENT +ON A WORKER /);
    assert.match(started.stdout, /"result":"new hello"/);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Unknown agent "tolker"\. Did you mean "talker"\? Available: .*talker/);
    const resumed = await here.run(["tasks", "resume", "last", "again", "--follow", ...store]);
    assert.match(resumed.stdout, /"result":"--resume=s-1 again"/);
  });

  test("a task works in the workdir of its worker, or in a folder of that one's machine [T4] [T8]", async (t) => {
    const store = ["--store", await server.createDatabase()];
    const [here, there] = [await openTasksMachine(t, shop), await openTasksMachine(t, shop)];
    const theirs = await realpath(there.workdir);
    await mkdir(join(theirs, "sub"));
    const worker = there.start(["worker", "--json", ...store]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    await until(async () => worker.stdout().includes("worker:ready"), "the worker is ready");
    const run = (...cwd: readonly string[]): Promise<Ended> =>
      here.run(["tasks", "start", "shell", "pwd", "--follow", ...cwd, ...store]);
    const ends = await Promise.all([run(), run("--cwd", "sub"), run("--cwd", "/no/such")]);
    assert.deepEqual(
      ends.map(({ stdout }) => stdout),
      [`${theirs}\n`, `${join(theirs, "sub")}\n`, ""],
    );
    assert.match(ends[0].stderr, /^Following task_\S+ \(shell in the worker's workspace\)\.$/m);
    assert.match(
      ends[2].stderr,
      /The working directory "\/no\/such" does not exist on the worker\. Create it there, or omit it to use the worker's workspace\./,
    );
  });

  test("a worker that is started while its store is away waits for it, and ends when it is asked to [T4]", async (t) => {
    const store = ["--store", await server.createDatabase()];
    const [there, leaving, reading] = [await openTasksMachine(t), await openTasksMachine(t), await openTasksMachine(t)];
    let isAway = true;
    afterTest(t, async () => {
      if (isAway) await server.start();
    });
    await server.stop();
    const workers = [there.start(["worker", "--json", ...store]), leaving.start(["worker", "--json", ...store])];
    const [waits, leaves] = workers;
    for (const worker of workers) {
      afterTest(t, async () => void worker.child.kill("SIGKILL"));
      await until(() => worker.stdout().includes("worker:waiting"), "the worker waits");
    }
    leaves!.child.kill("SIGTERM");
    const { code, stdout, stderr } = await leaves!.ended;
    assert.deepEqual([code, stderr], [143, ""]);
    const [{ type, reason }] = [JSON.parse(stdout) as { readonly type: string; readonly reason: string }];
    assert.equal(type, "worker:waiting");
    assert.match(
      reason,
      /^The store postgres:\S+ can't be reached: .* start PostgreSQL again, or correct the address\.$/,
    );
    const readable = reading.start(["worker", ...store]);
    await until(() => readable.stderr().includes("Trying again until it answers"), "the worker says that it waits");
    readable.child.kill("SIGINT");
    assert.equal((await readable.ended).code, 130);
    await server.start();
    isAway = false;
    await until(() => waits!.stdout().includes("worker:ready"), "the worker is ready");
    waits!.child.kill("SIGTERM");
    assert.equal((await waits!.ended).code, 143);
  });

  test("a store that would never come back is no reason to wait [T4]", async (t) => {
    const machine = await openTasksMachine(t);
    const missing = (await server.createDatabase()).replace(/test_\d+/, "nowhere");
    const { code, stderr } = await machine.run(["worker", "--store", missing]);
    assert.equal(code, 1);
    assert.match(stderr, /^deckhand: The store \S+ is missing: /m);
  });

  test("the answer of a task is shown also when the machine that ran it is gone [T4] [T6]", async (t) => {
    const store = ["--store", await server.createDatabase()];
    const [here, there] = [await openTasksMachine(t, shop), await openTasksMachine(t, shop)];
    const worker = there.start(["worker", "--json", ...store]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    await until(async () => worker.stdout().includes("worker:ready"), "the worker is ready");
    const started = await here.run(["tasks", "start", "shell", "echo the answer", "--follow", ...store]);
    assert.equal(started.code, 0, started.stderr);
    worker.child.kill("SIGKILL");
    await worker.ended;
    const [followed, shown, asJson] = await Promise.all([
      here.run(["tasks", "follow", "last", ...store]),
      here.run(["tasks", "show", "last", ...store]),
      here.run(["tasks", "follow", "last", "--json", ...store]),
    ]);
    assert.deepEqual([followed.code, followed.stdout], [0, "the answer\n"]);
    assert.match(shown.stdout, /\n\nthe answer\n$/);
    for (const { stderr } of [followed, shown, asJson]) {
      assert.match(stderr, /^deckhand: warning: Can't read the output of task_\S+: The machine ".*", which ran task_/m);
    }
    assert.equal(asJson.code, 0);
    assert.partialDeepStrictEqual(JSON.parse(asJson.stdout), {
      type: "task:settled",
      task: { state: "completed", result: "the answer" },
    });
  });
});
