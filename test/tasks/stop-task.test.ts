import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { isFinalTask, type Task } from "../../src/core/task.ts";
import { opencodeAdapter } from "../../src/tasks/adapters/opencode-agent.ts";
import { usualTaskLimits, type TaskManagerOptions } from "../../src/tasks/manager/task-parts.ts";
import { commandsWith } from "../process/support.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openTasks, type TaskRoom } from "./support/open-tasks.ts";
import { until } from "./support/until.ts";

const longMs = 120_000;
const door = "cli" as const;

/** Starts it and waits until it has printed its first line. */
async function startUp({ manager }: TaskRoom, message: string, more: object = {}): Promise<string> {
  const { id } = await manager.start({ agent: "said", message, door, ...more });
  await until(async () => (await manager.output(id, {})).totalBytes > 0, "the first line");
  return id;
}

const shapes = {
  "a tree": "sleep 600 & echo up; sleep 600",
  "one that ignores SIGTERM": `trap "" TERM; echo up; while :; do sleep 1; done`,
  "a grandchild in its own session": `sh -c 'setsid sh -c "trap \\"\\" TERM; echo up; sleep 600" &'; sleep 600`,
  "a launcher whose child lives on": `sh -c 'trap "" TERM; echo up; while :; do sleep 1; done' & trap "exit 0" TERM; wait`,
};

for (const [shape, message] of Object.entries(shapes)) {
  test(`cancelling ${shape} ends all of it, and proves it [T7]`, async (t) => {
    const room = await openTasks(t);
    const id = await startUp(room, `${message} # ${room.folder}`);
    const end = await room.manager.cancel(id, "changed my mind");
    assert.deepEqual(
      [end.state, end.error, end.cancelReason, end.stopProof],
      ["cancelled", "Cancelled: changed my mind", "changed my mind", "marker"],
    );
    assert.deepEqual(commandsWith(join(room.folder, "tasks", id)), []);
    const left = await room.processes.detached.stop(join(room.folder, "tasks", id, "run-1"), 0);
    assert.deepEqual(left, { proof: "marker", killed: [], survivors: [] });
    assert.equal(room.events.filter(({ type }) => type === "task:settled").length, 1);
    assert.deepEqual(await room.manager.cancel(id, "again"), end);
  });
}

test("a task that waits for its turn is cancelled without ever running [T7]", async (t) => {
  const room = await openTasks(t, { limits: { ...usualTaskLimits, graceMs: 100, perAgent: { said: 1 } } });
  const first = await startUp(room, "echo up; sleep 600");
  const second = await room.manager.start({ agent: "said", message: `touch ${room.folder}/ran`, door });
  const end = await room.manager.cancel(second.id, "no need");
  assert.deepEqual([end.state, end.error, end.startedAt], ["cancelled", "Cancelled: no need", null]);
  await room.manager.cancel(first, "");
  assert.equal((await room.manager.get(first))!.error, "Cancelled: no reason given.");
  assert.equal(existsSync(join(room.folder, "ran")), false);
});

test("a cancel reaches the process that watches the task [T7]", async (t) => {
  const room = await openTasks(t);
  const other = await openTasks(t, {}, room.folder);
  const id = await startUp(room, "echo up; sleep 600");
  const end = await other.manager.cancel(id, "from elsewhere");
  assert.deepEqual([end.state, end.error], ["cancelled", "Cancelled: from elsewhere"]);
  assert.equal(room.events.filter(({ type }) => type === "task:settled").length, 1);
  assert.equal(other.events.filter(({ type }) => type === "task:settled").length, 0);
});

test("what a closed manager left running is cancelled by whoever is asked to [T7]", async (t) => {
  const room = await openTasks(t);
  const id = await startUp(room, "echo up; sleep 600");
  await room.manager.close();
  assert.deepEqual([(await room.store.get(id))!.state, (await room.store.get(id))!.owner], ["running", null]);
  const other = await openTasks(t, {}, room.folder);
  assert.equal((await other.manager.cancel(id, "late")).state, "cancelled");
});

test("a task that takes longer than it may is stopped and says so [T8]", async (t) => {
  const room = await openTasks(t);
  const { id } = await room.manager.start({
    agent: "said",
    message: "echo text half; sleep 600",
    timeoutMs: 700,
    door,
  });
  const end = await room.manager.wait(id, longMs);
  assert.deepEqual(
    [end.state, end.error, end.stopProof],
    ["timeout", "Stopped after its time limit of 700 ms.", "marker"],
  );
  assert.equal((await room.manager.output(id, {})).answer, "half");
});

test("an agent that answered but does not leave has completed, and is ended [T8]", async (t) => {
  const room = await openTasks(t);
  const message = `trap "" TERM; echo text done; echo ok; while :; do sleep 1; done # ${room.folder}`;
  const { id } = await room.manager.start({ agent: "said", message, door });
  const end = await room.manager.wait(id, longMs);
  assert.deepEqual([end.state, end.result, end.stopProof], ["completed", "done", "marker"]);
  assert.deepEqual(commandsWith(join(room.folder, "tasks", id)), []);
});

