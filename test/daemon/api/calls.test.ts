import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { z } from "zod";
import { systemClock } from "../../../src/core/clock.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import { createId } from "../../../src/core/ids.ts";
import { locateFolders } from "../../../src/config/folders.ts";
import { openSqliteStore } from "../../../src/records/sqlite/sqlite-call-store.ts";
import { openMachine } from "../../cli/run-deckhand.ts";
import { complete, makeExecution } from "../../contract/make-execution.ts";
import { afterTest } from "../../support/after-test.ts";
import { isolatedEnvironment, openRuntime, until } from "../../support/runtime.ts";
import { openApi, steady } from "./open-api.ts";

const shout = defineTool({
  name: "shout",
  description: "Say it louder.",
  traits: { readOnly: true },
  input: z.object({ text: z.string() }),
  run: async ({ text }) => ({ ok: true, output: text.toUpperCase() }),
});

test("a call is listed and shown as the command line prints it [D6]", async (t) => {
  const runtime = await openRuntime(t, { tools: [shout], builtins: false });
  const api = openApi(t, runtime);
  const { id } = await runtime.call("shout", { text: "hello" }, { conversationId: "ses_1" });
  const { status, body } = await api.get(`/api/calls/${id}`);
  assert.equal(status, 200);
  assert.equal(body.id, id);
  assert.deepEqual(steady({ ...body, owner: "OWNER" }), {
    id: "call_ID",
    tool_name: "shout",
    tool_id: "shout",
    tool_input: { text: "hello" },
    state: "completed",
    run_phase: "returned",
    result: { ok: true, output: "HELLO" },
    error: null,
    error_type: null,
    note: null,
    created_at: "TIME",
    started_at: "TIME",
    completed_at: "TIME",
    duration_ms: "MS",
    attempt: 1,
    timeout_ms: 120_000,
    idle_ms: null,
    version: "builtin",
    route: "stable",
    canary_bucket: null,
    door: "library",
    conversation_id: "ses_1",
    turn: null,
    parent_id: null,
    batch_id: null,
    output_bytes: 5,
    stop_cause: null,
    stop_proof: null,
    killed: [],
    survivors: [],
    owner: "OWNER",
    permission: { decision: "allow", by: "order", rule: null, who: null, reasons: [], dangers: [] },
    sandbox: null,
  });
  assert.deepEqual(await api.get("/api/calls"), { status: 200, body: { items: [body], next: null } });
});

test("calls come newest first, a page at a time, and can be narrowed [D6]", async (t) => {
  const runtime = await openRuntime(t, { tools: [shout], builtins: false });
  const api = openApi(t, runtime);
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) {
    const text = { text: `${index}` };
    ids.unshift((await runtime.call("shout", text, { conversationId: `ses_${index % 2}` })).id);
  }
  const failed = await runtime.call("shout", {});
  const idsOf = async (path: string): Promise<unknown> => {
    const { body } = await api.get(path);
    return [body.items.map((item: { id: string }) => item.id), body.next];
  };
  assert.deepEqual(await idsOf("/api/calls?limit=3"), [[failed.id, ids[0], ids[1]], ids[1]]);
  assert.deepEqual(await idsOf(`/api/calls?limit=3&before=${ids[1]}`), [[ids[2], ids[3], ids[4]], ids[4]]);
  assert.deepEqual(await idsOf(`/api/calls?limit=3&before=${ids[4]}`), [[], null]);
  assert.deepEqual(await idsOf("/api/calls?state=failed,timeout"), [[failed.id], null]);
  assert.deepEqual(await idsOf("/api/calls?conversation=ses_1"), [[ids[1], ids[3]], null]);
  assert.deepEqual(await idsOf("/api/calls?tool=SHOUT&state=completed&limit=1"), [[ids[0]], ids[0]]);
  assert.deepEqual(await idsOf("/api/calls?tool=nothing"), [[], null]);
});

