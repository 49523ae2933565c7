import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createScriptedDesk, type ScriptedDesk } from "./support/scripted-desk.ts";
import { openPipe, type Message, type Pipe } from "./support/open-pipe.ts";
import { partsOf } from "./support/server-parts.ts";

const extension = "io.modelcontextprotocol/tasks";
const declared = { extensions: { [extension]: {} } };
const missing = {
  code: -32_021,
  message: "Missing required client capabilities: extensions",
  data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
};

async function open(
  t: TestContext,
  capabilities: object,
): Promise<{ readonly desk: ScriptedDesk; readonly pipe: Pipe }> {
  const desk = createScriptedDesk();
  return { desk, pipe: await openPipe(t, partsOf(desk), { era: "modern", capabilities }) };
}

/** Without what the revision adds to every result. */
function body({ result }: Message): Record<string, unknown> {
  const { _meta, ...rest } = result ?? {};
  return rest;
}

test("only clients of 2026-07-28 are told of the tasks extension [T7]", async (t) => {
  const { pipe } = await open(t, {});
  const { result } = await pipe.request("server/discover");
  assert.deepEqual(result!["capabilities"], { tools: {}, extensions: { [extension]: {} } });
});

test("a client that does not declare the extension gets a plain answer and no tasks methods [T7]", async (t) => {
  const { desk, pipe } = await open(t, { roots: {} });
  const answer = await pipe.call("use_agent", { cli_name: "claude", message: "go" });
  const [task] = await desk.list({ limit: 1 });
  assert.equal(answer.content[0]!.text, `{"task_id":"${task!.id}"}`);
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
    assert.deepEqual((await pipe.request(method, { taskId: task!.id })).error, missing);
    assert.deepEqual((await pipe.request(method)).error, missing);
  }
  assert.deepEqual(desk.cancelled, []);
});

test("a client that declares the extension gets a task at once, and by tasks/get its result [T7]", async (t) => {
  const { desk, pipe } = await open(t, declared);
  const created = body(
    await pipe.request("tools/call", { name: "use_agent", arguments: { cli_name: "claude", message: "go" } }),
  );
  const { id, createdAt } = (await desk.list({ limit: 1 }))[0]!;
  const common = { taskId: id, createdAt: new Date(createdAt).toISOString(), pollIntervalMs: 1000 };
  const working = { ...common, status: "working", lastUpdatedAt: common.createdAt, ttlMs: null };
  assert.deepEqual(created, { ...working, resultType: "task", content: [] });
  desk.change(id, { activeAt: createdAt + 500, progress: "Reading" });
  assert.deepEqual(body(await pipe.request("tasks/get", { taskId: id })), {
    ...working,
    resultType: "complete",
    statusMessage: "Reading",
    lastUpdatedAt: new Date(createdAt + 500).toISOString(),
  });
  desk.change(id, { state: "completed", result: "Done.", sessionId: "s-1", completedAt: createdAt + 1000 });
  assert.deepEqual(body(await pipe.request("tasks/get", { taskId: id })), {
    ...common,
    resultType: "complete",
    status: "completed",
    lastUpdatedAt: new Date(createdAt + 1000).toISOString(),
    ttlMs: 3_601_000,
    result: {
      resultType: "complete",
      content: [{ type: "text", text: "Done." }],
      structuredContent: { task_id: id, result: "Done.", session_id: "s-1" },
      isError: false,
    },
  });
});

test("an agent that failed is a completed task with an error; a lost one has failed; a cancelled one is cancelled [T6, T7]", async (t) => {
  const { desk, pipe } = await open(t, declared);
  const look = async (id: string): Promise<Record<string, unknown>> =>
    body(await pipe.request("tasks/get", { taskId: id }));
  for (const state of ["failed", "timeout"] as const) {
    const { id } = desk.put({ state, error: "No.", completedAt: 1 });
    const { status, result, statusMessage } = await look(id);
    assert.deepEqual(
      { status, result, statusMessage },
      {
        status: "completed",
        statusMessage: "No.",
        result: {
          resultType: "complete",
          content: [{ type: "text", text: "No." }],
          structuredContent: { task_id: id },
          isError: true,
        },
      },
    );
  }
  const lost = await look(desk.put({ state: "lost", error: "Server restarted", completedAt: 1 }).id);
  assert.deepEqual([lost["status"], lost["error"]], ["failed", { code: -32_603, message: "Server restarted" }]);
  const cancelled = await look(desk.put({ state: "cancelled", error: "Not needed", completedAt: 1 }).id);
  assert.deepEqual([cancelled["status"], cancelled["result"], cancelled["error"]], ["cancelled", undefined, undefined]);
  const queued = await look(desk.put({ state: "queued" }).id);
  assert.deepEqual([queued["status"], queued["statusMessage"]], ["working", "Waiting for its turn"]);
});

test("tasks/cancel is acknowledged and cancels; what was removed from the protocol is not there [T7]", async (t) => {
  const { desk, pipe } = await open(t, declared);
  const { id } = desk.put({ state: "running" });
  assert.deepEqual(body(await pipe.request("tasks/cancel", { taskId: id })), { resultType: "complete" });
  assert.equal((await desk.get(id))?.state, "cancelled");
  assert.deepEqual(body(await pipe.request("tasks/update", { taskId: id, inputResponses: {} })), {
    resultType: "complete",
  });
  for (const method of ["tasks/list", "tasks/result"]) {
    assert.equal((await pipe.request(method, { taskId: id })).error?.code, -32_601);
  }
  for (const taskId of ["task_0", 7, undefined]) {
    const { error } = await pipe.request("tasks/get", { taskId });
    assert.deepEqual(error, { code: -32_602, message: "Task ID not found or expired." });
  }
});

test("a refused order is an error of the tool, also for a client that follows tasks [T2, T7]", async (t) => {
  const { pipe } = await open(t, declared);
  const answer = await pipe.call("use_agent", { cli_name: "nobody", message: "go" });
  assert.deepEqual([answer.isError, answer.content[0]!.text], [true, 'There is no agent "nobody".']);
});
