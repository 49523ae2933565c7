import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { openScheduled, untilEnded } from "../schedule/schedule-bench.ts";
import { afterTest } from "../support/after-test.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { until } from "../tasks/support/until.ts";
import type { Machine, Started } from "./run-deckhand.ts";
import { listTasks, openTasksMachine } from "./tasks-machine.ts";

describe("projects that share a PostgreSQL database", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  /** A project with a worker of its own, and a file that the others must not see. */
  async function startWorker(t: TestContext, project: Machine): Promise<Started> {
    const worker = project.start(["worker", "--json"]);
    afterTest(t, async () => void worker.child.kill("SIGKILL"));
    await until(() => worker.stdout().includes("worker:ready"), "the worker is ready");
    return worker;
  }

  test("a task is run in its own project alone, and no other one sees, cancels, follows, resumes or reads it [T4]", async (t) => {
    const url = await server.createDatabase();
    const [one, other] = [await openTasksMachine(t, { store: { url } }), await openTasksMachine(t, { store: { url } })];
    await writeFile(join(other.workdir, "secret"), "secret of the other");
    const theirs = await startWorker(t, other);
    const started = await one.run(["tasks", "start", "shell", "cat secret; touch touched; pwd", "--key", "once"]);
    assert.equal(started.code, 0, started.stderr);
    const id = started.stdout.trim();
    // The other project orders under the same key, and its task is another one, which its worker runs to the end.
    const [same] = await Promise.all([
      other.run(["tasks", "start", "shell", "echo mine", "--key", "once", "--follow"]),
      until(async () => theirs.stdout().includes("task:settled"), "the other project's own task has ended"),
    ]);
    assert.deepEqual([same.code, same.stdout], [0, "mine\n"]);
    assert.deepEqual(
      (await listTasks(other)).map(({ order }) => order.message),
      ["echo mine"],
    );
    const refused = await Promise.all(
      [
        ["show", id],
        ["cancel", id],
        ["follow", id],
        ["resume", id, "more"],
      ].map((args) => other.run(["tasks", ...args])),
    );
    for (const { code, stderr, stdout } of refused) {
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /No task found for/);
    }
    assert.match(
      (await one.run(["tasks", "show", id])).stdout,
      /state +queued\n[^]*progress +waiting for a worker of the project ".*work"\n/,
    );
    const ours = await startWorker(t, one);
    const followed = await one.run(["tasks", "follow", id]);
    assert.equal(followed.stdout, `${one.workdir}\n`);
    assert.deepEqual(
      [existsSync(join(other.workdir, "touched")), existsSync(join(one.workdir, "touched"))],
      [false, true],
    );
    assert.ok(!theirs.stdout().includes(id), "the other project's worker reports the task");
    assert.ok(ours.stdout().includes(id));
  });

  test("the agent of a project's job works in that project alone [T4] [D1]", async (t) => {
    const url = await server.createDatabase();
    const other = await openTasksMachine(t, { store: { url } });
    const theirs = await startWorker(t, other);
    const agents = { shell: { command: ["sh", "-s"] as [string, ...string[]] } };
    const { schedule, runtime } = await openScheduled(t, { settings: { store: { url }, agents } });
    await schedule.add({ name: "where", every: "1d", agent: "shell", message: "pwd" }, { by: "kim" });
    await schedule.start();
    const { id } = await schedule.runNow("where", { by: "kim" });
    await until(async () => (await schedule.getRun(id))?.taskId, "the run has its task");
    const taskId = (await schedule.getRun(id))!.taskId!;
    // The other project's worker takes what waits, and this one is not among it.
    assert.equal((await other.run(["tasks", "start", "shell", "echo ok", "--follow"])).code, 0);
    const tasks = await runtime.tasks();
    assert.equal((await tasks.get(taskId))?.state, "queued");
    const worker = await runtime.openWorker({ machine: "ours" });
    afterTest(t, () => worker.stop());
    assert.equal(worker.scope, runtime.workdir);
    const run = await untilEnded(schedule, id);
    assert.deepEqual([run.state, run.summary?.trim()], ["succeeded", runtime.workdir]);
    assert.ok(!theirs.stdout().includes(taskId), "the other project's worker reports the task");
  });

  test("machines that give a project one name share its tasks, under the older name of the setting too [T4] [D1]", async (t) => {
    const url = await server.createDatabase();
    const here = await openTasksMachine(t, { store: { url, scope: "shop" } });
    const there = await openTasksMachine(t, { store: { url }, schedule: { scope: "shop" } });
    const worker = await startWorker(t, there);
    assert.partialDeepStrictEqual(JSON.parse(worker.stdout().split("\n")[0]!), { scope: "shop" });
    const ended = await here.run(["tasks", "start", "shell", "pwd", "--follow"]);
    assert.deepEqual([ended.code, ended.stdout], [0, `${there.workdir}\n`]);
  });
});
