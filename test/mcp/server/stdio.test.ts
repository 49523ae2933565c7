import assert from "node:assert/strict";
import test from "node:test";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/runtime.ts";
import { createScriptedDesk } from "./support/scripted-desk.ts";
import { openPipe, type Message } from "./support/open-pipe.ts";
import { partsOf } from "./support/server-parts.ts";

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "0" },
} as const;
const megabyte = 1024 * 1024;

test("initialize and tools/list are answered before anything is opened, and then it is time to open it [T3]", async (t) => {
  let opened = 0;
  const desk = createScriptedDesk();
  const parts = partsOf(desk, {
    desk: () => {
      opened += 1;
      return Promise.resolve(desk);
    },
  });
  let answered = 0;
  const pipe = await openPipe(t, parts, { onFirstAnswer: () => void (answered += 1) });
  const { result } = await pipe.request("initialize", initialize);
  assert.deepEqual(result, {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "deckhand", title: "Deckhand", version: "0.0.0" },
  });
  await pipe.request("tools/list");
  assert.equal(opened, 0);
  assert.equal(answered, 1);
});

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
  test(`a client of ${version} is spoken to in its own revision [T3]`, async (t) => {
    const pipe = await openPipe(t, partsOf(createScriptedDesk()));
    const { result } = await pipe.request("initialize", { ...initialize, protocolVersion: version });
    assert.equal(result!["protocolVersion"], version);
  });
}

test("each line of garbage gets a sentence, and the next request its answer [T3]", async (t) => {
  const pipe = await openPipe(t, partsOf(createScriptedDesk()), { era: "legacy" });
  const garbage = [
    "garbage",
    '{"jsonrpc":"2.0","id":1,',
    "[]",
    "42",
    '{"jsonrpc":"1.0","id":{"a":1},"method":"ping"}',
    "\0\u0007",
    "{}",
  ];
  for (const line of garbage) pipe.send(line);
  pipe.input.write(Buffer.from([0xff, 0xfe, 0x0a]));
  pipe.input.write(`${"[".repeat(100_000)}\n`);
  pipe.input.write("\n   \n");
  assert.deepEqual((await pipe.request("ping")).result, {});
  assert.deepEqual(
    pipe.others.map(({ id, error }) => [id, error?.code]),
    [-32_700, -32_700, -32_600, -32_600, -32_600, -32_700, -32_600, -32_700, -32_700].map((code) => [null, code]),
  );
  assert.match(pipe.others[0]!.error!.message, /^This line is not JSON \(.*\); send one JSON-RPC message per line\.$/);
});

test("requests that come in one line are answered in one line, each of them [T3]", async (t) => {
  const desk = createScriptedDesk();
  const { id: task } = desk.put({ state: "running" });
  const pipe = await openPipe(t, partsOf(desk), { era: "legacy" });
  const noMessage = "This line is JSON, but not one JSON-RPC 2.0 message; send an object with jsonrpc, method and id.";
  const call = { name: "wait_for_task", arguments: { task_id: task, timeout: 45 } };
  const next = async (): Promise<unknown> => {
    const { length } = pipe.others;
    await pipe.other((message) => pipe.others.indexOf(message) >= length);
    return pipe.others[length];
  };

  const first = next();
  pipe.send([
    { jsonrpc: "2.0", id: "wait", method: "tools/call", params: call },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    7,
    { jsonrpc: "2.0", id: "ping", method: "ping" },
    { jsonrpc: "2.0", id: "ping", method: "ping" },
  ]);
  assert.deepEqual((await pipe.request("ping")).result, {});
  desk.settle(task, { state: "completed", result: "done" });
  const inUse = "Another request has this id and is not answered yet; give each request its own.";
  const answer = { status: "completed", result: "done" };
  assert.deepEqual(await first, [
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message: noMessage } },
    { jsonrpc: "2.0", id: "ping", error: { code: -32_600, message: inUse } },
    { jsonrpc: "2.0", id: "ping", result: {} },
    {
      jsonrpc: "2.0",
      id: "wait",
      result: { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer },
    },
  ]);

  // A request that is given up gets no answer; the others of its line do.
  const { id: other } = desk.put({ state: "running" });
  const second = next();
  const again = { ...call, arguments: { task_id: other, timeout: 45 } };
  pipe.send([
    { jsonrpc: "2.0", id: 1001, method: "tools/call", params: again },
    { jsonrpc: "2.0", id: 1002, method: "ping" },
  ]);
  assert.deepEqual((await pipe.request("ping")).result, {});
  pipe.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1001 } });
  assert.deepEqual(await second, [{ jsonrpc: "2.0", id: 1002, result: {} }]);

  // Nothing to answer, nothing to send.
  const before = pipe.others.length;
  pipe.send([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
  assert.deepEqual((await pipe.request("ping")).result, {});
  assert.equal(pipe.others.length, before);
  pipe.send(Array.from({ length: 1001 }, () => 1));
  assert.match(
    (await pipe.other(({ error }) => error !== undefined)).error!.message,
    /^A batch has at most 1000 messages, this one had 1001; send less at once\.$/,
  );
});

