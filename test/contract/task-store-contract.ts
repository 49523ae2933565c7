import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { ProcessIdentity } from "../../src/core/process.ts";
import type { TaskStore } from "../../src/core/task.ts";
import { makeTask } from "./make-task.ts";

const me: ProcessIdentity = { pid: 4711, startTime: "1", bootId: "b" };
const other: ProcessIdentity = { pid: 4711, startTime: "2", bootId: "b" };
const take = { limit: 1, owner: me, now: 50 };

/** Every promise of `TaskStore`, for each implementation. */
export function taskStoreContract(name: string, open: (t: TestContext) => Promise<TaskStore>): void {
  describe(`task store: ${name}`, () => {
    test("a task comes back as it was added, whatever its texts are [T4]", async (t) => {
      const store = await open(t);
      const texts = {
        agent: "my-agent",
        message: '-x\n"quoted" \u{1f600} \\ \ud800 __proto__',
        systemPrompt: "",
        args: ["--a_b", "", "c\td"],
        cwd: "/wörk dir",
        resume: "ses-1",
        idempotencyKey: "key\u0000\ud800",
        isIdempotent: true,
        model: "m",
      };
      const task = makeTask(
        {
          state: "running",
          startedAt: 5,
          activeAt: 6,
          sessionId: "s",
          progress: "reads",
          process: { ...me, sessionPid: 4711 },
          owner: me,
        },
        texts,
      );
      assert.deepEqual(await store.add(task), task);
      assert.deepEqual(await store.get(task.id), task);
      assert.equal(await store.get("task_unknown"), undefined);
      assert.deepEqual(await store.list({ limit: 5, agent: "my-agent" }), [task]);
    });

    test("a message of ten megabytes is kept whole [T4]", async (t) => {
      const store = await open(t);
      const task = makeTask({}, { message: "ä\n".repeat(3_500_000) });
      await store.add(task);
      await store.update(task.id, { from: ["queued"], set: { progress: "p" } });
      assert.deepEqual(await store.get(task.id), { ...task, progress: "p" });
    });

    test("the newest come first, by state and agent, page by page [T4]", async (t) => {
      const store = await open(t);
      const tasks = [
        makeTask(),
        makeTask({ state: "running", owner: me }),
        makeTask({}, { agent: "pi" }),
        makeTask({ state: "failed", completedAt: 9, error: "No." }),
      ];
      for (const task of tasks) await store.add(task);
      const places = async (query: Parameters<TaskStore["list"]>[0]): Promise<number[]> =>
        (await store.list(query)).map(({ id }) => tasks.findIndex((task) => task.id === id));
      assert.deepEqual((await store.queuedAgents()).sort(), ["claude", "pi"]);
      assert.deepEqual(await places({ limit: 2 }), [3, 2]);
      assert.deepEqual(await places({ limit: 9, beforeId: tasks[2]!.id }), [1, 0]);
      assert.deepEqual(await places({ limit: 9, states: ["queued", "running"] }), [2, 1, 0]);
      assert.deepEqual(await places({ limit: 9, states: ["queued"], agent: "claude" }), [0]);
      assert.equal(await store.count({}), 4);
      assert.equal(await store.count({ states: ["queued"] }), 2);
      assert.equal(await store.count({ states: ["queued"], agent: "pi" }), 1);
    });

    test("two orders with one idempotency key are one task, also at the same time [T7]", async (t) => {
      const store = await open(t);
      const orders = [1, 2, 3].map(() => makeTask({}, { idempotencyKey: "once" }));
      const added = await Promise.all(orders.map((task) => store.add(task)));
      assert.equal(new Set(added.map(({ id }) => id)).size, 1);
      assert.equal(await store.count({}), 1);
      const unlike = makeTask({}, { idempotencyKey: "twice" });
      assert.equal((await store.add(unlike)).id, unlike.id);
      await store.add(makeTask());
      await store.add(makeTask());
      assert.equal(await store.count({}), 4);
    });

    test("a change happens only to what is still as expected [T4]", async (t) => {
      const store = await open(t);
      const task = makeTask({ state: "running", owner: me });
      await store.add(task);
      const set = { progress: "p", activeAt: 7 };
      assert.equal(await store.update(task.id, { from: ["queued"], set }), undefined);
      assert.equal(await store.update(task.id, { from: ["running"], owner: other, set }), undefined);
      assert.equal(await store.update(task.id, { from: ["running"], owner: null, set }), undefined);
      assert.equal(await store.update("task_unknown", { from: ["running"], set }), undefined);
      assert.deepEqual(await store.get(task.id), task);
      const changed = { ...task, ...set };
      assert.deepEqual(await store.update(task.id, { from: ["running"], owner: me, set }), changed);
      assert.deepEqual(await store.get(task.id), changed);
      const left = await store.update(task.id, { from: ["running"], set: { owner: null } });
      assert.equal(left?.owner, null);
      const taken = await store.update(task.id, { from: ["running"], owner: null, set: { owner: other } });
      assert.deepEqual(taken?.owner, other);
    });

    test("of several that settle a task at once one succeeds, and it is never changed again [T4]", async (t) => {
      const store = await open(t);
      const task = makeTask({ state: "running", owner: me });
      await store.add(task);
      const settle = (state: "completed" | "lost") =>
        store.update(task.id, { from: ["running", "completed", "lost"], set: { state, completedAt: 9 } });
      const settled = await Promise.all([settle("completed"), settle("lost"), settle("completed")]);
      assert.equal(settled.filter((each) => each !== undefined).length, 1);
      const final = await store.get(task.id);
      assert.equal(await settle("lost"), undefined);
      assert.equal(await store.requestCancel(task.id, "late"), false);
      assert.deepEqual(await store.get(task.id), final);
    });

    test("the oldest of an agent is next, and no more run than may [T7]", async (t) => {
      const store = await open(t);
      const [first, second, foreign] = [makeTask(), makeTask(), makeTask({}, { agent: "pi" })] as const;
      for (const task of [second, foreign, first]) await store.add(task);
      const taken = await store.takeNext("claude", take);
      assert.deepEqual(taken, { ...first, state: "running", owner: me, startedAt: 50 });
      assert.deepEqual(await store.get(first.id), taken);
      assert.equal(await store.takeNext("claude", take), undefined);
      assert.equal((await store.takeNext("pi", take))?.id, foreign.id);
      await store.update(first.id, { from: ["running"], set: { state: "completed", completedAt: 60 } });
      assert.equal((await store.takeNext("claude", take))?.id, second.id);
      assert.equal(await store.takeNext("claude", { ...take, limit: 9 }), undefined);
    });

    test("no two take the same task, nor more than may run [T7]", async (t) => {
      const store = await open(t);
      for (let number = 0; number < 20; number++) await store.add(makeTask());
      const taken = await Promise.all(
        Array.from({ length: 12 }, () => store.takeNext("claude", { ...take, limit: 5 })),
      );
      const ids = taken.flatMap((task) => task?.id ?? []);
      assert.equal(ids.length, 5);
      assert.equal(new Set(ids).size, 5);
      assert.equal(await store.count({ states: ["running"] }), 5);
    });

    test("the first reason to cancel stands, and others see that something changed [T7]", async (t) => {
      const store = await open(t);
      const task = makeTask({ state: "running", owner: me });
      await store.add(task);
      const before = await store.revision();
      assert.equal(await store.requestCancel(task.id, "first"), true);
      assert.notEqual(await store.revision(), before);
      assert.equal(await store.requestCancel(task.id, "second"), true);
      assert.deepEqual(await store.get(task.id), { ...task, cancelReason: "first" });
      assert.equal(await store.requestCancel("task_unknown", "x"), false);
    });

    test("only final tasks go, by the time they were completed, and their keys can be used again [T5]", async (t) => {
      const store = await open(t);
      const old = makeTask({ state: "completed", completedAt: 10, result: "r" }, { idempotencyKey: "k" });
      const fresh = makeTask({ state: "lost", completedAt: 20 });
      const running = makeTask({ state: "running", startedAt: 1, owner: me });
      for (const task of [old, fresh, running]) await store.add(task);
      assert.deepEqual(await store.prune(20), [old]);
      assert.deepEqual(await store.prune(20), []);
      assert.equal(await store.get(old.id), undefined);
      assert.deepEqual(
        (await store.list({ limit: 9 })).map(({ id }) => id),
        [running.id, fresh.id],
      );
      const again = makeTask({}, { idempotencyKey: "k" });
      assert.equal((await store.add(again)).id, again.id);
    });
  });
}
