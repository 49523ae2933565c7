import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { serveScript } from "../src/serve-script.ts";
import { asks, post, serve } from "./serve.ts";

test("tokens are counted and models listed as each vendor does", async (t) => {
  const server = await serve(t, { turns: ["a"] });
  const long = { messages: [{ role: "user", content: "x".repeat(400) }] };
  assert.deepEqual(await (await post(server, "/v1/messages/count_tokens", long)).json(), { input_tokens: 100 });
  const contents = [{ role: "user", parts: [{ text: "x".repeat(400) }] }];
  const counted = await post(server, "/v1beta/models/m:countTokens", { contents });
  assert.deepEqual(await counted.json(), { totalTokens: 100 });
  const get = async (path: string, headers = {}): Promise<unknown> =>
    (await fetch(`${server.url}${path}`, { headers })).json();
  assert.deepEqual(await get("/v1/models"), {
    object: "list",
    data: [{ id: "script", object: "model", created: 0, owned_by: "script" }],
  });
  assert.deepEqual(await get("/v1/models/gpt-9"), { id: "gpt-9", object: "model", created: 0, owned_by: "script" });
  const claude = (await get("/v1/models", { "anthropic-version": "2023-06-01" })) as { data: unknown[] };
  assert.deepEqual(claude.data, [
    { type: "model", id: "script", display_name: "script", created_at: "2026-01-01T00:00:00Z" },
  ]);
  assert.match(JSON.stringify(await get("/v1beta/models")), /"models\/script"/);
  assert.equal(server.requests.length, 0);
});

test("requests are kept with their conversation in our words, without keys, also when they come packed", async (t) => {
  const server = await serve(t, { atEnd: "repeat_last", turns: ["ok"] });
  const headers = {
    authorization: "Bearer SECRET",
    "x-api-key": "SECRET",
    "x-goog-api-key": "SECRET",
    "x-app": "mine",
  };
  const said = [
    { role: "user", parts: [{ type: "text", text: "look" }] },
    {
      role: "assistant",
      parts: [
        { type: "text", text: "I look." },
        { type: "call", callId: "c1", tool: "read", inputText: `{"path":"a"}` },
        { type: "call", callId: "c2", tool: "read", inputText: `{"path":"b"}` },
      ],
    },
    {
      role: "tool",
      results: [
        { callId: "c1", tool: "read", text: "A", isError: false },
        { callId: "c2", tool: "read", text: "B", isError: false },
      ],
    },
    { role: "user", parts: [{ type: "text", text: "and?" }] },
  ];
  for (const [index, [path, body]] of conversations.entries()) {
    const [encoding, pack] = packings[index]!;
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { ...headers, "content-encoding": encoding },
      body: pack(Buffer.from(JSON.stringify(body))),
    });
    assert.equal(response.status, 200, await response.text());
    const kept = server.requests.at(-1);
    assert.deepEqual(kept?.messages, said);
    assert.deepEqual([kept.system, kept.tools, kept.headers["x-app"]], ["Be kind.", ["read"], "mine"]);
    assert.deepEqual(kept.body, body);
  }
  assert.deepEqual(
    server.requests.map(({ protocol, path }) => [protocol, path]),
    ["anthropic", "openai_chat", "openai_responses", "gemini"].map((name, index) => [name, conversations[index]![0]]),
  );
  assert.ok(!JSON.stringify(server.requests).includes("SECRET"));
});

test("a tool of a namespace has both names, in what is offered, called and answered", async (t) => {
  const server = await serve(t, { turns: [{ calls: [{ tool: "crm.find", input: { id: 1 } }] }, "{{last_result}}"] });
  const find = { type: "function", name: "find", description: "Finds", parameters: { type: "object" } };
  const tools = [
    { type: "namespace", name: "crm", tools: [find] },
    { ...find, name: "plain" },
  ];
  const ask = { model: "m", tools, input: [{ role: "user", content: "find it" }] };
  const called = (await (await post(server, "/v1/responses", ask)).json()) as { output: Record<string, unknown>[] };
  const [call] = called.output as [Record<string, unknown>];
  const { type, name, namespace, call_id: callId } = call;
  assert.deepEqual({ type, name, namespace }, { type: "function_call", name: "find", namespace: "crm" });
  const answer = { type: "function_call_output", call_id: callId, output: "found" };
  await post(server, "/v1/responses", { ...ask, input: [...ask.input, call, answer] });
  const [first, second] = server.requests as [(typeof server.requests)[number], (typeof server.requests)[number]];
  assert.deepEqual(first.tools, ["crm.find", "plain"]);
  assert.match(JSON.stringify(second.messages), /"tool":"crm\.find".*"text":"found"/);
});

