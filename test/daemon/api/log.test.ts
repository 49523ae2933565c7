import assert from "node:assert/strict";
import { test } from "node:test";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { openRuntime } from "../../support/runtime.ts";
import { openApi, steady } from "./open-api.ts";

test("the log is searched newest first, by type, tool, text and call, a page at a time [D4] [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const first = await runtime.call("bash", { command: "echo Alpha" }, { conversationId: "ses_1" });
  const second = await runtime.call("bash", { command: "echo beta" });
  const { status, body } = await api.get("/api/log?type=tool_call&text=alpha");
  assert.equal(status, 200);
  assert.equal(body.items.length, 1);
  assert.match(body.items[0].id, /^1:\d+$/);
  const { writer, ...entry } = body.items[0].entry;
  assert.match(writer, /^[0-9a-f]{16}$/);
  assert.deepEqual(steady({ ...body, items: [{ ...body.items[0], id: "1:OFFSET", entry }] }), {
    items: [
      {
        id: "1:OFFSET",
        intact: true,
        entry: {
          v: 1,
          seq: 2,
          prev: "HASH",
          at: "TIME",
          type: "tool_call",
          id: "call_ID",
          tool_name: "bash",
          tool_version: "builtin",
          route: "stable",
          input: { command: "echo Alpha" },
          conversation_id: "ses_1",
          door: "library",
          attempt: 1,
          timeout_ms: 120_000,
          permission: { decision: "allow", by: "order", rule: null, who: null },
          hash: "HASH",
        },
      },
    ],
    next: null,
  });
  type Item = { readonly id: string; readonly entry: { readonly id?: string; readonly type: string } };
  const typesOf = (items: readonly Item[]): unknown => items.map(({ entry: each }) => [each.type, each.id]);
  assert.deepEqual(typesOf((await api.get(`/api/log?call=${second.id}`)).body.items), [
    ["audit", second.id],
    ["tool_result", second.id],
    ["tool_call", second.id],
  ]);
  assert.deepEqual(typesOf((await api.get("/api/log?tool=Shell&type=tool_result")).body.items), [
    ["tool_result", second.id],
    ["tool_result", first.id],
  ]);
  assert.equal((await api.get("/api/log?conversation=ses_1")).body.items.length, 4);

  const all = (await api.get("/api/log")).body;
  const paged: Item[] = [];
  for (let next: string | null = ""; next !== null;) {
    const page: { items: Item[]; next: string | null } = (await api.get(`/api/log?limit=2&before=${next}`)).body;
    paged.push(...page.items);
    next = page.next;
  }
  assert.deepEqual(paged, all.items);
  assert.equal(all.items.at(-1).entry.type, "opened");
});

test("the log is verified, and evidence of a call given, as the command line prints them [D5] [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const { id } = await runtime.call("bash", { command: "echo hi" });
  await written(runtime);
  const { body } = await api.get("/api/log/verify");
  assert.deepEqual(steady({ ...body, bytes: 0 }), {
    ok: true,
    segments: 1,
    lines: 4,
    bytes: 0,
    first_at: "TIME",
    last_at: "TIME",
    writers: 1,
    head: "HASH",
    heads_checked: 1,
    problems: [],
    problem_count: 0,
    warnings: [],
    warning_count: 0,
  });
  const { body: evidence } = await api.get(`/api/log/evidence/${id}`);
  assert.deepEqual(
    { ...evidence, lines: evidence.lines.map(({ entry }: { entry: { type: string } }) => entry.type), head: 0 },
    {
      sound: true,
      has_intent: true,
      has_outcome: true,
      lines: ["tool_call", "tool_result"],
      problems: [],
      doubts: [],
      store_asked: true,
      log_is_whole: true,
      head: 0,
    },
  );
  // What was found a moment ago is good enough: reading all of it again is not.
  await runtime.call("bash", { command: "echo more" });
  assert.deepEqual((await api.get("/api/log/verify")).body, body);
});

test("statistics are counted from the log, of so many days as are asked for [D4] [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  await runtime.call("bash", { command: "echo hi" });
  await runtime.call("read", { file_path: "nothing" });
  await written(runtime);
  const { body } = await api.get("/api/statistics?days=1");
  const none = { invalid: 0, blocked: 0, recovered: 0 };
  assert.deepEqual(steady(body), {
    tools: [
      { tool: "bash", calls: 1, ok: 1, errors: 0, refused: 0, ...none, p50_ms: "MS", p95_ms: "MS" },
      { tool: "read", calls: 1, ok: 0, errors: 1, refused: 0, ...none, p50_ms: "MS", p95_ms: "MS" },
    ],
    days: [{ day: body.days[0].day, calls: 2, errors: 1, refused: 0 }],
    consecutive_errors: 1,
    longest_error_row: 1,
  });
});

/** What is safe to repeat is written a moment later; asking for the records waits for that. */
async function written(runtime: Runtime): Promise<void> {
  await runtime.list();
}

const wrong: readonly (readonly [path: string, status: number, sentence: string])[] = [
  ["/api/log?type=tool_cal", 400, '"tool_cal" is no type here. Did you mean tool_call?'],
  ["/api/log?before=5", 400, 'before takes the id of a line, segment:offset such as 1:4096; got "5".'],
  ["/api/log?call=last", 400, 'call takes the whole id of a call, got "last".'],
  ["/api/log?limit=501", 400, 'limit takes a whole number from 1 to 500, got "501".'],
  ["/api/log?txt=x", 400, '"txt" is no parameter here. Did you mean text?'],
  ["/api/log/evidence/abc", 400, '"abc" is too short for an id: give the whole one.'],
  ["/api/log/evidence/call_123456", 404, 'The log has nothing about "call_123456".'],
  ["/api/statistics?days=0", 400, 'days takes a whole number from 1 to 99999, got "0".'],
];

for (const [path, status, sentence] of wrong) {
  test(`${path} is refused with one sentence`, async (t) => {
    const answer = await openApi(t, await openRuntime(t)).get(path);
    assert.deepEqual([answer.status, answer.body.error.message], [status, sentence]);
  });
}

test("a workdir that has no log yet has an empty one", async (t) => {
  const api = openApi(t, await openRuntime(t, { settings: { store: { kind: "memory" } } }));
  assert.deepEqual((await api.get("/api/log?text=x")).body, { items: [], next: null });
  assert.equal((await api.get("/api/log/verify")).body.segments, 0);
});
