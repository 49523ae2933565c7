import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { executionFromWire, executionToWire, type Execution, type Runtime } from "deckhand";
import { temporaryFolder } from "../support/temporary.ts";
import {
  echoTool,
  openCommand,
  openLibrary,
  throwTool,
  until,
  waitTool,
  wholeFile,
  type Command,
} from "./seed-support.ts";

// Source document 000: one tool call, tracked. Its record, its states, and how others see it.

let runtime: Runtime;
let command: Command;

before(async () => {
  runtime = await openLibrary(wholeFile, { tools: [waitTool, echoTool, throwTool], files: { "a.txt": "hello\n" } });
  command = await openCommand(wholeFile, { files: { "a.txt": "hello\n" } });
});

/** Waits until the tool itself runs. */
async function startWaiting(options: { timeoutMs?: number } = {}): Promise<{ id: string; ended: Promise<Execution> }> {
  const call = runtime.call("wait", {}, options);
  await until("it runs", async () => (await runtime.get(call.id))?.runPhase === "started");
  return { id: call.id, ended: call };
}

/** A shell command that runs in a process of its own until it is cancelled. */
async function startElsewhere(): Promise<{ id: string; ended: ReturnType<Command["run"]> }> {
  const { ended } = command.start(["tool", "bash", '{"command":"sleep 304"}']);
  const [running] = await until("it is listed as running", async () => {
    const calls: { id: string; state: string }[] = await command.json(["calls", "list", "--running"]);
    return calls[0]?.state === "running" && calls;
  });
  return { id: running!.id, ended };
}

test("0-1 another process sees a call that runs", async () => {
  const { id, ended } = await startElsewhere();
  const { stdout } = await command.run(["calls", "list", "--running"]);
  assert.match(stdout, new RegExp(`^${id}\\s+bash\\s+running\\s.*sleep 304$`, "m"));
  await command.run(["calls", "cancel", id]);
  await ended;
});

test("0-2 the six states: pending, running, completed, failed, cancelled, timeout", async () => {
  const created = runtime.call("wait", {});
  assert.equal((await runtime.get(created.id))?.state, "pending");
  await until("it runs", async () => (await runtime.get(created.id))?.state === "running");
  await runtime.cancel(created.id);
  assert.equal((await created).state, "cancelled");
  assert.equal((await runtime.call("wait", {}, { timeoutMs: 20 })).state, "timeout");
  assert.equal((await runtime.call("throw", { text: "0-2" })).state, "failed");
  assert.equal((await runtime.call("echo", { text: "0-2" })).state, "completed");
});

test("0-3 a final state is final: a second cancel changes nothing and ends with 1", async () => {
  const { id, ended } = await startElsewhere();
  assert.equal((await command.run(["calls", "cancel", id])).code, 0);
  await ended;
  const again = await command.run(["calls", "cancel", id]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /Nothing to cancel: call_\S+ has already ended \(cancelled\)\./);
});

