import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isFinalTask, type Task, type TaskStore } from "../../src/core/task.ts";
import type { Detached } from "../../src/process/detached/detached.ts";
import type { TaskRequest } from "../../src/tasks/manager/task-request.ts";
import { createMemoryTaskStore } from "../../src/records/memory/memory-task-store.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { openTasks } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 120_000;
const door = "mcp" as const;

test("a task is taken on at once and completes with what its agent said [T1]", async (t) => {
  const { manager, events } = await openTasks(t);
  const message = "echo session s-1; echo progress thinking; echo text hello; echo ok";
  const task = await manager.start({ agent: "said", message, door });
  assert.match(task.id, /^task_[0-9a-f-]{36}$/);
  assert.equal(task.state, "queued");
  const end = await manager.wait(task.id, longMs);
  assert.deepEqual(
    [end.state, end.result, end.error, end.sessionId, end.progress, end.stopProof, end.attempt],
    ["completed", "hello", null, "s-1", "thinking", "marker", 1],
  );
  assert.deepEqual(
    events.map(({ type }) => type).filter((type) => type !== "task:progressed"),
    ["task:created", "task:started", "task:settled"],
  );
  assert.deepEqual(events.at(-1)!.payload, { id: task.id, agent: "said", state: "completed", error: null });
});

test("whoever waits for a task has its end only after the event that reports it [T1]", async (t) => {
  const { store, folder } = await openTasks(t);
  const { promise: seen, resolve: noteSeen } = Promise.withResolvers<void>();
  const slow: TaskStore = {
    ...store,
    async get(id) {
      const task = await store.get(id);
      if (task && isFinalTask(task.state)) noteSeen();
      return task;
    },
    // The row has its end, and the manager hears of that only after somebody else has read it, and has had time to say so.
    async update(id, change) {
      const task = await store.update(id, change);
      if (task && isFinalTask(task.state)) await seen.then(() => new Promise(setImmediate));
      return task;
    },
  };
  const { manager, events } = await openTasks(t, { store: slow }, folder);
  const { id } = await manager.start({ agent: "said", message: "echo ok", door });
  assert.equal((await manager.wait(id, longMs)).state, "completed");
  assert.equal(events.filter(({ type }) => type === "task:settled").length, 1);
});

test("success is what the agent says, whatever its exit code is [T8]", async (t) => {
  const { manager } = await openTasks(t);
  const run = async (message: string): Promise<unknown[]> => {
    const { id } = await manager.start({ agent: "said", message, door });
    const { state, result, error } = await manager.wait(id, longMs);
    return [state, result, error];
  };
  assert.deepEqual(await run("echo text yes; echo ok; exit 1"), ["completed", "yes", null]);
  assert.deepEqual(await run("echo failed no model; exit 0"), ["failed", null, "no model"]);
  assert.deepEqual(await run("echo oops >&2; exit 0"), ["failed", null, "It ended without an answer (0): oops"]);
  assert.deepEqual(await run("kill -KILL $$"), ["failed", null, "It ended without an answer (SIGKILL): "]);
  assert.deepEqual(await run("printf 'text half'; printf '\\nok'"), ["completed", "half", null]);
});

test("an agent gets its message, its standard input, the variables it needs and no others [T8]", async (t) => {
  const { manager, folder } = await openTasks(t);
  mkdirSync(join(folder, "sub"));
  const message = `cat; echo "$1|$2|$AGENT_KEY|$SECRET|$HOME|$DECKHAND_EXECUTION"; pwd`;
  const args = ["-x", "a\nb"];
  const { id } = await manager.start({ agent: "plain", message, systemPrompt: "-sys\n", args, cwd: "sub", door });
  const { result, sessionId } = await manager.wait(id, longMs);
  assert.equal(result, `-sys\n-x|a\nb|key|||${id}\n${join(folder, "sub")}`);
  assert.match(sessionId!, /^[0-9a-f-]{36}$/);
});

test("the row is there before the process, as running and with its owner [T6]", async (t) => {
  const { manager, store, processes, folder } = await openTasks(t);
  await manager.close();
  const { detached, identity } = processes;
  const rows: (Task | undefined)[] = [];
  const start: Detached["start"] = async (request) => {
    rows.push(await store.get(request.executionId));
    return detached.start(request);
  };
  const next = await openTasks(t, { store, detached: { ...detached, start } }, folder);
  const { id } = await next.manager.start({ agent: "said", message: "echo ok", door });
  assert.equal((await next.manager.wait(id, longMs)).state, "completed");
  assert.deepEqual(
    rows.map((row) => [row?.id, row?.state, row?.owner, row?.process]),
    [[id, "running", identity, null]],
  );
});

const lostLaunches = [
  ["said", null],
  ["plain", null],
  ["said", "enough"],
] as const;

