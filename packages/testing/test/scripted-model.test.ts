import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { Message } from "../../../src/core/message.ts";
import { createScriptedModel } from "../src/create-scripted-model.ts";
import { assistant, eventsOf, failureOf, requestOf, result, textOf, user } from "./request.ts";

test("a turn comes as events: thinking, text and calls, and at the end the whole", async () => {
  const usage = { inputTokens: 9, outputTokens: 8, cacheReadTokens: 7, cacheWriteTokens: 1 };
  const model = createScriptedModel({
    turns: [
      {
        parts: [
          { thinking: "Hm.", signature: "signed" },
          { text: "I look." },
          { tool: "read", input: { path: "a" } },
          { tool: "list", inputText: "{not json", id: "mine" },
        ],
        usage,
      },
    ],
  });
  assert.deepEqual(await eventsOf(model, requestOf([user("look")])), [
    { type: "thinking", text: "Hm." },
    { type: "text", text: "I look." },
    { type: "call_announced", callId: "call_1_1", tool: "read" },
    { type: "call_input", callId: "call_1_1", text: `{"path":"a"}` },
    { type: "call", call: { type: "call", callId: "call_1_1", tool: "read", inputText: `{"path":"a"}` } },
    { type: "call_announced", callId: "mine", tool: "list" },
    { type: "call_input", callId: "mine", text: "{not json" },
    { type: "call", call: { type: "call", callId: "mine", tool: "list", inputText: "{not json" } },
    {
      type: "finished",
      parts: [
        { type: "thinking", text: "Hm.", opaque: { provider: "script", data: { signature: "signed" } } },
        { type: "text", text: "I look." },
        { type: "call", callId: "call_1_1", tool: "read", inputText: `{"path":"a"}` },
        { type: "call", callId: "mine", tool: "list", inputText: "{not json" },
      ],
      stop: "calls",
      usage,
    },
  ]);
});

test("limits and prices are those of the script; what it does not say is not known", () => {
  const model = createScriptedModel({
    model: { contextTokens: 1000, maxOutputTokens: 10, price: { input: 3 }, acceptsImages: false },
    turns: ["a"],
  });
  const { id, provider, family, limits, price, acceptsImages } = model;
  assert.deepEqual(
    { id, provider, family, limits, price, acceptsImages },
    {
      id: "script",
      provider: "script",
      family: "other",
      limits: { contextTokens: 1000, maxOutputTokens: 10 },
      price: { input: 3, output: 0, cacheRead: 0, cacheWrite: 0 },
      acceptsImages: false,
    },
  );
  const bare = createScriptedModel({ turns: ["a"] }, { id: "script:a.json" });
  assert.deepEqual([bare.id, bare.limits.contextTokens, bare.price], ["script:a.json", null, null]);
});

test("the turn is the one that follows the replies of the request, whoever asks and how often", async () => {
  const model = createScriptedModel({ turns: ["one", { text: "two", times: 2 }, "three"] });
  const conversation: Message[] = [user("go")];
  const said: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const first = await textOf(model, requestOf(conversation));
    assert.equal(await textOf(model, requestOf(conversation)), first);
    said.push(first);
    conversation.push(assistant(first), user("go on"));
  }
  assert.deepEqual(said, ["one", "two", "two", "three"]);
  assert.deepEqual(await failureOf(model, requestOf(conversation)), {
    kind: "script",
    message:
      `The script has 3 turns, and the conversation already has a reply for each: add a turn, or set "at_end" to ` +
      `"loop" or "repeat_last".`,
    status: null,
    retryAfterMs: null,
  });
});

test("by the order of requests, each takes the next turn", async () => {
  const model = createScriptedModel({ order: "requests", turns: ["one", { fail: { status: 500 } }, "two"] });
  const said = [];
  for (let request = 0; request < 4; request++) said.push(await textOf(model, requestOf([user("go")])));
  assert.deepEqual(said, ["one", "[server]", "two", "[script]"]);
});

test("after the last turn a script may begin again or repeat itself", async () => {
  const four = [user("a"), assistant(""), assistant(""), assistant(""), assistant("")];
  const turns = ["one", "two", { text: "three", fail: { status: 500 } }];
  assert.equal(await textOf(createScriptedModel({ turns, atEnd: "loop" }), requestOf(four)), "two");
  assert.equal(await textOf(createScriptedModel({ turns, atEnd: "repeat_last" }), requestOf(four)), "three");
});

test("requests that offer no tools may have an answer of their own and take no turn", async () => {
  const model = createScriptedModel({ order: "requests", withoutTools: "A title", turns: ["one", "two"] });
  const tools = [{ name: "read", description: "", inputSchema: {} }];
  assert.equal(await textOf(model, requestOf([user("a")], { tools })), "one");
  assert.equal(await textOf(model, requestOf([user("a")])), "A title");
  assert.equal(await textOf(model, requestOf([user("a")], { tools })), "two");
});