test("calls of a rare tool are found part by part, each request looking through 20,000 calls at most [D6]", async (t) => {
  const runtime = await openRuntime(t, { tools: [shout], builtins: false });
  const { database: path } = locateFolders(runtime.workdir, isolatedEnvironment(runtime.workdir));
  const store = await openSqliteStore({ path, clock: systemClock });
  afterTest(t, () => store.close());
  const old = Date.UTC(2025, 0, 1);
  const make = (index: number, toolId: string) =>
    complete(makeExecution({ id: createId("call", old + index), createdAt: old + index, toolId }));
  const calls = Array.from({ length: 20_003 }, (_, index) => make(index, index < 3 ? "rare" : "read"));
  await store.save(calls);
  const api = openApi(t, runtime);
  const [oldest, second, third, fourth] = calls.map(({ id }) => id);
  const { body: first } = await api.get("/api/calls?tool=rare");
  assert.deepEqual(first, { items: [], next: fourth });
  const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);
  const rest = await api.get(`/api/calls?tool=rare&limit=2&before=${first.next}`);
  assert.deepEqual([idsOf(rest), rest.body.next], [[third, second], second]);
  const end = await api.get(`/api/calls?tool=rare&limit=2&before=${rest.body.next}`);
  assert.deepEqual([idsOf(end), end.body.next], [[oldest], null]);
});

test("in lists, texts of more than 500 characters are cut; the call itself has them whole", async (t) => {
  const runtime = await openRuntime(t, { tools: [shout], builtins: false });
  const api = openApi(t, runtime);
  const { id } = await runtime.call("shout", { text: "x".repeat(501) });
  const { body: list } = await api.get("/api/calls");
  assert.equal(list.items[0].tool_input.text, `${"x".repeat(500)}…`);
  assert.equal(list.items[0].result.output, `${"X".repeat(500)}…`);
  const { body } = await api.get(`/api/calls/${id}`);
  assert.equal(body.result.output, "X".repeat(501));
});

const wrong: readonly (readonly [path: string, sentence: string])[] = [
  ["/api/calls?limit=0", 'limit takes a whole number from 1 to 200, got "0".'],
  ["/api/calls?limit=201", 'limit takes a whole number from 1 to 200, got "201".'],
  ["/api/calls?limit=1e2", 'limit takes a whole number from 1 to 200, got "1e2".'],
  ["/api/calls?limit=1&limit=2", '"limit" is given more than once; give it once.'],
  ["/api/calls?state=runing", '"runing" is no state here. Did you mean running?'],
  ["/api/calls?sate=running", '"sate" is no parameter here. Did you mean state?'],
  ["/api/calls?before=last", 'before takes the id of a call, as "next" of the page before gives it; got "last".'],
  [`/api/calls?tool=${"x".repeat(1001)}`, "tool has at most 1000 characters, this one has 1001."],
];

for (const [path, sentence] of wrong) {
  test(`${path.slice(0, 40)} is refused with one sentence`, async (t) => {
    const api = openApi(t, await openRuntime(t, { tools: [shout], builtins: false }));
    assert.deepEqual(await api.get(path), {
      status: 400,
      body: { error: { code: "BAD_REQUEST", message: sentence } },
    });
  });
}

test("a call that is not there is 404, for each way to ask about it", async (t) => {
  const api = openApi(t, await openRuntime(t, { tools: [shout], builtins: false }));
  const gone = "call_0190a5b0-0000-7000-8000-000000000000";
  const body = {
    error: { code: "NOT_FOUND", message: `There is no call "${gone}" here; it may have been cleaned up.` },
  };
  assert.deepEqual(await api.get(`/api/calls/${gone}`), { status: 404, body });
  assert.deepEqual(await api.get(`/api/calls/${gone}/output`), { status: 404, body });
  assert.deepEqual(await api.post(`/api/calls/${gone}/cancel`), { status: 404, body });
});

test("a running command's output can be watched, it is stopped with a name, and its output stays [E9] [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const call = runtime.call("bash", { command: "printf 'first\\nsecond\\n'; sleep 600" });
  const live = await until("its output", async () => {
    const { body } = await api.get(`/api/calls/${call.id}/output`);
    return body.text.includes("second") && body;
  });
  assert.deepEqual(live, { text: "first\nsecond\n", bytes: 13, is_cut: false, running: true, note: null });
  assert.deepEqual(await api.post(`/api/calls/${call.id}/cancel`, { reason: "enough" }), {
    status: 200,
    body: { cancelled: true },
  });
  const { state, error } = await call;
  assert.equal(state, "cancelled");
  assert.match(error ?? "", /Cancelled by kim: enough/);
  const { body: after } = await api.get(`/api/calls/${call.id}/output`);
  assert.deepEqual([after.running, after.text.includes("first\nsecond\n"), after.note], [false, true, null]);
  assert.deepEqual(await api.post(`/api/calls/${call.id}/cancel`), { status: 200, body: { cancelled: false } });
});