for (const [agent, cancelReason] of lostLaunches) {
  test(`a task that was lost while it was about to be started is neither started nor settled (${agent}, ${cancelReason}) [T6]`, async (t) => {
    const { store, processes, folder } = await openTasks(t);
    const { detached, identity } = processes;
    const other = { ...identity, startTime: "another" };
    let starts = 0;
    const start: Detached["start"] = (request) => ((starts += 1), detached.start(request));
    const takeNext: TaskStore["takeNext"] = async (name, order) => {
      const taken = await store.takeNext(name, order);
      if (taken) await store.update(taken.id, { from: ["running"], set: { owner: other } });
      return taken && { ...taken, cancelReason };
    };
    const more = { store: { ...store, takeNext }, detached: { ...detached, start }, isAlive: () => true };
    const slow = await openTasks(t, more, folder);
    const { id } = await slow.manager.start({ agent, message: "echo ok", door });
    await slow.manager.close();
    const task = await store.get(id);
    assert.deepEqual([starts, task?.state, task?.owner], [0, "running", other]);
    await store.update(id, { from: ["running"], set: { state: "cancelled", completedAt: 1 } });
  });
}

const bad: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
  ["an unknown agent", { agent: "clod" }, /^Unknown agent "clod"\..* Available: said, plain, missing\.$/],
  ["an agent that is no text", { agent: 7 }, /^Invalid value 7 for agent: expected a string\.$/],
  [
    "an agent that is not installed",
    { agent: "missing" },
    /^The agent "missing" is not installed: .*npm install -g missing$/,
  ],
  ["an empty message", { message: " \n" }, /^The message is empty/],
  ["a message that is no text", { message: ["x"] }, /^Invalid value \["x"\] for message: expected a string\.$/],
  [
    "a message of 17 MB",
    { message: "x".repeat(17 * 1024 * 1024) },
    /^Message too large: 17825792 bytes \(maximum 16777216\)\./,
  ],
  ["args that are no list", { args: "--flag" }, /^Invalid args "--flag": expected a list of strings, /],
  ["args that are no texts", { args: [1] }, /^Invalid args \[1\]: expected a list of strings, /],
  ["an argument with a NUL", { args: ["a\0b"] }, /NUL byte/],
  ["a timeout of 0", { timeoutMs: 0 }, /^Invalid timeout 0 s: expected more than 0 s and at most 24 hours\.$/],
  ["a negative timeout", { timeoutMs: -5 }, /^Invalid timeout -0\.005 s:/],
  ["a timeout that is a text", { timeoutMs: "10" }, /^Invalid timeout "10":/],
  ["a timeout that is no number", { timeoutMs: Number.NaN }, /^Invalid timeout NaN s:/],
  ["a timeout over a day", { timeoutMs: 86_400_001 }, /^Invalid timeout 86400\.001 s:/],
  [
    "a folder that is not there",
    { cwd: "nowhere" },
    /^The working directory ".*nowhere" does not exist\. Create it, or choose another one\.$/,
  ],
  ["a folder that is a file", { cwd: "file" }, /^The working directory ".*file" is not a directory\.$/],
  ["a folder with a NUL", { cwd: "a\0b" }, /^Invalid working directory "a\\u0000b": it contains a NUL character\.$/],
  [
    "a folder whose name is too long",
    { cwd: "x".repeat(5000) },
    /^Can't use the working directory ".{80}…" \(ENAMETOOLONG\)\. Choose another one\.$/,
  ],
  ["a model the agent does not have", { model: "unknown" }, /^There is no such model\.$/],
  [
    "an empty idempotency key",
    { idempotencyKey: "" },
    /^Invalid idempotency key: expected 1 to 500 characters, got 0\.$/,
  ],
  [
    "a bypass that the settings do not allow",
    { bypassesPermissions: true },
    /^"said" may not bypass its permission checks\./,
  ],
  [
    "a bypass that is a text",
    { bypassesPermissions: "yes" },
    /^Invalid value "yes" for permission bypass: expected true or false\.$/,
  ],
];

test("bad orders get one sentence and leave nothing behind [T1]", async (t) => {
  const { manager, folder, store } = await openTasks(t);
  writeFileSync(join(folder, "file"), "");
  for (const [what, given, message] of bad) {
    const request = { agent: "said", message: "echo ok", door, ...given } as TaskRequest;
    await assert.rejects(manager.start(request), { code: "TASK_INVALID", message }, what);
  }
  assert.equal(await store.count({}), 0);
});

test("what the settings allow may run without permission checks [T8]", async (t) => {
  const { manager } = await openTasks(t, { mayBypass: (agent) => agent === "said" });
  const task = await manager.start({ agent: "said", message: "echo ok", bypassesPermissions: true, door });
  assert.equal(task.order.bypassesPermissions, true);
  await assert.rejects(manager.start({ agent: "plain", message: "x", bypassesPermissions: true, door }), {
    code: "TASK_INVALID",
  });
});