test("a failure comes as often as it says, then the turn succeeds", async () => {
  const model = createScriptedModel({
    turns: [
      { fail: { kind: "overloaded" } },
      { text: "one", fail: { status: 429, retryAfterMs: 1500, message: "Slow down.", times: 2 } },
      { fail: { kind: "unreachable", times: "always" } },
    ],
  });
  const first = requestOf([user("a")]);
  assert.deepEqual(await failureOf(model, first), {
    kind: "overloaded",
    message: "The script says that the model is overloaded.",
    status: 529,
    retryAfterMs: null,
  });
  const slow = { kind: "rate_limit", message: "Slow down.", status: 429, retryAfterMs: 1500 };
  assert.deepEqual(await failureOf(model, first), slow);
  assert.deepEqual(await failureOf(model, first), slow);
  assert.equal(await textOf(model, first), "one");
  for (let attempt = 0; attempt < 5; attempt++) {
    assert.equal(await textOf(model, requestOf([user("a"), assistant("one"), user("b")])), "[unreachable]");
  }
});

test("statuses and kinds of failures stand for each other", async () => {
  const kinds = { 400: "rejected", 401: "key", 403: "key", 404: "unknown_model", 413: "window", 429: "rate_limit" };
  const all = { ...kinds, 500: "server", 502: "server", 503: "overloaded", 529: "overloaded" };
  for (const [status, kind] of Object.entries(all)) {
    const model = createScriptedModel({ turns: [{ fail: { status: Number(status) } }] });
    const failure = await failureOf(model, requestOf([user("a")]));
    assert.deepEqual([failure?.status, failure?.kind], [Number(status), kind]);
  }
});

test("a failure may come after some parts", async () => {
  const model = createScriptedModel({
    turns: [{ text: "one", calls: [{ tool: "read" }, { tool: "list" }], fail: { kind: "server", after: 2 } }],
  });
  const events = await eventsOf(model, requestOf([user("a")]));
  assert.deepEqual(
    events.map(({ type }) => type),
    ["text", "call_announced", "call_input", "call", "failed"],
  );
  assert.equal((await eventsOf(model, requestOf([user("a")]))).at(-1)?.type, "finished");
});

test("a cut reply ends in the middle of its last part, and is whole the next time", async () => {
  const turn = {
    text: "one",
    calls: [
      { tool: "read", input: { path: "a" } },
      { tool: "read", input: { path: "b" } },
    ],
  };
  const model = createScriptedModel({ turns: [{ ...turn, cut: true }] });
  const events = await eventsOf(model, requestOf([user("a")]));
  assert.deepEqual(events.slice(-3), [
    { type: "call_announced", callId: "call_1_2", tool: "read" },
    { type: "call_input", callId: "call_1_2", text: `{"path` },
    {
      type: "failed",
      failure: {
        kind: "cut",
        message: "The script says that the reply ended in the middle.",
        status: null,
        retryAfterMs: null,
      },
    },
  ]);
  assert.equal(events.filter(({ type }) => type === "call").length, 1);
  const again = await eventsOf(model, requestOf([user("a")]));
  assert.deepEqual(again, await eventsOf(createScriptedModel({ turns: [turn] }), requestOf([user("a")])));
});

test("time passes before the first piece, between pieces and before a part", async () => {
  const slept: number[] = [];
  const sleep = async (delayMs: number): Promise<void> => void slept.push(delayMs);
  const model = createScriptedModel(
    {
      delayMs: 100,
      turns: [
        {
          pieceMs: 7,
          parts: [
            { text: "one two three four five six seven" },
            { pauseMs: 1000 },
            { tool: "read", input: { path: "0123456789" }, pauseMs: 50 },
          ],
        },
      ],
    },
    { sleep },
  );
  const events = await eventsOf(model, requestOf([user("a")]));
  const texts = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
  const inputs = events.flatMap((event) => (event.type === "call_input" ? [event.text] : []));
  assert.deepEqual(texts, ["one two three ", "four five six ", "seven"]);
  assert.deepEqual(inputs, [`{"path":"012`, `3456789"}`]);
  assert.deepEqual(slept, [100, 7, 7, 1000, 50, 7, 7]);
});

test("a signal ends the reply at once, also while it waits, and leaves no listener", async () => {
  for (const turn of [
    { text: "a", delayMs: 60_000 },
    { text: "one two three four", pieceMs: 60_000 },
    { parts: [{ text: "a" }, { text: "b", pauseMs: 60_000 }] },
  ]) {
    for (const sleep of [undefined, () => new Promise<void>(() => {})]) {
      const controller = new AbortController();
      const model = createScriptedModel({ turns: [turn] }, sleep ? { sleep } : {});
      const events = model.stream(requestOf([user("a")], { signal: controller.signal }))[Symbol.asyncIterator]();
      if (turn.delayMs === undefined) assert.equal((await events.next()).value?.type, "text");
      const waiting = events.next();
      setImmediate(() => controller.abort());
      const { value } = await waiting;
      assert.deepEqual(value, {
        type: "failed",
        failure: { kind: "aborted", message: "The reply was stopped.", status: null, retryAfterMs: null },
      });
      assert.equal((await events.next()).done, true);
      assert.equal(getEventListeners(controller.signal, "abort").length, 0);
    }
  }
  const model = createScriptedModel({ turns: [{ fail: { status: 500 } }, "a"] });
  assert.equal(await textOf(model, requestOf([], { signal: AbortSignal.abort() })), "[aborted]");
  assert.equal(await textOf(model, requestOf([])), "[server]");
});