test("0-4 every call has an id (UUIDv7) before it begins", async () => {
  const call = runtime.call("echo", { text: "0-4" });
  assert.match(call.id, /^call_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal((await call).id, call.id);
});

test("0-5 the record has the tool's name as it was asked for, its canonical name and its input", async () => {
  const { tool_name, tool_id, tool_input } = await command.json(["tool", "run_shell", '{"command":"true"}']);
  assert.deepEqual(
    { tool_name, tool_id, tool_input },
    { tool_name: "run_shell", tool_id: "bash", tool_input: { command: "true" } },
  );
});

test("0-6 the record has result and error, with the error's type and a hint", async () => {
  const good = await runtime.call("read", { file_path: "a.txt" });
  assert.deepEqual([good.result?.ok, good.result?.output, good.error], [true, "1\thello", null]);
  const bad = await runtime.call("read", { file_path: "0-6.txt" });
  assert.deepEqual([bad.error, bad.errorType], ["0-6.txt does not exist.", "not_found"]);
  assert.equal(bad.result?.ok === false && bad.result.hint, "Find the right name with list_files or glob.");
});

test("0-7 created_at, started_at and completed_at are ISO 8601 times in this order", async () => {
  const record = await command.json(["tool", "read", '{"file_path":"a.txt"}']);
  const times = [record.created_at, record.started_at, record.completed_at] as string[];
  for (const time of times) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(times, times.toSorted());
});

test("0-8 attempt counts how often this same call was tried", async () => {
  const attempts: number[] = [];
  for (let each = 0; each < 3; each++) {
    attempts.push((await runtime.call("throw", { text: "0-8" }, { conversationId: "0-8" })).attempt);
  }
  assert.deepEqual(attempts, [1, 2, 3]);
});

test("0-9 (differs) the time limit is timeout_ms, in milliseconds; --timeout takes seconds", async () => {
  const record = await command.json(["tool", "read", '{"file_path":"a.txt"}', "--timeout", "7"]);
  assert.equal(record.timeout_ms, 7000);
  assert.equal((await runtime.call("echo", { text: "0-9" }, { timeoutMs: 700 })).timeoutMs, 700);
});

test("0-10 (differs) duration_ms is the tool's own time, no longer than from creation to completion", async () => {
  const { durationMs, createdAt, completedAt } = await runtime.call("read", { file_path: "a.txt" });
  assert.equal(typeof durationMs, "number");
  // The stamps are whole milliseconds of another clock.
  assert.ok(durationMs! > 0 && durationMs! <= completedAt! - createdAt + 2);
});

test("0-11 cancel says whether there was something to cancel", async () => {
  const { id, ended } = await startWaiting();
  assert.equal(await runtime.cancel(id), true);
  const { state, stopCause } = await ended;
  assert.deepEqual({ state, stopCause }, { state: "cancelled", stopCause: "cancel" });
  assert.equal(await runtime.cancel(id), false);
  assert.equal(await runtime.cancel("call_unknown"), false);
});

test("0-12 the record as JSON has the source's eight keys, and comes back as it was", async () => {
  const execution = await runtime.call("read", { file_path: "a.txt" });
  const wire = executionToWire(execution) as Record<string, unknown>;
  const { id, tool_name, tool_input, state, result, error, duration_ms, attempt } = wire;
  assert.deepEqual(
    { id, tool_name, tool_input, state, result, error, duration_ms, attempt },
    {
      id: execution.id,
      tool_name: "read",
      tool_input: { file_path: "a.txt" },
      state: "completed",
      result: executionToWire(execution).result,
      error: null,
      duration_ms: execution.durationMs,
      attempt: 1,
    },
  );
  assert.deepEqual(executionFromWire(JSON.parse(JSON.stringify(wire))), execution);
  const { id: shownId } = await command.json(["tool", "read", '{"file_path":"a.txt"}']);
  assert.deepEqual(Object.keys(await command.json(["calls", "show", shownId])), Object.keys(wire));
});

test("0-25 the calls that run now can be listed", async () => {
  const { id, ended } = await startWaiting();
  const running = await runtime.list({ states: ["pending", "running"] });
  assert.deepEqual(
    running.map((call) => [call.id, call.toolName]),
    [[id, "wait"]],
  );
  await runtime.cancel(id);
  await ended;
  assert.deepEqual(await runtime.list({ states: ["pending", "running"] }), []);
});

test("0-26 a call is found by its id, while it runs and after", async () => {
  const { id, ended } = await startWaiting();
  assert.equal((await runtime.get(id))?.state, "running");
  await runtime.cancel(id);
  await ended;
  assert.equal((await runtime.get(id))?.state, "cancelled");
  assert.equal(await runtime.get("call_unknown"), undefined);
});

test("0-27 (differs) the history has the last 10, newest first", async () => {
  for (let each = 0; each < 12; each++) await runtime.call("echo", { text: `0-27 ${each}` });
  const history = await runtime.list();
  assert.deepEqual(
    history.map(({ toolInput }) => (toolInput as { text: string }).text),
    Array.from({ length: 10 }, (_, index) => `0-27 ${11 - index}`),
  );
});

test("0-28 (differs) more than 100 calls are kept, also after a restart", async (t) => {
  const workdir = join(await temporaryFolder(t), "work");
  const first = await openLibrary(t, { workdir, tools: [echoTool] });
  await Promise.all(Array.from({ length: 120 }, (_, each) => first.call("echo", { text: `${each}` })));
  await first.close();
  const second = await openLibrary(t, { workdir, tools: [echoTool] });
  assert.equal((await second.list({ limit: 200 })).length, 120);
});

test("0-29 a call is cancelled from outside, and its process ends", async () => {
  const { id, ended } = await startElsewhere();
  const cancelled = await command.run(["calls", "cancel", id]);
  assert.equal(cancelled.code, 0, cancelled.stderr);
  assert.match(cancelled.stdout, new RegExp(`^${id} cancelled\\.`));
  assert.equal((await ended).code, 130);
});