test("two orders with one idempotency key are one task [T7]", async (t) => {
  const { manager, folder } = await openTasks(t);
  const request = { agent: "said", message: `echo x >>${folder}/runs; echo ok`, idempotencyKey: "k", door };
  const [one, two] = await Promise.all([manager.start(request), manager.start(request)]);
  assert.equal(one.id, two.id);
  await manager.wait(one.id, longMs);
  assert.equal((await manager.start(request)).id, one.id);
  const { totalBytes } = await manager.output(one.id, {});
  assert.equal(totalBytes, 3);
});

test("the key of one job is not taken for another one, which would never be done [T7]", async (t) => {
  const { manager } = await openTasks(t);
  const request = { agent: "said", message: "echo text one; echo ok", idempotencyKey: "k", door };
  const { id } = await manager.start(request);
  const told = (what: string): { code: string; message: RegExp } => ({
    code: "TASK_INVALID",
    message: new RegExp(
      `^The idempotency key "k" belongs to ${id} \\(\\w+\\), which has ${what}\\. Use another key for a different task\\.$`,
    ),
  });
  await assert.rejects(manager.start({ ...request, message: "echo text two; echo ok" }), told("a different message"));
  await assert.rejects(
    manager.start({ ...request, args: ["--x"], cwd: ".." }),
    told("a different working directory and a different argument list"),
  );
  // The same job, with more time for it.
  assert.equal((await manager.start({ ...request, timeoutMs: 90_000, isIdempotent: true })).id, id);
  // The key of a run is its own, whatever its job says by now.
  assert.equal((await manager.start({ ...request, message: "echo other", door: "schedule" })).id, id);
  assert.equal(await manager.count({}), 1);
});

test("the reason of a cancel is kept as one sentence, however long it is [T7]", async (t) => {
  const { manager } = await openTasks(t);
  const { id } = await manager.start({ agent: "said", message: "while :; do sleep 0.1; done", door });
  const { state, error } = await manager.cancel(id, `two\nlines \u001b[31mred\u0000 ${"x".repeat(5000)}`);
  assert.deepEqual([state, error], ["cancelled", `Cancelled: two lines red ${"x".repeat(486)}…`]);
});

test("once a task has ended, what it was ordered keeps no secret: in the store, and where its stdin lay [T7 D4]", async (t) => {
  const { manager } = await openTasks(t);
  const order = { agent: "said", message: "echo text done; echo ok # hunter2", idempotencyKey: "one", door } as const;
  const { id, folder: place } = await manager.start(order);
  await until(async () => (await manager.get(id))?.state === "completed", "its end");
  assert.equal((await manager.get(id))!.order.message, "echo text done; echo ok # [masked]");
  assert.doesNotMatch(await readFile(join(place, "run-1", "stdin"), "utf8").catch(() => ""), /hunter2/);
  // The same order again is still the same.
  assert.equal((await manager.start(order)).id, id);
  await assert.rejects(manager.start({ ...order, message: "echo other" }), { code: "TASK_INVALID" });
});

test("while it runs, a task shows what it printed, its progress, its session and its answer so far [T7]", async (t) => {
  const { manager, folder } = await openTasks(t);
  const message = `echo session s-9; echo progress "key is hunter2"; echo text half; echo oops hunter2 >&2
    until [ -e ${folder}/go ]; do sleep 0.02; done; echo text " whole"; echo ok`;
  const { id } = await manager.start({ agent: "said", message, door });
  await until(async () => (await manager.get(id))?.sessionId === "s-9", "its session");
  await until(async () => (await manager.output(id, {})).answer === "half", "its answer");
  const running = (await manager.get(id))!;
  assert.equal(running.state, "running");
  assert.equal(running.progress, "key is [masked]");
  assert.equal(running.process!.sessionPid, running.process!.pid);
  assert.ok(running.activeAt! >= running.startedAt!);
  const printed = "session s-9\nprogress key is [masked]\ntext half\n";
  const raw = printed.replace("[masked]", "hunter2").length;
  assert.deepEqual(await manager.output(id, {}), {
    text: printed,
    from: 0,
    next: raw,
    totalBytes: raw,
    errorText: "oops [masked]\n",
    answer: "half",
  });
  assert.equal((await manager.output(id, { from: 12, limit: 30 })).text, "progress key is [masked]\n");
  assert.equal((await manager.output(id, { from: -10 })).text, "text half\n");
  assert.equal((await manager.output(id, { from: 1e9 })).text, "");
  assert.equal((await manager.wait(id, 1)).state, "running");
  writeFileSync(join(folder, "go"), "");
  assert.equal((await manager.wait(id, longMs)).result, "half whole");
});

