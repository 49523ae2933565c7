import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { openTmux, tmuxLane } from "../support/tmux.ts";
import { countProcesses, uniqueSeconds } from "./processes-named.ts";
import { deckhand } from "./run-deckhand.ts";
import { listTasks, openTasksMachine, waitsForGo, type TaskDocument } from "./tasks-machine.ts";

const patienceMs = 60_000;
const onlyId = /^task_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/;

test("start gives the id and leaves; list, show and follow say how it goes on, from other processes [T1] [T6]", async (t) => {
  const machine = await openTasksMachine(t);
  assert.deepEqual(await machine.run(["tasks"]), { code: 0, signal: null, stdout: "", stderr: "No tasks found.\n" });
  const started = await machine.run(["tasks", "start", "shell", waitsForGo]);
  assert.equal(started.code, 0, started.stderr);
  assert.match(started.stdout, onlyId);
  const id = started.stdout.trim();
  assert.equal(
    started.stderr,
    `Started shell in ${machine.workdir}. To follow it: deckhand tasks follow ${id.slice(-8)}\n`,
  );

  const [listed] = await listTasks(machine, ["--running"]);
  assert.deepEqual([listed?.id, listed?.state, listed?.order.agent], [id, "running", "shell"]);
  const follower = machine.start(["tasks", "follow", id.slice(-8)]);
  await until("what it prints comes as it prints it", () => follower.stdout() === "one\n", patienceMs);
  await writeFile(join(machine.workdir, "go"), "");
  const followed = await follower.ended;
  assert.deepEqual([followed.code, followed.stdout], [0, "one\ntwo\n"]);
  assert.match(followed.stderr, new RegExp(`^${id} completed after .*\\.\\n$`));

  const shown = await machine.run(["tasks", "show", "last"]);
  assert.match(shown.stdout, new RegExp(`^${id}\n  state +completed \\(.*\\)\n  agent +shell\n  message +echo one;`));
  assert.match(shown.stdout, /\n\none\ntwo\n$/);
  const { output, ...task } = JSON.parse(
    (await machine.run(["tasks", "show", id, "--json"])).stdout,
  ) as TaskDocument & {
    output: object;
  };
  assert.deepEqual(output, { total_bytes: 8, answer: "one\ntwo", error_text: "" });
  assert.deepEqual([task.result, task.error], ["one\ntwo", null]);
  const table = await machine.run(["tasks"]);
  assert.match(table.stdout, /^ID +AGENT +STATE +AGE +ELAPSED +SUMMARY\ntask_\S+ +shell +completed .* echo one;/);
});

test("Ctrl-C ends the watching and not the task; cancel ends that, and proves it [T7]", async (t) => {
  const seconds = uniqueSeconds();
  const machine = await openTasksMachine(t);
  const { stdout } = await machine.run([
    "tasks",
    "start",
    "shell",
    `echo here; sleep ${seconds} & sleep ${seconds}`,
    "--quiet",
  ]);
  const id = stdout.trim();
  const follower = machine.start(["tasks", "follow", "last"]);
  await until("it follows", () => follower.stdout() === "here\n", patienceMs);
  follower.child.kill("SIGINT");
  const left = await follower.ended;
  assert.equal(left.code, 130);
  assert.match(left.stderr, new RegExp(`^Stopped following ${id}; the task is still running\\.$`, "m"));
  assert.match(left.stderr, new RegExp(`^To cancel it: deckhand tasks cancel ${id.slice(-8)}$`, "m"));
  assert.deepEqual(
    (await listTasks(machine, ["--state", "running"])).map((task) => task.id),
    [id],
  );

  assert.equal(countProcesses(seconds), 2);

  const cancelled = await machine.run(["tasks", "cancel", id.slice(-8), "--reason", "wrong branch"]);
  assert.equal(cancelled.code, 0, cancelled.stderr);
  assert.match(
    cancelled.stdout,
    new RegExp(`^${id} cancelled\\. (All its processes are gone: |No remaining process found \\()`),
  );
  assert.match(cancelled.stderr, new RegExp(`^Stopping ${id} \\(shell\\)…$`, "m"));
  const [task] = await listTasks(machine);
  assert.deepEqual([task?.state, task?.error], ["cancelled", "Cancelled: wrong branch"]);
  assert.equal(countProcesses(seconds), 0);

  const again = await machine.run(["tasks", "cancel", "last", "--json"]);
  assert.equal(again.code, 1);
  const [document] = JSON.parse(again.stdout) as { id: string; cancelled: boolean; task: TaskDocument }[];
  assert.deepEqual([document?.id, document?.cancelled, document?.task.state], [id, false, "cancelled"]);
  const followed = await machine.run(["tasks", "follow", "last"]);
  assert.equal(followed.code, 130);
  assert.match(
    followed.stderr,
    /was cancelled after .*\nCancelled: wrong branch\n(All its processes are gone|No remaining process found)/,
  );
});