test("a reply that took its time leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  const model = createScriptedModel({ turns: [{ text: "one two three four five", delayMs: 1, pieceMs: 1 }] });
  assert.equal(await textOf(model, requestOf([user("a")], { signal })), "one two three four five");
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("texts and inputs quote what was really said", async () => {
  const model = createScriptedModel({
    turns: [
      {
        text: "You: {{last_user}}. Now {{last_result}}, first {{result:1}}, last but one {{result:-2}}, \\{{last_user}}, {{other}}.",
        calls: [{ tool: "write", input: { path: "p", lines: ["<{{last_result}}>"] } }],
      },
    ],
  });
  const results = ["r1", "r2", `quo"te\n`].map((text) => result(text));
  const events = await eventsOf(model, requestOf([user("old"), user("hi"), ...results]));
  const finished = events.at(-1);
  assert.ok(finished?.type === "finished");
  assert.deepEqual(finished.parts, [
    {
      type: "text",
      text: `You: hi. Now quo"te\n, first r1, last but one r2, {{last_user}}, {{other}}.`,
    },
    { type: "call", callId: "call_1_1", tool: "write", inputText: `{"path":"p","lines":["<quo\\"te\\n>"]}` },
  ]);
});

test("a quote of what was never said fails with a sentence", async () => {
  const model = createScriptedModel({ turns: ["{{last_result}} {{result:0}} {{result:2}}"] });
  const failure = await failureOf(model, requestOf([user("a")]));
  assert.deepEqual(
    [failure?.kind, failure?.message],
    [
      "script",
      "Turn 1 of the script quotes {{last_result}}, {{result:0}}, {{result:2}}, but nothing of that was said yet.",
    ],
  );
});

test("a turn that expects something fails with a sentence when it was not said since the last reply", async () => {
  const said = [user("Please look"), assistant("ok"), result("42 tests pass")];
  const cases: readonly (readonly [Parameters<typeof expecting>[0], string | null])[] = [
    [{ contains: "42 tests" }, null],
    [{ contains: ["42", "pass"], toolResult: "42" }, null],
    [{ toolResult: { tool: "read", isError: false } }, null],
    [{ contains: "Please" }, `expected "Please" in what was said last, which is "42 tests pass"`],
    [{ contains: ["42", "fail"] }, `expected "fail" in what was said last, which is "42 tests pass"`],
    [{ toolResult: ["42", "43"] }, `expected a result with "42" and "43", but got: read gave "42 tests pass"`],
    [
      { toolResult: { tool: "bash", isError: true } },
      `expected a failed result of bash, but got: read gave "42 tests pass"`,
    ],
  ];
  for (const [expect, problem] of cases) {
    const failure = await failureOf(expecting(expect), requestOf(said));
    assert.equal(failure?.message ?? null, problem && `Turn 2 of the script ${problem}.`);
    assert.equal(failure?.kind ?? "script", "script");
  }
  const nothing = await failureOf(expecting({ toolResult: "a" }), requestOf([user("a"), assistant("b"), user("c")]));
  assert.equal(nothing?.message, `Turn 2 of the script expected a result with "a", but there are no results.`);
});

function expecting(expect: { contains?: string | string[]; toolResult?: string | string[] | object }) {
  return createScriptedModel({ turns: ["one", { text: "two", expect }] });
}

test("ids of calls are the same for the same place and never taken twice", async () => {
  const model = createScriptedModel({
    atEnd: "loop",
    turns: [{ calls: [{ tool: "read" }, { tool: "read", id: "mine" }] }],
  });
  const conversation: Message[] = [user("a")];
  const ids: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const last = (await eventsOf(model, requestOf(conversation))).at(-1);
    assert.ok(last?.type === "finished");
    ids.push(...last.parts.flatMap((part) => (part.type === "call" ? [part.callId] : [])));
    conversation.push({ role: "assistant", parts: last.parts });
  }
  assert.deepEqual(ids, ["call_1_1", "mine", "call_2_1", "mine_2", "call_3_1", "mine_3"]);
});

test("an empty reply has no parts, and usage is estimated where the script is silent", async () => {
  const model = createScriptedModel({ turns: [{ text: "", usage: { cacheReadTokens: 5 } }] });
  assert.deepEqual(await eventsOf(model, requestOf([user("x".repeat(400))], { system: "y".repeat(40) })), [
    {
      type: "finished",
      parts: [],
      stop: "end",
      usage: { inputTokens: 110, outputTokens: 0, cacheReadTokens: 5, cacheWriteTokens: 0 },
    },
  ]);
});

test("a script from a program is checked like a file", () => {
  const turns = [{ txt: "a" }] as unknown as string[];
  assert.throws(() => createScriptedModel({ turns }), {
    code: "MODEL_INVALID",
    message: `This is not a script of a model: turns[0].txt is unknown; did you mean "text".`,
  });
});