test("a process that does not watch a task reads its answer from the output all the same [T7]", async (t) => {
  const one = await openTasks(t);
  const other = await openTasks(t, {}, one.folder);
  const { id } = await one.manager.start({ agent: "said", message: "echo text so far; sleep 60", door });
  await until(async () => (await other.manager.output(id, {})).answer === "so far", "its answer");
  // Whoever reads piece after piece would read all of it once more for each.
  const { text, answer } = await other.manager.output(id, { wantsAnswer: false });
  assert.deepEqual([text, answer], ["text so far\n", ""]);
});

test("a task that has ended is kept for its time, counted from its end, and goes with its folder [T5]", async (t) => {
  const clock = createManualClock(Date.now());
  const { manager, store, folder } = await openTasks(t, { clock });
  const { id } = await manager.start({ agent: "said", message: "echo ok", idempotencyKey: "k", door });
  const running = await manager.start({ agent: "said", message: "sleep 300", timeoutMs: 86_400_000, door });
  await untilTurned(clock, async () => (await store.get(id))?.state === "completed");
  await untilTurned(clock, async () => (await store.get(running.id))?.process);
  clock.advance((await store.get(id))!.completedAt! + 3_600_000 - clock.now());
  assert.equal((await manager.get(id))?.state, "completed");
  clock.advance(1);
  assert.equal(await manager.get(id), undefined);
  assert.deepEqual(
    (await manager.list({ limit: 9 })).map((task) => task.id),
    [running.id],
  );
  await assert.rejects(manager.output(id, {}), { code: "TASK_UNKNOWN" });
  const again = await manager.start({ agent: "said", message: "echo ok", idempotencyKey: "k", door });
  assert.notEqual(again.id, id, "its key can be used again");
  await manager.expire();
  assert.equal(await store.get(id), undefined);
  await until(() => !existsSync(join(folder, "tasks", id)), "whoever forgot it removes its folder");
  assert.equal(existsSync(join(folder, "tasks", running.id)), true);
});

test("unknown ids are told so [T2]", async (t) => {
  const { manager } = await openTasks(t);
  const id = "task_00000000-0000-7000-8000-000000000000";
  const unknown = { code: "TASK_UNKNOWN", message: `No task with id "${id}"; it may have expired.` };
  assert.equal(await manager.get(id), undefined);
  await assert.rejects(manager.wait(id, 10), unknown);
  await assert.rejects(manager.cancel(id, "x"), unknown);
  await assert.rejects(manager.output(id, {}), unknown);
  await assert.rejects(manager.resume(id, "x", door), unknown);
  await assert.rejects(
    manager.get("../../etc/passwd").then((task) => task ?? Promise.reject(new Error("none"))),
    {
      message: "none",
    },
  );
});

test("a task that has ended is resumed in its session [T8]", async (t) => {
  const { manager } = await openTasks(t);
  const first = await manager.start({ agent: "said", message: "echo session s-1; echo failed no", args: ["a"], door });
  await assert.rejects(manager.resume(first.id, "x", door), { code: "TASK_INVALID", message: /is still / });
  await manager.wait(first.id, longMs);
  const second = await manager.resume(first.id, 'echo "text $SESSION $1"; echo ok', "cli");
  assert.equal((await manager.wait(second.id, longMs)).result, "s-1 a");
  assert.deepEqual([second.order.resume, second.door], ["s-1", "cli"]);

  const silent = await manager.start({ agent: "said", message: "echo ok", door });
  await manager.wait(silent.id, longMs);
  await assert.rejects(manager.resume(silent.id, "x", door), { code: "TASK_INVALID", message: /has no session/ });
  const plain = await manager.start({ agent: "plain", message: "true", door });
  await manager.wait(plain.id, longMs);
  await assert.rejects(manager.resume(plain.id, "x", door), { code: "TASK_INVALID", message: /can't resume sessions/ });
});

test("what is kept in memory ends with the process that keeps it [T4]", async (t) => {
  const { manager, folder, processes } = await openTasks(t, { store: createMemoryTaskStore() });
  const { id } = await manager.start({ agent: "said", message: "sleep 300", door });
  await until(async () => (await manager.get(id))?.process, "it runs");
  await manager.close();
  assert.equal((await manager.get(id))!.state, "cancelled");
  const run = join(folder, "tasks", id, "run-1");
  assert.deepEqual(await processes.detached.stop(run, 0), { proof: "marker", killed: [], survivors: [] });
  await assert.rejects(manager.start({ agent: "said", message: "x", door }), { code: "RUNTIME_CLOSED" });
});

async function untilTurned(clock: { advance(ms: number): void }, condition: () => Promise<unknown>): Promise<void> {
  await until(async () => {
    clock.advance(200);
    return condition();
  }, "the turn that brings it");
}
