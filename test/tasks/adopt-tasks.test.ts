import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { isFinalTask, type Task, type TaskStore } from "../../src/core/task.ts";
import { toWire } from "../../src/core/wire.ts";
import { identify } from "../../src/process/stop/process-identity-check.ts";
import { openProcessTable } from "../../src/process/stop/process-table.ts";
import { createMemoryTaskStore } from "../../src/records/memory/memory-task-store.ts";
import { usualTaskLimits } from "../../src/tasks/manager/task-parts.ts";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { commandsWith } from "../process/support.ts";
import { countEnds, runManager, startedIn, type Manager, type ManagerPlan } from "./support/killed-managers.ts";
import { openTaskStore, openTasks } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 180_000;
const door = "mcp" as const;

/** A manager in another process that runs one task, and its row once the agent has printed something. */
async function startElsewhere(
  t: TestContext,
  message: string,
  more: Partial<ManagerPlan> = {},
): Promise<{ folder: string; store: TaskStore; manager: Manager; task: Task }> {
  const folder = await temporaryFolder(t);
  const manager = runManager(t, folder, { messages: [message], ...more });
  await until(() => manager.lines.includes("ready"), "the manager is ready");
  const store = await openTaskStore(t, folder);
  const id = manager.lines.find((line) => line.startsWith("started"))!.split(" ")[1]!;
  const printed = join(folder, "tasks", id, "run-1", "stdout");
  await until(() => sizeOf(printed) > 0, "the agent prints");
  await until(async () => (await store.get(id))?.process, "its process is known");
  return { folder, store, manager, task: (await store.get(id))! };
}

function sizeOf(path: string): number {
  try {
    return readFileSync(path).length;
  } catch {
    return 0;
  }
}

/** A killed process, such as the sleep of the guard, may not have died yet when the next manager looks; that one keeps watching. */
async function untilLost(store: TaskStore, id: string): Promise<Task> {
  await until(async () => isFinalTask((await store.get(id))!.state), "it counts as lost");
  return (await store.get(id))!;
}

const waits = (folder: string): string => `until [ -e ${folder}/go ]; do sleep 0.02; done`;
const patient = `echo session s-1; echo text before; ${waits('"$PWD"')}; echo text " and after"; echo ok`;

test("a manager restarted in the middle of a task brings its true result [T6]", async (t) => {
  const { folder, manager, task } = await startElsewhere(t, patient);
  await manager.killHard();
  const next = await openTasks(t, {}, folder);
  await next.manager.adopt();
  const adopted = (await next.manager.get(task.id))!;
  assert.deepEqual([adopted.state, adopted.owner], ["running", next.processes.identity]);
  writeFileSync(join(folder, "go"), "");
  const end = await next.manager.wait(task.id, longMs);
  assert.deepEqual([end.state, end.result, end.sessionId, end.attempt], ["completed", "before and after", "s-1", 1]);
  assert.equal(next.events.filter(({ type }) => type === "task:settled").length, 1);
});

test("a task that ended while no manager lived has its true result [T6]", async (t) => {
  const { folder, manager, task } = await startElsewhere(t, patient);
  await manager.killHard();
  writeFileSync(join(folder, "go"), "");
  await until(() => commandsWith(task.folder).length === 0, "the agent has ended");
  const next = await openTasks(t, {}, folder);
  await next.manager.adopt();
  // The last of its processes may still be on its way out, without a command line any more.
  const end = await next.manager.wait(task.id, longMs);
  assert.deepEqual([end.state, end.result], ["completed", "before and after"]);
});

test("the limit of a task is kept while no manager lives, and the next one says so [T6]", async (t) => {
  const message = `trap "" TERM; setsid sleep 600 & echo up; while :; do sleep 1; done`;
  const { folder, manager, task } = await startElsewhere(t, message, { timeoutMs: 2000 });
  await manager.killHard();
  await until(() => commandsWith(task.folder).length === 0, "its time is over");
  const next = await openTasks(t, {}, folder);
  const run = join(task.folder, "run-1");
  assert.deepEqual((await next.processes.detached.stop(run, 0)).killed, []);
  await next.manager.adopt();
  // The last of its processes may still be on its way out, without a command line any more.
  const end = await next.manager.wait(task.id, longMs);
  assert.deepEqual([end.state, end.error], ["timeout", "Stopped after its time limit of 2 s."]);
});

