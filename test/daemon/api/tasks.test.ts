import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openRuntime, until } from "../../support/runtime.ts";
import { openApi, steady, type Api } from "./open-api.ts";

/** An agent whose message is a shell script. */
async function openDesk(t: TestContext) {
  const runtime = await openRuntime(t, { settings: { agents: { shell: { command: ["sh", "-s"] } } } });
  return { runtime, api: openApi(t, runtime) };
}

function ended(api: Api, id: string) {
  return until(
    "its end",
    async () => {
      const { body } = await api.get(`/api/tasks/${id}`);
      return body.completed_at !== null && body;
    },
    60_000,
  );
}

test("a task is started, listed, and its output read from a byte on [D2] [D6]", async (t) => {
  const { runtime, api } = await openDesk(t);
  const words = { agent: "shell", message: "echo one; echo two", timeout: 60 };
  const order = { ...words, idempotency_key: "k1", idempotent: true };
  const { status, body: started } = await api.post("/api/tasks", order);
  assert.equal(status, 200);
  const task = await ended(api, started.id);
  assert.deepEqual(steady({ ...task, process: 0, owner: 0, folder: 0, stop_proof: 0 }), {
    id: "task_ID",
    state: "completed",
    order: {
      agent: "shell",
      message: "echo one; echo two",
      system_prompt: null,
      model: null,
      cwd: runtime.workdir,
      args: [],
      timeout_ms: 60_000,
      resume: null,
      idempotency_key: "k1",
      is_idempotent: true,
      bypasses_permissions: false,
    },
    created_at: "TIME",
    started_at: "TIME",
    completed_at: "TIME",
    active_at: "TIME",
    result: "one\ntwo",
    error: null,
    session_id: null,
    progress: task.progress,
    process: 0,
    owner: 0,
    stop_proof: 0,
    cancel_reason: null,
    folder: 0,
    door: "daemon",
    attempt: 1,
  });
  const range = { text: "one\ntwo\n", from: 0, to: 8, total_bytes: 8 };
  const whole = { ...range, done: true, answer: "one\ntwo", answer_tag: "IQZtEI1TGey1ofxE", error_text: "" };
  assert.deepEqual((await api.get(`/api/tasks/${task.id}/output`)).body, whole);
  const rest = { ...whole, text: "two\n", from: 4 };
  assert.deepEqual((await api.get(`/api/tasks/${task.id}/output?from=4`)).body, rest);
  assert.deepEqual((await api.get("/api/tasks?state=completed&agent=shell")).body, { items: [task], next: null });
  assert.equal((await api.get("/api/tasks?limit=1")).body.next, task.id);
  assert.deepEqual((await api.get(`/api/tasks?before=${task.id}`)).body.items, []);
  // One key is one task, and no other one.
  assert.equal((await api.post("/api/tasks", order)).body.id, task.id);
  const other = await api.post("/api/tasks", { ...order, message: "echo other" });
  assert.equal(other.status, 400);
});

test("an answer is bounded, and not sent again to whoever has it [T7]", async (t) => {
  const { api } = await openDesk(t);
  const message = "printf 'begins '; head -c 300000 /dev/zero | tr '\\0' x; echo ' ends'";
  const { body: started } = await api.post("/api/tasks", { agent: "shell", message });
  assert.equal((await ended(api, started.id)).result.length, 300_012);
  const path = `/api/tasks/${started.id}/output?from=300013`;
  const { answer, ...rest } = (await api.get(path)).body;
  assert.ok(answer.length <= 65_536, String(answer.length));
  assert.match(answer, /^begins x+\n… \[\d+ characters cut\] …\nx+ ends$/);
  assert.deepEqual((await api.get(`${path}&answer_tag=${rest.answer_tag}`)).body, rest);
  assert.deepEqual((await api.get(`${path}&answer_tag=other`)).body, { answer, ...rest });
});

test("of a task that runs only whole lines are given, and none is lost or given twice [G6]", async (t) => {
  const { runtime, api } = await openDesk(t);
  const go = join(runtime.workdir, "go");
  const message = `printf 'whole\\nhal'; while ! [ -e ${go} ]; do sleep 0.05; done; echo f`;
  const { body: started } = await api.post("/api/tasks", { agent: "shell", message });
  const path = `/api/tasks/${started.id}/output`;
  const first = await until(
    "both parts",
    async () => {
      const { body } = await api.get(path);
      return body.total_bytes === 9 && body;
    },
    60_000,
  );
  assert.deepEqual([first.text, first.from, first.to, first.done], ["whole\n", 0, 6, false]);
  const nothing = (await api.get(`${path}?from=6`)).body;
  assert.deepEqual([nothing.text, nothing.from, nothing.to, nothing.done], ["", 6, 6, false]);
  await writeFile(go, "");
  await ended(api, started.id);
  const last = (await api.get(`${path}?from=6`)).body;
  assert.deepEqual([last.text, last.from, last.to, last.done], ["half\n", 6, 11, true]);
});

