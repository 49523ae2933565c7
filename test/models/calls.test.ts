import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelEvent } from "../../src/core/model.ts";
import { collect, openTestModel, requestOf, userSays } from "./support/open-test-model.ts";
import { protocols, wireEvents, type WireReply } from "./support/wire-replies.ts";
import { serveWire, stream } from "./support/wire-server.ts";

type Context = Parameters<typeof serveWire>[0];

async function replyOver(t: Context, protocol: "anthropic" | "openai", reply: WireReply): Promise<ModelEvent[]> {
  const server = await serveWire(t, stream(wireEvents[protocol](reply).join("")));
  return collect((await openTestModel(protocol, server.url)).stream(requestOf()));
}

function callsIn(events: readonly ModelEvent[]) {
  return events.flatMap((event) => (event.type === "call" ? [event.call] : []));
}

function partsOf(events: readonly ModelEvent[]) {
  const end = events.at(-1);
  assert.ok(end?.type === "finished", JSON.stringify(end));
  return end.parts.filter(({ type }) => type === "call").map((part) => ({ ...part, opaque: undefined }));
}

for (const protocol of protocols) {
  test(`over ${protocol} a call is told while the reply still waits for its end [P4]`, async (t) => {
    const call = { id: "call_a", name: "first", arguments: ['{"path":', '"a"}'] };
    const events = wireEvents[protocol]({ text: ["so"], calls: [call] });
    const isTail = (event: string): boolean => /message_delta|finish_?reason":"/i.test(event);
    const tailAt = events.findIndex(isTail);
    assert.ok(tailAt > 0);
    const { promise: told, resolve } = Promise.withResolvers<void>();
    const server = await serveWire(t, async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events.slice(0, tailAt).join(""));
      // The server does not end its reply before the call is known: a late one would wait for ever.
      await told;
      response.end(events.slice(tailAt).join(""));
    });
    const seen: string[] = [];
    for await (const event of (await openTestModel(protocol, server.url)).stream(requestOf())) {
      seen.push(event.type);
      if (event.type === "call") resolve();
    }
    assert.equal(seen.filter((type) => type === "call").length, 1);
    assert.equal(seen.at(-1), "finished");
  });
}

test("arguments that are cut into single characters complete at the last brace, once [P4]", async (t) => {
  const text = '{"a":"}\\"{","b":[{}]}';
  const events = await replyOver(t, "openai", { calls: [{ id: "c", name: "first", arguments: text.split("") }] });
  assert.deepEqual(callsIn(events), [{ type: "call", callId: "c", tool: "first", inputText: text }]);
  assert.equal(
    events.findIndex(({ type }) => type === "call"),
    events.length - 2,
  );
});

test("what follows a complete object changes nothing: the call was told, and is told once [P4]", async (t) => {
  const pieces = ['{"a":1}', " \n", "}", '{"b":2}'];
  const events = await replyOver(t, "openai", { calls: [{ id: "c", name: "first", arguments: pieces }] });
  const expected = { type: "call", callId: "c", tool: "first", inputText: '{"a":1}' };
  assert.deepEqual(callsIn(events), [expected]);
  assert.deepEqual(partsOf(events), [{ ...expected, opaque: undefined }]);
});

test("calls that complete in another order are told in the order of the reply [P4]", async (t) => {
  const delta = (index: number, rest: object) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index, ...rest }] }, finish_reason: null }],
  });
  const chunks = [
    delta(0, { id: "a", function: { name: "first", arguments: '{"path":' } }),
    delta(1, { id: "b", function: { name: "second", arguments: '{"path":"b"}' } }),
    delta(0, { function: { arguments: '"a"}' } }),
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ];
  const server = await serveWire(t, stream(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")));
  const events = await collect((await openTestModel("openai", server.url)).stream(requestOf()));
  assert.deepEqual(
    callsIn(events).map(({ callId, inputText }) => [callId, inputText]),
    [
      ["a", '{"path":"a"}'],
      ["b", '{"path":"b"}'],
    ],
  );
});