test("an agent whose shim was killed is watched on, and what it says counts [T6]", async (t) => {
  const { folder, task, store } = await startElsewhere(t, patient);
  process.kill(task.process!.pid, "SIGKILL");
  writeFileSync(join(folder, "go"), "");
  await until(async () => isFinalTask((await store.get(task.id))!.state), "it has ended");
  const end = (await store.get(task.id))!;
  assert.deepEqual([end.state, end.result], ["completed", "before and after"]);
  assert.deepEqual(commandsWith(task.folder), []);
});

/** Longer than any test: whoever waits for it does not get on. */
const endlessGrace = { limits: { ...usualTaskLimits, graceMs: 3_600_000 } };
const limit = { timeout: 150_000 };

test(
  "a task whose shim was killed does not keep the next manager waiting: nobody needs its guard [T6]",
  limit,
  async (t) => {
    const { folder, task, manager } = await startElsewhere(t, patient);
    process.kill(task.process!.pid, "SIGKILL");
    await manager.killHard();
    writeFileSync(join(folder, "go"), "");
    const agent = join(task.folder, "run-1/script");
    await until(() => !commandsWith(agent).some((row) => !row.includes("deckhand-task")), "the agent has ended");
    assert.notDeepEqual(commandsWith(task.folder), [], "its guard lives");
    const next = await openTasks(t, endlessGrace, folder);
    await next.manager.adopt();
    const end = await next.manager.wait(task.id, longMs);
    assert.deepEqual([end.state, commandsWith(task.folder)], ["completed", []]);
  },
);

test("what has to be stopped does not keep whoever asks waiting, and is running until it is [T6]", limit, async (t) => {
  const stubborn = `(trap "" TERM; echo $$; echo up >&2; until [ -e ${"$PWD"}/end ]; do sleep 0.05; done) & echo text done; echo ok`;
  const { folder, task, manager } = await startElsewhere(t, `${stubborn}; ${waits('"$PWD"')}`);
  await manager.killHard();
  writeFileSync(join(folder, "go"), "");
  await until(() => sizeOf(join(task.folder, "run-1/exit.json")) > 0, "the agent has ended, what it started has not");
  const next = await openTasks(t, endlessGrace, folder);
  await next.manager.adopt();
  assert.equal((await next.manager.get(task.id))?.state, "running");
  writeFileSync(join(folder, "end"), "");
  const end = await next.manager.wait(task.id, longMs);
  assert.deepEqual([end.state, end.result], ["completed", "done"]);
});

test("a task whose processes all vanish is lost, with its output and its session [T6]", async (t) => {
  const { folder, task, manager, store } = await startElsewhere(t, patient);
  await manager.killHard();
  process.kill(-task.process!.pid, "SIGKILL");
  await until(() => commandsWith(task.folder).length === 0, "all are gone");
  const next = await openTasks(t, {}, folder);
  await next.manager.adopt();
  const end = await untilLost(store, task.id);
  assert.deepEqual([end.state, end.result, end.sessionId], ["lost", null, "s-1"]);
  assert.equal(
    end.error,
    "Lost: the process is gone, and how it ended is unknown. Its output is kept. If it has a session, you can resume it.",
  );
  assert.equal((await next.manager.output(task.id, {})).answer, "before");
  writeFileSync(join(folder, "go"), "");
  const resumed = await next.manager.resume(task.id, 'echo "text $SESSION"; echo ok', door);
  assert.equal((await next.manager.wait(resumed.id, longMs)).result, "s-1");
});

test("a lost task is started again only if twice is the same as once [T6]", async (t) => {
  const { manager, store, folder } = await openTasks(t);
  const message = `echo x >>${folder}/runs; if [ -e ${folder}/go ]; then echo text second; echo ok; else echo up; sleep 600; fi`;
  const { id } = await manager.start({ agent: "said", message, isIdempotent: true, door });
  await until(() => sizeOf(join(folder, "runs")) > 0, "it runs");
  await until(async () => (await store.get(id))?.process, "its process is known");
  writeFileSync(join(folder, "go"), "");
  process.kill(-(await store.get(id))!.process!.pid, "SIGKILL");
  const end = await manager.wait(id, longMs);
  assert.deepEqual([end.state, end.result, end.attempt], ["completed", "second", 2]);
  assert.equal(readFileSync(join(folder, "runs"), "utf8"), "x\nx\n");
});

