import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { commandsWith } from "../process/support.ts";
import { count } from "../support/counts.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../support/postgres.ts";
import { lane } from "../support/require.ts";
import { hasRun, openMachines, patient, runs, waiting } from "./support/machines.ts";
import { until } from "./support/until.ts";

const door = "mcp" as const;
const longMs = 120_000;
describe("tasks that several machines share", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  test("each of many tasks is done once, by one of several workers [T4]", async (t) => {
    const { manager, store, folder, start } = await openMachines(t, server, patient);
    const workers = await Promise.all(["a", "b", "c"].map(start));
    const message = (number: number): string =>
      `until [ -e ${folder}/go ]; do sleep 0.05; done; echo ${number} >>${folder}/done; echo text ${number}; echo ok`;
    const ordered = await Promise.all(
      Array.from({ length: count({ quick: 48, full: 200 }) }, (_, number) =>
        manager.start({ agent: "said", message: message(number), door }),
      ),
    );
    await until(async () => (await store.count({ states: ["running"] })) === 12, "four on each machine");
    writeFileSync(`${folder}/go`, "");
    await until(async () => (await store.count({ states: ["queued", "running"] })) === 0, "the end of all");
    const ended = await Promise.all(ordered.map(({ id }) => manager.get(id)));
    assert.deepEqual(
      ended.map((task) => [task?.state, task?.result]),
      ordered.map((_, number) => ["completed", String(number)]),
    );
    const done = readFileSync(`${folder}/done`, "utf8").trim().split("\n").map(Number);
    assert.deepEqual(
      done.sort((a, b) => a - b),
      ordered.map((_, number) => number),
    );
    await Promise.all(workers.map(({ stop }) => stop()));
    const settled = workers.map(({ count }) => count("task:settled"));
    assert.equal(settled[0]! + settled[1]! + settled[2]!, ordered.length);
    const errors = workers.flatMap(({ events }) => events.filter(({ type }) => type === "error"));
    assert.deepEqual(errors, []);
  });

  test("a cancel and a question reach the machine that runs the task [T7]", async (t) => {
    const { manager, folder, start } = await openMachines(t, server, patient);
    const worker = await start("a");
    const { id } = await manager.start({ agent: "said", message: "echo text hello hunter2; sleep 600", door });
    await until(async () => (await manager.output(id, {})).answer !== "", "its answer");
    const { text, answer } = await manager.output(id, {});
    assert.deepEqual([text, answer], ["text hello [masked]\n", "hello [masked]"]);
    const end = await manager.cancel(id, "from elsewhere");
    assert.deepEqual([end.state, end.error, end.stopProof], ["cancelled", "Cancelled: from elsewhere", "marker"]);
    assert.deepEqual(commandsWith(`${folder}/a/tasks/`), []);
    await worker.stop();
    assert.equal(worker.count("task:settled"), 1);
  });

  test("a session goes on where it began [T8]", async (t) => {
    const { manager, store, folder, start } = await openMachines(t, server, patient);
    const first = await start("a");
    const message = `echo session s-1; pwd >>${folder}/where; echo $0 >>${folder}/where; echo ok`;
    const { id } = await manager.start({ agent: "said", message, door });
    await manager.wait(id, longMs);
    await first.stop();
    await start("b");
    const resumed = await manager.resume(id, message, door);
    const free = await manager.start({ agent: "said", message: "echo ok", door });
    assert.equal((await manager.wait(free.id, longMs)).state, "completed");
    assert.equal((await store.get(resumed.id))!.state, "queued");
    await start("a");
    assert.equal((await manager.wait(resumed.id, longMs)).state, "completed");
    assert.equal((await store.get(resumed.id))!.folder, `${folder}/a/tasks/${resumed.id}`);
  });

  test("a store that is away for a while loses nothing, and those who need it are told [T4]", async (t) => {
    const { manager, store, folder, errors, start } = await openMachines(t, server, { ...patient, perAgent: 1 });
    const worker = await start("a");
    const first = await manager.start({ agent: "said", message: waiting(folder), door });
    const second = await manager.start({ agent: "said", message: "echo text after; echo ok", door });
    await until(() => hasRun(folder), "its run");
    await server.stop();
    writeFileSync(`${folder}/go`, "");
    await assert.rejects(manager.get(first.id), {
      code: "STORE_UNAVAILABLE",
      message:
        /^The store postgres:\/\/deckhand@.* can't be reached: .*\. What runs goes on; start PostgreSQL again, or correct the address\.$/,
    });
    await assert.rejects(manager.start({ agent: "said", message: "echo ok", door }), { code: "STORE_UNAVAILABLE" });
    const isTold = (): boolean => worker.events.some(({ type }) => type === "error");
    await until(isTold, "that the worker says so");
    await server.start();
    assert.deepEqual(
      [(await manager.wait(first.id, longMs)).result, (await manager.wait(second.id, longMs)).result],
      ["done", "after"],
    );
    assert.equal(runs(folder), 1);
    assert.equal(await store.count({}), 2);
    await worker.stop();
    assert.equal(worker.count("task:settled"), 2);
    for (const error of errors) assert.match(String(error), /can't be reached|is busy/);
  });
});