test("a request that can't be understood gets its own answer, in one sentence [T3]", async (t) => {
  const pipe = await openPipe(t, partsOf(createScriptedDesk()), { era: "legacy" });
  let last = 0;
  const wrong = (message: object): Promise<Message> => {
    const mine = `mine ${++last}`;
    pipe.send({ jsonrpc: "2.0", id: mine, ...message });
    return pipe.other(({ id }) => id === mine);
  };
  const noMessage = "This line is JSON, but not one JSON-RPC 2.0 message; send an object with jsonrpc, method and id.";
  for (const [message, code, sentence] of [
    [{ jsonrpc: "1.0", method: "ping" }, -32_600, noMessage],
    [{ method: "tools/call", params: "x" }, -32_600, noMessage],
    [{ method: 7 }, -32_600, noMessage],
    [
      { method: "tools/call" },
      -32_602,
      "This request can't be understood: params: Invalid input: expected object, received undefined.",
    ],
    [
      { method: "tools/call", params: { name: "list_tasks", arguments: [] } },
      -32_602,
      "This request can't be understood: params.arguments: Invalid input: expected record, received array.",
    ],
    [
      { method: "initialize", params: { capabilities: {}, clientInfo: { name: "x", version: "0" } } },
      -32_602,
      "This request can't be understood: params.protocolVersion: Invalid input: expected string, received undefined.",
    ],
  ] as const) {
    assert.deepEqual((await wrong(message)).error, { code, message: sentence });
  }
});

test("a message of 10 MB arrives whole, in whatever pieces it comes [T1]", async (t) => {
  const desk = createScriptedDesk();
  const pipe = await openPipe(t, partsOf(desk), { era: "legacy" });
  const message = "é".repeat(5 * megabyte);
  const line = Buffer.from(
    `${JSON.stringify({ jsonrpc: "2.0", id: "big", method: "tools/call", params: { name: "use_agent", arguments: { cli_name: "claude", message } } })}\n`,
  );
  for (let at = 0; at < line.length; at += 65_521) pipe.input.write(line.subarray(at, at + 65_521));
  const answer = await pipe.other(({ id }) => id === "big");
  assert.equal(answer.result!["isError"], undefined);
  assert.equal(desk.requests[0]!.message === message, true);
});

test("a line that is too long is not kept: it gets a sentence, and the next request its answer [T3]", async (t) => {
  const pipe = await openPipe(t, partsOf(createScriptedDesk()), { era: "legacy" });
  const piece = Buffer.alloc(megabyte, "x");
  for (let sent = 0; sent < 33; sent++) pipe.input.write(piece);
  pipe.input.write("\n");
  assert.deepEqual((await pipe.request("ping")).result, {});
  assert.deepEqual(pipe.others, [
    {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32_600,
        message: "A message has at most 33554432 bytes, this one had 34603008; send less at once.",
      },
    },
  ]);
});

test("who sends requests and closes the pipe still gets the answers, and then the server is done [T3]", async (t) => {
  const desk = createScriptedDesk();
  const { id } = desk.put({ state: "running" });
  const pipe = await openPipe(t, partsOf(desk), { era: "legacy" });
  const waited = pipe.call("wait_for_task", { task_id: id, timeout: 45 });
  const asked = pipe.call("get_task_status", { task_id: "task_0" });
  pipe.input.end();
  assert.equal((await asked).content[0]!.text, '{"status":"not_found","error":"Task ID not found or expired."}');
  desk.change(id, { state: "completed", result: "Yes" });
  assert.equal((await waited).content[0]!.text, '{"status":"completed","result":"Yes"}');
  await pipe.closed;
});

test("a client that hangs up in the middle leaves a server that is done, and a task that goes on [T3]", async (t) => {
  const desk = createScriptedDesk();
  const { id } = desk.put({ state: "running" });
  const clock = createManualClock();
  const pipe = await openPipe(t, partsOf(desk, { clock }), { era: "legacy" });
  const waited = pipe.request("tools/call", { name: "wait_for_task", arguments: { task_id: id, timeout: 45 } });
  await until("the server waits", () => desk.waiting > 0);
  const before = clock.waiting;
  pipe.input.destroy();
  await until("the server waits for the answer", () => clock.waiting > before);
  clock.advance(9999);
  assert.equal(desk.waiting, 1);
  clock.advance(1);
  assert.deepEqual((await waited).error, {
    code: -32_000,
    message: "Stopped: the input was closed 10 s ago. Keep it open until the answer arrives.",
  });
  await pipe.closed;
  await until("nobody waits any more", () => desk.waiting === 0);
  assert.equal((await desk.get(id))?.state, "running");
  assert.deepEqual(desk.cancelled, []);
});