for (const protocol of ["anthropic", "openai"] as const) {
  for (const pieces of [
    ['{"path": "a'],
    ["{'path':", " 'a'}"],
    ["path=a"],
    ['{"a":1}}'],
    ['{"a":1}{"b":2}'],
    ["[1]"],
    ['"x"'],
  ]) {
    test(`over ${protocol} the arguments ${pieces.join("")} come as they are, once, at the end [L10]`, async (t) => {
      const events = await replyOver(t, protocol, { calls: [{ id: "c", name: "first", arguments: pieces }] });
      const expected = { type: "call", callId: "c", tool: "first", inputText: pieces.join("") };
      assert.deepEqual(callsIn(events), [expected]);
      assert.deepEqual(partsOf(events), [{ ...expected, opaque: undefined }]);
    });
  }

  test(`over ${protocol} calls without an id or with the same one get ids of their own [L3]`, async (t) => {
    const call = (id: string, path: string) => ({ id, name: "first", arguments: [`{"path":"${path}"}`] });
    const events = await replyOver(t, protocol, { calls: [call("", "1"), call("same", "2"), call("same", "3")] });
    const calls = callsIn(events);
    assert.deepEqual(
      calls.map(({ inputText }) => inputText),
      ['{"path":"1"}', '{"path":"2"}', '{"path":"3"}'],
    );
    assert.equal(new Set(calls.map(({ callId }) => callId)).size, 3);
    assert.ok(calls.every(({ callId }) => callId !== ""));
    assert.equal(calls[1]!.callId, "same");
  });

  test(`over ${protocol} an id that the conversation already has is not used again [L3]`, async (t) => {
    const reply = { calls: [{ id: "call_0", name: "first", arguments: ["{}"] }] };
    const server = await serveWire(t, stream(wireEvents[protocol](reply).join("")));
    const before = { type: "call", callId: "call_0", tool: "first", inputText: "{}" } as const;
    const messages = [
      userSays("go"),
      { role: "assistant", parts: [before] },
      { role: "tool", results: [{ callId: "call_0", tool: "first", text: "ok", isError: false }] },
    ] as const;
    const model = await openTestModel(protocol, server.url);
    const [call] = callsIn(await collect(model.stream(requestOf({ messages }))));
    assert.ok(call);
    assert.notEqual(call.callId, "call_0");
  });

  test(`over ${protocol} a call that ran out of room gets no arguments made up [L3]`, async (t) => {
    const calls = [
      { id: "a", name: "first", arguments: ["{}"] },
      { id: "b", name: "second", arguments: [] },
    ];
    const events = await replyOver(t, protocol, { calls, stop: "length" });
    assert.deepEqual(
      callsIn(events).map(({ inputText }) => inputText),
      ["{}", ""],
    );
    const end = events.at(-1);
    assert.equal(end?.type === "finished" && end.stop, "length");
  });

  test(`over ${protocol} an empty reply is finished without parts [L3]`, async (t) => {
    const events = await replyOver(t, protocol, {});
    assert.equal(events.length, 1);
    assert.ok(events[0]?.type === "finished");
    assert.deepEqual([events[0].parts, events[0].stop], [[], "end"]);
  });

  test(`over ${protocol} 200 calls in one reply are 200 calls [L3]`, async (t) => {
    const calls = Array.from({ length: 200 }, (_, at) => ({
      id: `c${at}`,
      name: "first",
      arguments: [`{"path":"${at}"}`],
    }));
    const told = callsIn(await replyOver(t, protocol, { calls }));
    assert.deepEqual(
      told.map(({ callId, inputText }) => [callId, inputText]),
      calls.map(({ id, arguments: [text] }) => [id, text]),
    );
  });
}

test("malformed arguments go back to the model as an object that holds them [L10]", async (t) => {
  for (const protocol of protocols) {
    const server = await serveWire(t, stream(wireEvents[protocol]({ text: ["ok"] }).join("")));
    const bad = { type: "call", callId: "c", tool: "first", inputText: '{"path": "a' } as const;
    const messages = [
      userSays("go"),
      { role: "assistant", parts: [bad] },
      { role: "tool", results: [{ callId: "c", tool: "first", text: "Error: not JSON", isError: true }] },
    ] as const;
    await collect((await openTestModel(protocol, server.url)).stream(requestOf({ messages })));
    const sent = JSON.stringify(server.requests[0]!.body).replaceAll("\\", "");
    assert.match(sent, /"malformed_arguments":"\{"path": "a"/, protocol);
  }
});