test("several clients talk at once, each at its own place of the script", async (t) => {
  const server = await serve(t, { turns: [{ text: "first {{last_user}}", pieceMs: 0 }, "second {{last_user}}"] });
  const replies = await Promise.all(
    Array.from({ length: 12 }, async (_, client) => {
      const [path] = asks[1];
      const ask = async (messages: object[]): Promise<string> => {
        const whole = (await (await post(server, path, { model: "m", messages })).json()) as Completion;
        return whole.choices[0]!.message.content;
      };
      const first = await ask([{ role: "user", content: `a${client}` }]);
      const second = await ask([
        { role: "user", content: `a${client}` },
        { role: "assistant", content: first },
        { role: "user", content: `b${client}` },
      ]);
      return [first, second];
    }),
  );
  assert.deepEqual(
    replies,
    Array.from({ length: 12 }, (_, client) => [`first a${client}`, `second b${client}`]),
  );
});

test("a client that leaves ends the reply, and closing the server ends all of them", async (t) => {
  const started = Promise.withResolvers<AbortSignal>();
  const sleep = (_: number, signal: AbortSignal): Promise<void> => {
    started.resolve(signal);
    return new Promise(() => {});
  };
  const server = await serve(t, { turns: [{ text: "one two three four", pieceMs: 1 }] }, { sleep });
  const leaving = new AbortController();
  const left = fetch(`${server.url}${asks[0][0]}`, {
    method: "POST",
    body: JSON.stringify({ ...asks[0][1], stream: true }),
    signal: leaving.signal,
  }).then((each) => each.text());
  const signal = await started.promise;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  leaving.abort();
  await assert.rejects(left);
  await aborted;
  const open = post(server, asks[0][0], { ...asks[0][1], stream: true }).then((each) => each.text());
  const closed = assert.rejects(open);
  const deadline = performance.now() + 30_000;
  while (server.requests.length < 2) {
    assert.ok(performance.now() < deadline, "the second request never came");
    await new Promise((resolve) => setImmediate(resolve));
  }
  await server.close();
  await server.close();
  await closed;
});

test("a port that is taken is named", async (t) => {
  const server = await serve(t, { turns: ["a"] });
  const port = Number(new URL(server.url).port);
  await assert.rejects(serveScript({ turns: ["a"] }, { port }), {
    message: new RegExp(`^The script can't be served on 127\\.0\\.0\\.1, port ${port}: listen EADDRINUSE`),
  });
});

type Completion = { choices: { message: { content: string } }[] };

const packings: readonly (readonly [string, (plain: Buffer<ArrayBuffer>) => Buffer<ArrayBuffer>])[] = [
  ["gzip", (plain) => gzipSync(plain)],
  ["identity", (plain) => plain],
  ["zstd", (plain) => zstdCompressSync(plain)],
  ["identity", (plain) => plain],
];

const schema = { type: "object" };
const conversations: readonly (readonly [path: string, body: object])[] = [
  [
    "/v1/messages",
    {
      model: "m",
      system: [{ type: "text", text: "Be kind." }],
      tools: [{ name: "read", description: "Reads.", input_schema: schema }],
      messages: [
        { role: "user", content: "look" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
            { type: "tool_use", id: "c2", name: "read", input: { path: "b" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c1", content: "A" },
            { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "B" }] },
            { type: "text", text: "and?" },
          ],
        },
      ],
    },
  ],
  [
    "/v1/chat/completions",
    {
      model: "m",
      tools: [{ type: "function", function: { name: "read", parameters: schema } }],
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: [{ type: "text", text: "look" }] },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "read", arguments: `{"path":"a"}` } },
            { id: "c2", type: "function", function: { name: "read", arguments: `{"path":"b"}` } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "A" },
        { role: "tool", tool_call_id: "c2", content: "B" },
        { role: "user", content: "and?" },
      ],
    },
  ],
  [
    "/v1/responses",
    {
      model: "m",
      instructions: "Be kind.",
      tools: [{ type: "function", name: "read", parameters: schema }],
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "look" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
        { type: "function_call", call_id: "c1", name: "read", arguments: `{"path":"a"}` },
        { type: "function_call", call_id: "c2", name: "read", arguments: `{"path":"b"}` },
        { type: "function_call_output", call_id: "c1", output: "A" },
        { type: "function_call_output", call_id: "c2", output: "B" },
        { role: "user", content: "and?" },
      ],
    },
  ],
  [
    "/v1beta/models/m:generateContent",
    {
      systemInstruction: { parts: [{ text: "Be kind." }] },
      tools: [{ functionDeclarations: [{ name: "read", parameters: schema }] }],
      contents: [
        { role: "user", parts: [{ text: "look" }] },
        {
          role: "model",
          parts: [
            { text: "I look." },
            { functionCall: { id: "c1", name: "read", args: { path: "a" } } },
            { functionCall: { id: "c2", name: "read", args: { path: "b" } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "read", response: { output: "A" } } },
            { functionResponse: { id: "c2", name: "read", response: { output: "B" } } },
          ],
        },
        { role: "user", parts: [{ text: "and?" }] },
      ],
    },
  ],
];