test("a process that has the pid of a lost task by now is left alone [T6]", async (t) => {
  const { folder, task, manager, store } = await startElsewhere(t, patient);
  await manager.killHard();
  process.kill(-task.process!.pid, "SIGKILL");
  await until(() => commandsWith(task.folder).length === 0, "all are gone");
  const stranger = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  afterTest(t, async () => void stranger.kill("SIGKILL"));
  const facts = JSON.parse(readFileSync(join(task.folder, "run-1/meta.json"), "utf8")) as object;
  writeFileSync(join(task.folder, "run-1/meta.json"), JSON.stringify({ ...facts, pid: stranger.pid }));
  const next = await openTasks(t, {}, folder);
  await next.manager.adopt();
  assert.equal((await untilLost(store, task.id)).state, "lost");
  assert.deepEqual([stranger.exitCode, stranger.signalCode], [null, null]);
});

test("after a restart of the machine a task is lost, and whoever has its pid and start time now is left alone [T6]", async (t) => {
  const { folder, task, manager, store } = await startElsewhere(t, patient);
  await manager.killHard();
  process.kill(-task.process!.pid, "SIGKILL");
  await until(() => commandsWith(task.folder).length === 0, "all are gone");
  const stranger = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  afterTest(t, async () => void stranger.kill("SIGKILL"));
  const now = identify(openProcessTable(process.platform), stranger.pid!)!;
  const before = { ...now, bootId: "00000000-0000-4000-8000-000000000000/4026531836" };
  writeFileSync(join(task.folder, "run-1/meta.json"), JSON.stringify(toWire(before)));
  const set = { owner: before, process: { ...before, sessionPid: before.pid } };
  assert.ok(await store.update(task.id, { from: ["running"], set }));
  const next = await openTasks(t, {}, folder);
  assert.deepEqual([next.processes.isAlive(now), next.processes.isAlive(before)], [true, false]);
  await next.manager.adopt();
  const end = await untilLost(store, task.id);
  assert.deepEqual([end.state, end.sessionId], ["lost", "s-1"]);
  assert.equal((await next.manager.output(task.id, {})).answer, "before");
  assert.deepEqual([stranger.exitCode, stranger.signalCode], [null, null]);
  assert.equal(next.processes.isAlive(now), true);
});

test("what a killed manager kept only in memory is ended by the next one, not what others keep [T4]", async (t) => {
  const { folder, task, manager } = await startElsewhere(t, "echo up; sleep 600");
  const owner = join(task.folder, "owner.json");
  const run = join(task.folder, "run-1");
  writeFileSync(owner, JSON.stringify(task.owner));
  const next = await openTasks(t, { store: createMemoryTaskStore() }, folder);
  await next.manager.adopt();
  assert.equal(next.processes.detached.look(run).state, "running", "its owner lives");
  await manager.killHard();
  await next.manager.adopt();
  assert.deepEqual(commandsWith(task.folder), []);
  assert.equal(sizeOf(owner), 0);
});

test("a folder without a row goes when it is old, and never while something runs in it [T5]", async (t) => {
  const { folder, task, manager, store } = await startElsewhere(t, "echo up; sleep 600");
  await manager.killHard();
  await store.close();
  rmSync(join(folder, "deckhand.db"));
  const next = await openTasks(t, { limits: { ...usualTaskLimits, ttlMs: -1 } }, folder);
  await next.manager.adopt();
  assert.equal(next.processes.detached.look(join(task.folder, "run-1")).state, "running");
  await next.processes.detached.stop(join(task.folder, "run-1"), 0);
  await next.manager.adopt();
  assert.equal(sizeOf(join(task.folder, "run-1/stdout")), 0);
});

