import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openRuntime, until } from "../../support/runtime.ts";
import { openToolBench, saying } from "../../tool-files/support.ts";
import { openApi, steady } from "./open-api.ts";

test("tools are listed as the command line prints them, with how they did of late [D6]", async (t) => {
  const bench = await openToolBench(t, { "say.js": saying("hi") });
  const runtime = await bench.open();
  const api = openApi(t, runtime, { env: bench.env });
  await runtime.call("say", {});
  const failed = await runtime.call("read", { file_path: "nothing.txt" }, { conversationId: "ses_1" });
  // Wrong input is the caller's mistake, not a failure of the tool.
  await runtime.call("read", { file_path: 5 }, { conversationId: "ses_1" });
  const { body } = await api.get("/api/tools");
  const named = (name: string) => body.items.find((item: { name: string }) => item.name === name);
  assert.deepEqual(steady(named("say")), {
    name: "say",
    description: "Say a word.",
    aliases: [],
    read_only: true,
    risk: "low",
    idempotent: true,
    category: "custom",
    offered_in: named("say").offered_in,
    replay: "safe",
    timeout_ms: 120_000,
    version: "say@HASH",
    input_schema: { type: "object", properties: {} },
    file: "tools/say.js",
    state: "loaded",
    release: "live",
    problem: null,
    recent_calls: 1,
    recent_errors: 0,
    last_error: null,
  });
  const { recent_calls: calls, recent_errors: errors, last_error: last } = named("read");
  assert.deepEqual([calls, errors], [2, 1]);
  assert.deepEqual([last.id, last.error], [failed.id, failed.error]);
});

test("one tool is shown with its schema, versions and last calls [D6]", async (t) => {
  const bench = await openToolBench(t, { "say.js": saying("hi") });
  const runtime = await bench.open();
  const api = openApi(t, runtime, { env: bench.env });
  const call = await runtime.call("say", {});
  const { status, body } = await api.get("/api/tools/SAY");
  assert.deepEqual([status, body.name, body.calls.length, body.calls[0].id], [200, "say", 1, call.id]);
  assert.deepEqual(steady(body.versions), [
    { version: "say@HASH", role: "stable", since: "TIME", until: null, origin: "person" },
  ]);
  const { body: builtin } = await api.get("/api/tools/read");
  assert.deepEqual(builtin.versions, [{ version: "builtin", role: "stable", since: null, until: null, origin: null }]);
});

test("a person's call is an order, of the door dashboard, and its answer is the record without secrets [D6] [G6]", async (t) => {
  const runtime = await openRuntime(t, { settings: { permissions: { unattended: "inbox" } } });
  const api = openApi(t, runtime);
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const { status, body } = await api.post("/api/tools/bash/call", {
    input: { command: `echo ${secret}` },
    conversation: "ses_page",
  });
  assert.deepEqual(
    [status, body.state, body.door, body.conversation_id, body.permission.by],
    [200, "completed", "dashboard", "ses_page", "order"],
  );
  assert.ok(!JSON.stringify(body).includes(secret));
  assert.equal((await api.get(`/api/calls/${body.id}`)).body.id, body.id);
});

test("a person's dangerous call waits in the inbox, and runs only after a yes [D6] [G6]", async (t) => {
  const runtime = await openRuntime(t, { settings: { permissions: { unattended: "inbox" } } });
  const api = openApi(t, runtime);
  await mkdir(join(runtime.workdir, "backups"));
  const { status, body } = await api.post("/api/tools/bash/call", {
    input: { command: "rm -rf backups" },
    wait_ms: 0,
  });
  assert.deepEqual([status, body.state, body.door], [202, "pending", "dashboard"]);
  const entry = await until("the question", async () => (await api.get("/api/inbox")).body.items[0]);
  assert.deepEqual([entry.execution_id, entry.approval.is_danger], [body.id, true]);
  assert.ok(existsSync(join(runtime.workdir, "backups")));
  await api.post(`/api/inbox/${entry.id}/approve`);
  await until("its end", async () => (await api.get(`/api/calls/${body.id}`)).body.state === "completed");
  assert.ok(!existsSync(join(runtime.workdir, "backups")));
});

test("what a program that may only run calls is no order: what an agent is asked about waits for a person [G6]", async (t) => {
  const runtime = await openRuntime(t, { settings: { permissions: { unattended: "inbox" } } });
  const api = openApi(t, runtime);
  const program = { rights: ["read", "run"], who: "ci" } as const;
  const order = { input: { command: "touch made" }, wait_ms: 0 };
  const { status, body } = await api.post("/api/tools/bash/call", order, program);
  assert.deepEqual([status, body.state, body.door], [202, "pending", "daemon"]);
  const entry = await until("the question", async () => (await api.get("/api/inbox")).body.items[0]);
  assert.equal(entry.execution_id, body.id);
  assert.ok(!existsSync(join(runtime.workdir, "made")));
  await api.post(`/api/inbox/${entry.id}/deny`);
  await until("its end", async () => (await api.get(`/api/calls/${body.id}`)).body.state === "cancelled");
});

test("a deny rule holds for a person's call as for any other [G6]", async (t) => {
  const runtime = await openRuntime(t, { settings: { permissions: { deny: ["bash(touch *)"] } } });
  const { body } = await openApi(t, runtime).post("/api/tools/bash/call", { input: { command: "touch made" } });
  assert.deepEqual([body.state, body.error_type, body.permission.rule], ["cancelled", "denied", "bash(touch *)"]);
});

test("the name of a conversation keeps nothing that hides it or turns the text around it [G6]", async (t) => {
  const runtime = await openRuntime(t);
  await writeFile(join(runtime.workdir, "a.txt"), "x");
  const conversation = "ses_\u202eevil\u200b\u001b[31m";
  const { body } = await openApi(t, runtime).post("/api/tools/read/call", {
    input: { file_path: "a.txt" },
    conversation,
  });
  assert.equal(body.conversation_id, "ses_evil");
});

test("wrong calls of tools are refused with one sentence, and wrong input is the call's own failure", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const wrong: readonly (readonly [path: string, body: unknown, status: number, sentence: string])[] = [
    ["/api/tools/red/call", {}, 404, 'There is no tool named "red". Did you mean read?'],
    ["/api/tools/read/call", { inputs: {} }, 400, '"inputs" means nothing here. Did you mean input?'],
    ["/api/tools/read/call", { conversation: 7 }, 400, "conversation must be a text, got 7."],
    [
      "/api/tools/read/call",
      { conversation: "c".repeat(201) },
      400,
      "conversation has at most 200 characters, this one has 201.",
    ],
    ["/api/tools/read/call", { wait_ms: 20_001 }, 400, "wait_ms must be a number from 0 to 20000, got 20001."],
  ];
  for (const [path, given, status, sentence] of wrong) {
    const answer = await api.post(path, given);
    assert.deepEqual([answer.status, answer.body.error.message], [status, sentence]);
  }
  assert.deepEqual(await runtime.list(), []);
  assert.equal((await api.get("/api/tools/red")).status, 404);
  const { status, body } = await api.post("/api/tools/read/call", { input: { path: 5 } });
  assert.deepEqual([status, body.state, body.error_type], [200, "failed", "invalid_input"]);
});
