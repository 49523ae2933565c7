import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../support/runtime.ts";
import { openDaemon } from "../support/daemon.ts";

test("over HTTP a call is made, watched while it runs, stopped and found again [D2] [D6] [E9]", async (t) => {
  const { ask, runtime } = await openDaemon(t);
  const input = { command: "echo under way; sleep 600" };
  const made = await ask({ path: "/api/tools/bash/call", body: { input, wait_ms: 0 } });
  const { id, door } = made.json();
  assert.deepEqual([made.status, door], [202, "dashboard"]);
  const output = await until("its output", async () => {
    const answer = (await ask({ path: `/api/calls/${String(id)}/output` })).json();
    return answer["text"] !== "" && answer;
  });
  assert.deepEqual(output, { text: "under way\n", bytes: 10, is_cut: false, running: true, note: null });
  const running = (await ask({ path: "/api/calls?state=running" })).json()["items"] as { id: string }[];
  assert.deepEqual(
    running.map((call) => call.id),
    [id],
  );
  const stopped = await ask({ path: `/api/calls/${String(id)}/cancel`, body: {} });
  assert.deepEqual([stopped.status, stopped.json()], [200, { cancelled: true }]);
  await until("its end", async () => (await runtime.get(String(id)))?.state === "cancelled");
  const found = (await ask({ path: `/api/log?call=${String(id)}&type=tool_call` })).json()["items"] as object[];
  assert.equal(found.length, 1);
});

test("over HTTP each refusal has its status and one sentence [D2]", async (t) => {
  const { ask, runtime } = await openDaemon(t);
  const errorOf = async (path: string, body?: object): Promise<unknown> => {
    const { status, json } = await ask({ path, ...(body && { body }) });
    const { code, message } = json()["error"] as { code: string; message: string };
    assert.ok(message.length > 0 && !message.includes("\n"), message);
    return [status, code];
  };
  assert.deepEqual(await errorOf("/api/calls?limit=0"), [400, "BAD_REQUEST"]);
  assert.deepEqual(await errorOf("/api/calls/nothing"), [404, "NOT_FOUND"]);
  assert.deepEqual(await errorOf("/api/tasks", { agent: "nobody", message: "x" }), [400, "TASK_INVALID"]);
  assert.deepEqual(await errorOf("/api/jobs/nothing"), [404, "JOB_UNKNOWN"]);
  assert.deepEqual(await errorOf("/api/jobs", { name: "x" }), [400, "JOB_INVALID"]);
  assert.deepEqual(await errorOf("/api/rollouts/nothing"), [404, "UNKNOWN_TOOL"]);
  assert.deepEqual(await errorOf("/api/tools/nothing"), [404, "NOT_FOUND"]);
  assert.deepEqual(await errorOf("/api/schedule/preview", { when: "x" }), [400, "JOB_INVALID"]);
  const call = runtime.call("bash", { command: "rm -rf backups" });
  const id = await until("the question", async () => (await runtime.inbox.list())[0]?.id);
  assert.equal((await ask({ path: `/api/inbox/${id}/deny`, body: {} })).status, 200);
  assert.deepEqual(await errorOf(`/api/inbox/${id}/approve`, {}), [409, "CONFLICT"]);
  await call;
});

test("over HTTP a name may hold whatever a path would take for its own [D2]", async (t) => {
  const { ask } = await openDaemon(t);
  const name = "back up / 100 % .. ärger?#";
  const job = { name, every: "1h", tool: "glob", input: { pattern: "*" } };
  assert.equal((await ask({ path: "/api/jobs", body: job })).status, 200);
  const path = `/api/jobs/${encodeURIComponent(name)}`;
  assert.equal((await ask({ path })).json()["name"], name);
  assert.equal((await ask({ path: `${path}/pause`, body: {} })).status, 200);
  assert.equal((await ask({ path: `${path}/remove`, body: {} })).status, 200);
  assert.equal((await ask({ path })).status, 404);
  assert.equal((await ask({ path: "/api/jobs/%E0%A4%A" })).status, 400);
});