test("a task is cancelled with a name and a proof; one that is over stays as it is [D6]", async (t) => {
  const { api } = await openDesk(t);
  const { body: started } = await api.post("/api/tasks", { agent: "shell", message: "sleep 600" });
  await until("its start", async () => (await api.get(`/api/tasks/${started.id}`)).body.state === "running", 60_000);
  const { status, body } = await api.post(`/api/tasks/${started.id}/cancel`, { reason: "wrong branch" });
  assert.deepEqual([status, body.id, body.cancelled, body.task.state], [200, started.id, true, "cancelled"]);
  assert.equal(body.task.cancel_reason, "by kim: wrong branch");
  assert.notEqual(body.task.stop_proof, null);
  const again = await api.post(`/api/tasks/${started.id}/cancel`);
  assert.deepEqual([again.status, again.body.cancelled, again.body.task.state], [200, false, "cancelled"]);
});

test("agents are listed as the command line prints them [D6]", async (t) => {
  const { api } = await openDesk(t);
  const { body } = await api.get("/api/agents");
  assert.deepEqual(
    body.items.find(({ name }: { name: string }) => name === "shell"),
    { name: "shell", title: "shell", installed: true, install: body.items.at(-1).install, can_resume: false, limit: 4 },
  );
});

test("wrong orders are refused with one sentence, and nothing is started", async (t) => {
  const { api } = await openDesk(t);
  const wrong: readonly (readonly [body: unknown, sentence: RegExp])[] = [
    [{}, /^agent is missing: expected a text that is not empty\.$/],
    [{ agent: "shell" }, /^message is missing/],
    [{ agent: "shell", message: " " }, /^message is missing/],
    [{ agent: "shel", message: "x" }, /shell/],
    [{ agent: "shell", message: "x", args: "--fast" }, /^args must be a list of texts, got "--fast"\.$/],
    [{ agent: "shell", message: "x", timeout: "60" }, /^timeout must be a number from 1 to 86400, got "60"\.$/],
    [{ agent: "shell", message: "x", timeout: -1 }, /^timeout must be a number from 1 to 86400, got -1\.$/],
    [{ agent: "shell", message: "x", cwd: "nowhere" }, /does not exist/],
    [{ agent: "shell", message: "x", bypass_permissions: true }, /^"bypass_permissions" means nothing here/],
    ["x", /^Expected a JSON object with agent, message, /],
  ];
  for (const [given, sentence] of wrong) {
    const { status, body } = await api.post("/api/tasks", given);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.error.message, sentence);
  }
  assert.deepEqual((await api.get("/api/tasks")).body.items, []);
});

test("what is wrong about a task that is there, or is not, has its status", async (t) => {
  const { api } = await openDesk(t);
  const { body: started } = await api.post("/api/tasks", { agent: "shell", message: "echo x" });
  await ended(api, started.id);
  const resumed = await api.post(`/api/tasks/${started.id}/resume`, { message: "go on" });
  assert.deepEqual([resumed.status, resumed.body.error.code], [400, "TASK_INVALID"]);
  const empty = await api.post(`/api/tasks/${started.id}/resume`, {});
  assert.deepEqual([empty.status, empty.body.error.code], [400, "BAD_REQUEST"]);
  for (const path of ["/api/tasks/task_1", "/api/tasks/task_1/output"]) {
    const { status, body } = await api.get(path);
    assert.deepEqual([status, body.error.message], [404, 'There is no task "task_1" here, or it has expired.']);
  }
  assert.equal((await api.post("/api/tasks/task_1/cancel")).status, 404);
  const byte = await api.get(`/api/tasks/${started.id}/output?from=-1`);
  assert.deepEqual([byte.status, byte.body.error.message], [400, 'from takes a whole number from 0 on, got "-1".']);
  const state = await api.get("/api/tasks?state=done");
  assert.deepEqual([state.status, state.body.error.code], [400, "BAD_REQUEST"]);
});