test("follow ends with the code of the task: 1 failed, 124 time limit [T2]", async (t) => {
  const machine = await openTasksMachine(t);
  const failed = await machine.run(["tasks", "start", "shell", "echo half; echo why >&2; exit 3", "--follow"]);
  assert.deepEqual([failed.code, failed.stdout], [1, "half\n"]);
  assert.match(failed.stderr, /^task_\S+ failed after/m);
  const late = await machine.run(["tasks", "start", "shell", "sleep 1000", "--timeout", "0.3", "-f", "-q"]);
  assert.deepEqual([late.code, late.stdout], [124, ""]);
  assert.match(
    late.stderr,
    /timed out after .*\nStopped after its time limit of 300 ms\.\n(All its processes are gone|No remaining)/,
  );
  const states = (await listTasks(machine)).map(({ state }) => state);
  assert.deepEqual(states, ["timeout", "failed"]);
});

test("an agent that speaks in events is followed by its answer, and gone on with in its session [T1]", async (t) => {
  const machine = await openTasksMachine(t);
  const first = await machine.run(["tasks", "start", "talker", "-", "--follow"], { stdin: "hello\n" });
  assert.deepEqual([first.code, first.stdout], [0, "new hello\n"]);
  const id = (await listTasks(machine))[0]!.id;
  assert.match(first.stderr, new RegExp(`To resume: deckhand tasks resume ${id.slice(-8)} "…"`));
  const second = await machine.run(["tasks", "resume", id, "and you?", "--follow", "--json"]);
  assert.equal(second.code, 0, second.stderr);
  const lines = second.stdout.trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as { type: string; text?: string; task?: TaskDocument });
  const printed = events.flatMap(({ type, text }) => (type === "task:output" ? [text] : []));
  assert.equal(printed.join(""), '{"session":"s-1"}\n{"result":"--resume=s-1 and you?"}\n');
  const { type, task } = events.at(-1)!;
  assert.deepEqual(
    [type, task?.state, task?.result, task?.session_id, task?.order.resume],
    ["task:settled", "completed", "--resume=s-1 and you?", "s-1", "s-1"],
  );
  const raw = await machine.run(["tasks", "follow", "last", "--raw", "--quiet"]);
  assert.deepEqual([raw.stdout, raw.stderr], [printed.join(""), ""]);
});

test("a task that has to wait says so, and whoever is there next starts it [T6]", async (t) => {
  const machine = await openTasksMachine(t);
  const first = await machine.run(["tasks", "start", "single", waitsForGo, "--quiet"]);
  const second = await machine.run(["tasks", "start", "single", "echo my turn"]);
  assert.equal(second.code, 0);
  assert.match(second.stderr, /^Queued: single has reached its limit of 1 running task\./);
  const states = (await listTasks(machine)).map(({ state }) => state);
  assert.deepEqual(states, ["queued", "running"]);
  const cancelled = await machine.run(["tasks", "start", "single", "echo never", "--quiet"]);
  const gone = await machine.run(["tasks", "cancel", cancelled.stdout.trim()]);
  assert.match(gone.stdout, / cancelled\. The task had not started, so there was nothing to stop\.$/m);
  await writeFile(join(machine.workdir, "go"), "");
  const followed = await machine.run(["tasks", "follow", second.stdout.trim()]);
  assert.deepEqual([followed.code, followed.stdout], [0, "my turn\n"]);
  const [, , done] = await listTasks(machine);
  assert.deepEqual([done?.id, done?.result], [first.stdout.trim(), "one\ntwo"]);
});