test("kill -9 of the manager at every step loses no task, and runs and ends each one once [T6]", async (t) => {
  const folder = await temporaryFolder(t);
  const endsOf = await countEnds(t, folder);
  const wanted = count({ quick: 12, full: 200 });
  const lines: string[] = [];
  let number = 0;
  let rounds = 0;
  // Each step has its turn, in an order that reaches late ones early.
  for (let crashAfter = 8; startedIn(lines).length < wanted; crashAfter = ((crashAfter + 12) % 41) + 1, rounds++) {
    const messages = [1, 2, 3, 4].map(() => {
      number += 1;
      return `echo x >>${folder}/runs-${number}; sleep 0.${number % 5}; echo text "result ${number}"; echo ok`;
    });
    const manager = runManager(t, folder, { messages, crashAfter });
    // One that took fewer steps than that is killed when it has nothing more to start.
    await until(() => manager.lines.includes("ready") || manager.child.signalCode !== null, "it is ready, or killed");
    await manager.killHard();
    lines.push(...manager.lines);
  }
  const last = await openTasks(t, {}, folder);
  const kept = await last.store.list({ limit: 1000 });
  await last.manager.adopt();
  const ends = await Promise.all(kept.map(({ id }) => last.manager.wait(id, longMs)));
  for (const { id, order, state, result, error } of ends) {
    const [, runs, expected] = /(runs-\d+).*text "(result \d+)"/.exec(order.message)!;
    assert.deepEqual([state, result, error], ["completed", expected, null]);
    assert.equal(readFileSync(join(folder, runs!), "utf8"), "x\n", `${runs}: it ran once`);
    assert.equal(endsOf(id), 1, "one completion");
    const told = last.events.filter(({ type, payload }) => type === "task:settled" && Object(payload).id === id);
    assert.ok(lines.filter((line) => line === `settled ${id}`).length + told.length <= 1, "told once");
  }
  const ids = new Set(kept.map(({ id }) => id));
  assert.deepEqual(
    startedIn(lines).filter((id) => !ids.has(id)),
    [],
    "what was promised is kept",
  );
  t.diagnostic(`${kept.length} tasks, ${rounds} managers killed`);
  assert.deepEqual(commandsWith(join(folder, "tasks")), []);
});

test("kill -9 of shims, agents, whole groups and the manager: each task has its true end [T6]", async (t) => {
  for (let round = 0; round < count({ quick: 2, full: 50 }); round++) {
    const folder = await temporaryFolder(t);
    const messages = ["shim", "agent", "group", "none"].map(
      (victim) => `echo up ${victim}; ${waits(folder)}; echo text "${victim}"; echo ok`,
    );
    const endsOf = await countEnds(t, folder);
    const manager = runManager(t, folder, { messages });
    const store = await openTaskStore(t, folder);
    await until(async () => (await store.list({ limit: 9, states: ["running"] })).length === 4, "all run");
    const tasks = (await store.list({ limit: 9 })).toReversed();
    await until(() => tasks.every((task) => sizeOf(join(task.folder, "run-1/stdout")) > 0), "all print");
    const pids = tasks.map((task) => Number(readFacts(task)["pid"]));
    const agent = commandsWith(join(tasks[1]!.folder, "run-1/script")).find((row) => !row.includes("deckhand-task"))!;
    const kills = [
      () => manager.killHard(),
      async () => void process.kill(pids[0]!, "SIGKILL"),
      async () => void process.kill(Number(/\d+/.exec(agent)![0]), "SIGKILL"),
      async () => void process.kill(-pids[2]!, "SIGKILL"),
    ];
    // The manager goes first, then second, then third, then last.
    const others = kills.splice(1);
    others.splice(round % 4, 0, kills[0]!);
    for (const kill of others) await kill();
    const next = await openTasks(t, {}, folder);
    await next.manager.adopt();
    writeFileSync(join(folder, "go"), "");
    const ends = await Promise.all(tasks.map(({ id }) => next.manager.wait(id, longMs)));
    assert.deepEqual(
      ends.map(({ state, result }) => [state, result]),
      [
        ["completed", "shim"],
        ["failed", null],
        ["lost", null],
        ["completed", "none"],
      ],
    );
    assert.match(ends[1]!.error!, /SIGKILL/);
    assert.deepEqual(commandsWith(join(folder, "tasks")), []);
    assert.deepEqual(
      tasks.map(({ id }) => endsOf(id)),
      [1, 1, 1, 1],
    );
  }
});

function readFacts(task: Task): Record<string, unknown> {
  return JSON.parse(readFileSync(join(task.folder, "run-1/meta.json"), "utf8")) as Record<string, unknown>;
}
