import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../src/core/message.ts";
import type { ModelEvent } from "../../src/core/model.ts";
import { collect, openTestModel, requestOf, userSays } from "./support/open-test-model.ts";
import { type Protocol, protocols, wireEvents, type WireReply } from "./support/wire-replies.ts";
import { serveWire, stream } from "./support/wire-server.ts";

const replies: readonly WireReply[] = [
  {
    thinking: "Three files.",
    text: ["Reading", " them."],
    calls: [
      { id: "call_a", name: "first", arguments: ['{"path":"a"}'] },
      { id: "call_b", name: "second", arguments: ['{"path":"b"}'] },
      { id: "call_c", name: "third", arguments: [] },
    ],
  },
  { text: ["Two of them are fine."] },
];

/** Two turns with results and an error between them. */
async function converse(protocol: Protocol, t: Parameters<typeof serveWire>[0]) {
  let turn = 0;
  const server = await serveWire(t, (request, response) =>
    stream(wireEvents[protocol](replies[turn++]!).join(""))(request, response),
  );
  const model = await openTestModel(protocol, server.url);
  const first = await collect(model.stream(requestOf()));
  const end = first.at(-1);
  assert.ok(end?.type === "finished", JSON.stringify(end));
  const history: Message[] = [
    userSays("hello"),
    { role: "assistant", parts: end.parts },
    {
      role: "tool",
      results: [
        { callId: "call_a", tool: "first", text: "A", isError: false },
        { callId: "call_b", tool: "second", text: "B", isError: false },
        { callId: "call_c", tool: "third", text: "Error: no", isError: true },
      ],
    },
  ];
  const second = await collect(model.stream(requestOf({ messages: history })));
  return { server, first, second };
}

/** Without what only the provider understands, and with the pieces of arguments joined. */
function withoutOpaque(events: readonly ModelEvent[]): unknown {
  return JSON.parse(
    JSON.stringify(events, (key, value: unknown) =>
      key === "opaque" || key === "cacheWriteTokens" ? undefined : value,
    ),
  );
}

const expectedFirst = [
  { type: "thinking", text: "Three files." },
  { type: "text", text: "Reading" },
  { type: "text", text: " them." },
  { type: "call_announced", callId: "call_a", tool: "first" },
  { type: "call_input", callId: "call_a", text: '{"path":"a"}' },
  { type: "call", call: { type: "call", callId: "call_a", tool: "first", inputText: '{"path":"a"}' } },
  { type: "call_announced", callId: "call_b", tool: "second" },
  { type: "call_input", callId: "call_b", text: '{"path":"b"}' },
  { type: "call", call: { type: "call", callId: "call_b", tool: "second", inputText: '{"path":"b"}' } },
  { type: "call_announced", callId: "call_c", tool: "third" },
  { type: "call", call: { type: "call", callId: "call_c", tool: "third", inputText: "{}" } },
  {
    type: "finished",
    stop: "calls",
    usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 40 },
    parts: [
      { type: "thinking", text: "Three files." },
      { type: "text", text: "Reading them." },
      { type: "call", callId: "call_a", tool: "first", inputText: '{"path":"a"}' },
      { type: "call", callId: "call_b", tool: "second", inputText: '{"path":"b"}' },
      { type: "call", callId: "call_c", tool: "third", inputText: "{}" },
    ],
  },
];

for (const protocol of protocols) {
  test(`a conversation with thinking, text, three calls and their results is the same over ${protocol} [L3]`, async (t) => {
    const { first, second, server } = await converse(protocol, t);
    const got = withoutOpaque(first) as { type: string; text?: string }[];
    // Google's package writes even no arguments as a piece.
    const pieces = got.filter(({ type, text }) => !(type === "call_input" && text === "{}"));
    assert.deepEqual(pieces, expectedFirst);
    assert.deepEqual(withoutOpaque(second), [
      { type: "text", text: "Two of them are fine." },
      {
        type: "finished",
        stop: "end",
        usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 40 },
        parts: [{ type: "text", text: "Two of them are fine." }],
      },
    ]);
    assert.equal(server.requests.length, 2);
  });
}

test("the second request of the anthropic protocol holds calls, results, the signed thinking and four cache marks [L3]", async (t) => {
  const { server } = await converse("anthropic", t);
  const { messages, system, tools, max_tokens } = server.requests[1]!.body as Record<string, unknown[]>;
  assert.equal(server.requests[1]!.path, "/v1/messages");
  assert.deepEqual(max_tokens, 32_000);
  const mark = { cache_control: { type: "ephemeral" } };
  assert.deepEqual(system, [{ type: "text", text: "Be brief.", ...mark }]);
  assert.deepEqual(messages, [
    { role: "user", content: [{ type: "text", text: "hello", ...mark }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Three files.", signature: "signed" },
        { type: "text", text: "Reading them." },
        { type: "tool_use", id: "call_a", name: "first", input: { path: "a" } },
        { type: "tool_use", id: "call_b", name: "second", input: { path: "b" } },
        { type: "tool_use", id: "call_c", name: "third", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_a", content: "A" },
        { type: "tool_result", tool_use_id: "call_b", content: "B" },
        { type: "tool_result", tool_use_id: "call_c", content: "Error: no", is_error: true, ...mark },
      ],
    },
  ]);
  assert.deepEqual(
    tools!.map((tool) => (tool as { cache_control?: unknown }).cache_control),
    [undefined, undefined, mark.cache_control],
  );
});

test("the second request of the openai protocol holds the calls as they came and their results [L3]", async (t) => {
  const { server } = await converse("openai", t);
  const { messages, prompt_cache_key } = server.requests[1]!.body as { messages: unknown[]; prompt_cache_key?: string };
  const call = (id: string, name: string, text: string) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  });
  assert.equal(server.requests[1]!.path, "/v1/chat/completions");
  assert.equal(prompt_cache_key, undefined);
  assert.deepEqual(messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "hello" },
    {
      role: "assistant",
      content: "Reading them.",
      tool_calls: [
        call("call_a", "first", '{"path":"a"}'),
        call("call_b", "second", '{"path":"b"}'),
        call("call_c", "third", "{}"),
      ],
    },
    { role: "tool", tool_call_id: "call_a", content: "A" },
    { role: "tool", tool_call_id: "call_b", content: "B" },
    { role: "tool", tool_call_id: "call_c", content: "Error: no" },
  ]);
});

test("the second request of the google protocol holds the signatures of the calls [L3]", async (t) => {
  const { server } = await converse("google", t);
  const { contents } = server.requests[1]!.body as { contents: { parts: Record<string, unknown>[] }[] };
  assert.equal(server.requests[1]!.path, "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  const signatures = contents[1]!.parts.flatMap((part) => ("functionCall" in part ? [part["thoughtSignature"]] : []));
  assert.deepEqual(signatures, ["signed-call_a", "signed-call_b", "signed-call_c"]);
});

test("thinking that is not shown keeps its signature and goes back with it [L3]", async (t) => {
  const server = await serveWire(t, stream(wireEvents.anthropic({ thinking: "", text: ["ok"] }).join("")));
  const model = await openTestModel("anthropic", server.url);
  const end = (await collect(model.stream(requestOf()))).at(-1);
  assert.ok(end?.type === "finished");
  const messages: Message[] = [userSays("hello"), { role: "assistant", parts: end.parts }, userSays("more")];
  await collect(model.stream(requestOf({ messages })));
  const [, assistant] = server.requests[1]!.body["messages"] as { content: unknown[] }[];
  assert.deepEqual(assistant!.content[0], { type: "thinking", thinking: "", signature: "signed" });
});