test("whoever started a task is killed in the middle of it: its true result arrives all the same [T6]", async (t) => {
  const machine = await openTasksMachine(t);
  const starter = machine.start(["tasks", "start", "shell", waitsForGo, "--follow"]);
  await until("it runs", () => starter.stdout() === "one\n", patienceMs);
  starter.child.kill("SIGKILL");
  await starter.ended;
  const [task] = await listTasks(machine);
  assert.equal(task?.state, "running");
  await writeFile(join(machine.workdir, "go"), "");
  const followed = await machine.run(["tasks", "follow", "last"]);
  assert.deepEqual([followed.code, followed.stdout], [0, "one\ntwo\n"]);
});

test("two orders with one key are one task [T1]", async (t) => {
  const machine = await openTasksMachine(t);
  const order = ["tasks", "start", "shell", "echo once", "--key", "nightly"];
  const first = await machine.run(order);
  const second = await machine.run(order);
  assert.deepEqual([second.code, second.stdout], [0, first.stdout]);
  assert.match(second.stderr, /^Nothing started: this key belongs to task_\S+ \(\w+\)\.$/m);
  const third = await machine.run([...order, "--json"]);
  assert.deepEqual([third.code, third.stderr], [0, ""]);
  assert.equal((JSON.parse(third.stdout) as TaskDocument).id, first.stdout.trim());
  const other = await machine.run(["tasks", "start", "shell", "echo twice", "--key", "nightly"]);
  assert.deepEqual([other.code, other.stdout], [2, ""]);
  assert.match(
    other.stderr,
    /^deckhand: The idempotency key "nightly" belongs to task_\S+ \(\w+\), which has a different message\./,
  );
  assert.equal((await listTasks(machine)).length, 1);
});

test("the answer of a task whose output was removed comes from its record [T6]", async (t) => {
  const machine = await openTasksMachine(t);
  await machine.run(["tasks", "start", "shell", "echo the answer", "--follow"]);
  await rm(join(machine.workdir, ".deckhand", "tasks"), { recursive: true });
  const { code, stdout } = await machine.run(["tasks", "follow", "last"]);
  assert.deepEqual([code, stdout], [0, "the answer\n"]);
  assert.equal((await machine.run(["tasks", "follow", "last", "--raw"])).stdout, "");
});

test("on a terminal an answer without a line end is not erased [E9] [T7]", tmuxLane(), async (t) => {
  const { workdir, env } = await openTasksMachine(t);
  const tmux = await openTmux(t, { columns: 100, env });
  const command = [process.execPath, ...deckhand, "tasks", "start", "shell", "'printf 4; printf 2'", "--follow"];
  await tmux.type(`clear; cd ${workdir}; ${command.join(" ")}; echo "ended with $?"`);
  await tmux.press("Enter");
  await tmux.see("ended with 0");
  assert.match(await tmux.screen(), /^42\n.* completed after/m);
});

test("a list that is cut says so, and how much of the rest still runs [T7]", async (t) => {
  const machine = await openTasksMachine(t);
  await machine.run(["tasks", "start", "shell", waitsForGo]);
  for (const message of ["echo one", "echo two"]) await machine.run(["tasks", "start", "shell", message, "--follow"]);
  const list = async (...args: string[]): Promise<string> =>
    (await machine.run(["tasks", "list", "--limit", "2", ...args])).stderr;
  assert.equal(
    await list(),
    "Showing the newest 2 of 3 tasks; 1 of the others is queued or running. Use --limit N to see more.\n",
  );
  assert.equal(await list("--state", "completed"), "");
  assert.equal(await list("--limit", "3"), "");
  assert.equal(
    await list("--state", "completed", "--limit", "1"),
    "Showing the newest 1 of 2 tasks. Use --limit N to see more.\n",
  );
  assert.equal(await list("--json"), "");
});