/** An opencode that answers and then stays. */
async function stayingOpencode(t: TestContext): Promise<Pick<TaskManagerOptions, "adapters" | "environment">> {
  const bin = await temporaryFolder(t);
  const events = fileURLToPath(new URL("../fixtures/agents/opencode-success.jsonl", import.meta.url));
  const script = `#!/bin/sh\ntrap "" TERM\ncat ${events}\nwhile :; do sleep 1; done\n`;
  writeFileSync(join(bin, "opencode"), script, { mode: 0o700 });
  return {
    adapters: new Map([["opencode", opencodeAdapter]]),
    environment: { PATH: `${bin}:${process.env["PATH"]}` },
  };
}

const answered = ["completed", "The word is heron.", null, "marker"];
const untilTomorrow = { agent: "opencode", message: "Which word?", timeoutMs: 86_400_000, door } as const;

test("opencode, which never says that it is done, has completed when it stopped and does not leave [T8]", async (t) => {
  const room = await openTasks(t, await stayingOpencode(t));
  const { id } = await room.manager.start(untilTomorrow);
  const end = await room.manager.wait(id, longMs);
  assert.deepEqual([end.state, end.result, end.error, end.stopProof], answered);
  assert.deepEqual(commandsWith(join(room.folder, "tasks", id)), []);
});

test("an agent that has answered gets its time to leave, and is stopped only after that [T8]", async (t) => {
  const clock = createManualClock(Date.now());
  const limits = { ...usualTaskLimits, graceMs: 300, lingerMs: 60_000 };
  const { manager, store, folder } = await openTasks(t, { clock, limits });
  const message = `echo text done; echo ok; until [ -e ${folder}/leave ]; do sleep 0.05; done; echo left >${folder}/left`;
  const { id } = await manager.start({ agent: "said", message, timeoutMs: 86_400_000, door });
  const row = async (): Promise<Task> => (await store.get(id))!;
  const looks = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) {
      clock.advance(200);
      await row();
    }
  };
  await until(async () => {
    clock.advance(200);
    return (await manager.output(id, {})).answer === "done";
  }, "its answer is read");
  // Four seconds in turns, a fraction of what it has.
  await looks();
  assert.equal((await row()).state, "running");
  writeFileSync(join(folder, "leave"), "");
  await until(async () => {
    clock.advance(1);
    return isFinalTask((await row()).state);
  }, "its end");
  assert.deepEqual([(await row()).state, (await row()).result], ["completed", "done"]);
  assert.ok(existsSync(join(folder, "left")), "it left by itself");
});

test("an agent that had answered when its time was over has completed [T8]", async (t) => {
  const clock = createManualClock(Date.now());
  const limits = { ...usualTaskLimits, graceMs: 300, lingerMs: Number.POSITIVE_INFINITY };
  const { manager, store } = await openTasks(t, { ...(await stayingOpencode(t)), clock, limits });
  const { id } = await manager.start(untilTomorrow);
  const turned = (condition: (task: Task) => unknown): Promise<void> =>
    until(async () => {
      clock.advance(200);
      return condition((await store.get(id))!);
    }, "the turn that brings it");
  await turned(({ progress }) => progress === "The word is heron.");
  clock.advance(86_400_000);
  await turned(({ completedAt }) => completedAt);
  const end = (await store.get(id))!;
  assert.deepEqual([end.state, end.result, end.error, end.stopProof], answered);
});

test("what an agent leaves behind ends with its task [T8]", async (t) => {
  const room = await openTasks(t);
  const message = `setsid sleep 600 & echo text x; echo ok`;
  const { id } = await room.manager.start({ agent: "said", message, door });
  assert.equal((await room.manager.wait(id, longMs)).state, "completed");
  const left = await room.processes.detached.stop(join(room.folder, "tasks", id, "run-1"), 0);
  assert.deepEqual(left.killed, []);
});

test("an agent that prints without end is stopped [T8]", async (t) => {
  const limits = { ...usualTaskLimits, graceMs: 300, maxOutputBytes: 10_000_000 };
  const { manager, folder } = await openTasks(t, { limits });
  // On either stream: both are files on this disk.
  for (const redirection of ["", " >&2"]) {
    const message = `echo first; yes ${"x".repeat(1000)}${redirection}`;
    const { id } = await manager.start({ agent: "plain", message, door });
    const end = await manager.wait(id, longMs);
    assert.equal(end.state, "failed");
    assert.match(
      end.error!,
      /^Stopped because it printed more than 10,000,000 bytes \(limits\.max_task_output_bytes\)\. The last [\d,]+ bytes were cut\.$/,
    );
    const sizes = ["stdout", "stderr"].map((name) => statSync(join(folder, "tasks", id, "run-1", name)).size);
    assert.equal(sizes[0]! + sizes[1]!, 10_000_000);
    assert.match((await manager.output(id, {})).text, /^first\n/);
  }
});