test("of a long output the whole that was kept is given, and when that is gone what the record has [E9]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const { id, result } = await runtime.call("bash", { command: "seq 20000; echo oops >&2" });
  const whole = `${Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("")}[stderr]\noops\n`;
  assert.deepEqual((await api.get(`/api/calls/${id}/output`)).body, {
    text: whole,
    bytes: 108_899,
    is_cut: false,
    running: false,
    note: null,
  });
  for (const file of result?.files ?? []) await rm(file);
  const { body } = await api.get(`/api/calls/${id}/output`);
  assert.deepEqual([body.is_cut, body.note], [true, "The whole output is gone: it was kept for a while only."]);
  assert.ok(body.text.startsWith("1\n2\n3\n"));
});

test("a file that a tool only names is never read as its output [G6]", async (t) => {
  const liar = defineTool({
    name: "liar",
    description: "Names a file.",
    traits: { readOnly: true },
    input: z.object({}),
    run: async () => ({ ok: true, output: "mine", files: ["/etc/passwd"] }),
  });
  const runtime = await openRuntime(t, { tools: [liar], builtins: false });
  const { id } = await runtime.call("liar", {});
  const { body } = await openApi(t, runtime).get(`/api/calls/${id}/output`);
  assert.equal(body.text, "mine");
});

test("a command that another process runs is watched, masked, and stopped like one of ours [E9]", async (t) => {
  const machine = await openMachine(t);
  const runtime = await openRuntime(t, { home: machine.workdir, env: machine.env });
  const api = openApi(t, runtime, { env: machine.env });
  const other = machine.start([
    "tool",
    "bash",
    JSON.stringify({ command: `echo here; echo ghp_${"aB3dE6gH9".repeat(4)} >&2; sleep 600` }),
    "--quiet",
  ]);
  const id = await until("its record", async () => (await runtime.list({ states: ["running"] }))[0]?.id, 60_000);
  const seen = await until("all it prints", async () => {
    const { body } = await api.get(`/api/calls/${id}/output`);
    return body.bytes >= 46 && body;
  });
  assert.match(seen.text, /^here\n\[stderr\]\n\[MASKED:[^\]]+\]\n$/);
  assert.deepEqual([seen.bytes, seen.is_cut, seen.running, seen.note], [46, false, true, null]);
  assert.deepEqual((await api.post(`/api/calls/${id}/cancel`)).body, { cancelled: true });
  assert.equal((await other.ended).code, 130);
  const { body } = await api.get(`/api/calls/${id}/output`);
  assert.deepEqual([body.running, body.text.startsWith("here\n")], [false, true]);
});

test("what the command line prints of a call is what the daemon answers, word for word [D6]", async (t) => {
  const machine = await openMachine(t);
  await machine.run(["tool", "bash", JSON.stringify({ command: "echo 'seven seas'; exit 3" })]);
  const runtime = await openRuntime(t, { home: machine.workdir, env: machine.env });
  const api = openApi(t, runtime, { env: machine.env });
  const { body: list } = await api.get("/api/calls");
  const [{ id }] = list.items;
  const printed = async (...args: string[]): Promise<unknown> => JSON.parse((await machine.run(args)).stdout);
  assert.deepEqual((await api.get(`/api/calls/${id}`)).body, await printed("calls", "show", id, "--json"));
  assert.deepEqual(list.items, await printed("calls", "list", "--json"));
  assert.deepEqual((await api.get("/api/statistics")).body, await printed("log", "stats", "--json"));
  assert.deepEqual((await api.get("/api/log/verify")).body, await printed("log", "verify", "--json"));
  assert.deepEqual((await api.get(`/api/log/evidence/${id}`)).body, await printed("log", "evidence", id, "--json"));
});

for (const [body, sentence] of [
  [[], "Expected a JSON object with reason, got a list."],
  ["stop", 'Expected a JSON object with reason, got "stop".'],
  [{ reson: "x" }, '"reson" means nothing here. Did you mean reason?'],
  [{ reason: 7 }, "reason must be a text, got 7."],
] as const) {
  test(`cancelling with ${JSON.stringify(body)} is refused with one sentence`, async (t) => {
    const runtime = await openRuntime(t, { tools: [shout], builtins: false });
    const { id } = await runtime.call("shout", { text: "x" });
    assert.deepEqual(await openApi(t, runtime).post(`/api/calls/${id}/cancel`, body), {
      status: 400,
      body: { error: { code: "BAD_REQUEST", message: sentence } },
    });
  });
}
