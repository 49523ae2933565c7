import assert from "node:assert/strict";
import { test } from "node:test";
import type { Script } from "../src/script.ts";
import { post, readFrames, serve, strip } from "./serve.ts";

const usage = { inputTokens: 20, outputTokens: 8, cacheReadTokens: 6, cacheWriteTokens: 2 };
const talk: Script = {
  turns: [
    {
      parts: [{ thinking: "Hm.", signature: "c2lnbmVk" }, { text: "I look." }, { tool: "read", input: { path: "a" } }],
      usage,
    },
  ],
};

test("Anthropic: the events of a stream come in their order, with ids, signature, usage and stop reason", async (t) => {
  const server = await serve(t, talk);
  const response = await post(server, "/v1/messages", { model: "m", stream: true, ...anthropicAsk });
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const events = readFrames(await response.text());
  const [start] = events;
  const { id } = (start!.data as { message: { id: string } }).message;
  assert.match(id, /^msg_\w+$/);
  assert.deepEqual(
    events.map(({ event, data }) => [event, (data as { type: string }).type]),
    [
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ].map((name) => [name, name]),
  );
  assert.deepEqual(
    events.map(({ data }) => data),
    [
      {
        type: "message_start",
        message: {
          id,
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 12,
            cache_creation_input_tokens: 2,
            cache_read_input_tokens: 6,
            output_tokens: 1,
          },
        },
      },
      { type: "ping" },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmVk" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I look." } },
      { type: "content_block_stop", index: 1 },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "call_1_1", name: "read", input: {} },
      },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: `{"path":"a"}` } },
      { type: "content_block_stop", index: 2 },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { input_tokens: 12, cache_creation_input_tokens: 2, cache_read_input_tokens: 6, output_tokens: 8 },
      },
      { type: "message_stop" },
    ],
  );
  assert.deepEqual(strip(await (await post(server, "/v1/messages", { model: "m", ...anthropicAsk })).json()), {
    type: "message",
    role: "assistant",
    model: "m",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
      { type: "text", text: "I look." },
      { type: "tool_use", id: "call_1_1", name: "read", input: { path: "a" } },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 12, cache_creation_input_tokens: 2, cache_read_input_tokens: 6, output_tokens: 8 },
  });
});

test("OpenAI chat: chunks, the usage when it is asked for, and [DONE]", async (t) => {
  const server = await serve(t, talk);
  const ask = { model: "m", messages: [{ role: "user", content: "hi" }] };
  const body = { ...ask, stream: true, stream_options: { include_usage: true } };
  const frames = readFrames(await (await post(server, "/v1/chat/completions", body)).text());
  const chunks = frames.slice(0, -1).map(({ data }) => data as Chunk);
  assert.equal(frames.at(-1)?.data, "[DONE]");
  assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
  assert.deepEqual(
    chunks.map(({ choices }) => choices.map(({ delta, finish_reason: finish }) => [delta, finish])),
    [
      [[{ role: "assistant", content: "" }, null]],
      [[{ reasoning_content: "Hm." }, null]],
      [[{ content: "I look." }, null]],
      [
        [
          { tool_calls: [{ index: 0, id: "call_1_1", type: "function", function: { name: "read", arguments: "" } }] },
          null,
        ],
      ],
      [[{ tool_calls: [{ index: 0, function: { arguments: `{"path":"a"}` } }] }, null]],
      [[{}, "tool_calls"]],
      [],
    ],
  );
  const counted = {
    prompt_tokens: 20,
    completion_tokens: 8,
    total_tokens: 28,
    prompt_tokens_details: { cached_tokens: 6 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
  assert.deepEqual(
    chunks.map((chunk) => chunk.usage),
    [...Array.from({ length: 6 }, () => null), counted],
  );
  const whole = (await (await post(server, "/v1/chat/completions", ask)).json()) as Record<string, unknown>;
  assert.equal(whole["object"], "chat.completion");
  assert.deepEqual(whole["usage"], counted);
  assert.deepEqual(whole["choices"], [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "I look.",
        refusal: null,
        reasoning_content: "Hm.",
        tool_calls: [{ id: "call_1_1", type: "function", function: { name: "read", arguments: `{"path":"a"}` } }],
      },
      logprobs: null,
      finish_reason: "tool_calls",
    },
  ]);
  const quiet = readFrames(await (await post(server, "/chat/completions", { ...ask, stream: true })).text());
  assert.equal(quiet.length, 7);
  assert.ok(!JSON.stringify(quiet).includes("usage"));
});

test("OpenAI responses: every item is opened, filled and closed, and the end repeats them all", async (t) => {
  const server = await serve(t, talk);
  const ask = { model: "m", instructions: "Be kind.", input: "hi" };
  const frames = readFrames(await (await post(server, "/v1/responses", { ...ask, stream: true })).text());
  const events = frames.map(({ data }) => data as { type: string; sequence_number: number } & Record<string, unknown>);
  assert.deepEqual(
    events.map(({ sequence_number: number }) => number),
    events.map((_, index) => index),
  );
  assert.deepEqual(
    frames.map(({ event }) => event),
    [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ],
  );
  const items = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  const { response } = events.at(-1) as unknown as { response: Record<string, unknown> };
  assert.deepEqual(response["output"], items);
  assert.deepEqual(items.map(strip), [
    {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "c2lnbmVk",
    },
    {
      type: "message",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "I look.", annotations: [], logprobs: [] }],
    },
    { type: "function_call", status: "completed", call_id: "call_1_1", name: "read", arguments: `{"path":"a"}` },
  ]);
  assert.deepEqual(response["usage"], {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 6 },
    output_tokens: 8,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 28,
  });
  const whole = (await (await post(server, "/v1/responses", ask)).json()) as Record<string, unknown>;
  assert.equal(whole["status"], "completed");
  assert.deepEqual((whole["output"] as object[]).map(strip), items.map(strip));
  assert.equal(server.requests[0]?.system, "Be kind.");
});

test("Gemini: chunks with the thought's signature on what comes of it", async (t) => {
  const server = await serve(t, talk);
  const ask = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
  const path = "/v1beta/models/gemini-9:streamGenerateContent?alt=sse&key=SECRET";
  const chunks = readFrames(await (await post(server, path, ask)).text()).map(({ data }) => data as GeminiChunk);
  assert.deepEqual(
    chunks.map(({ candidates: [one] }) => [one?.content.parts, one?.finishReason]),
    [
      [[{ text: "Hm.", thought: true }], undefined],
      [[{ text: "I look.", thoughtSignature: "c2lnbmVk" }], undefined],
      [[{ functionCall: { id: "call_1_1", name: "read", args: { path: "a" } } }], undefined],
      [[], "STOP"],
    ],
  );
  const counted = {
    promptTokenCount: 20,
    candidatesTokenCount: 8,
    totalTokenCount: 28,
    cachedContentTokenCount: 6,
  };
  assert.deepEqual(chunks.at(-1)?.usageMetadata, counted);
  const whole = await (await post(server, "/v1beta/models/gemini-9:generateContent", ask)).json();
  const { candidates, usageMetadata, modelVersion } = whole as GeminiChunk;
  assert.deepEqual([usageMetadata, modelVersion], [counted, "gemini-9"]);
  assert.deepEqual(
    candidates[0]?.content.parts,
    chunks.flatMap((chunk) => chunk.candidates[0]!.content.parts),
  );
  assert.ok(!JSON.stringify(server.requests).includes("SECRET"));
});

const anthropicAsk = { messages: [{ role: "user", content: "hi" }] };

type Chunk = {
  id: string;
  choices: { delta: object; finish_reason: string | null }[];
  usage: unknown;
};
type GeminiChunk = {
  candidates: { content: { parts: object[] }; finishReason?: string }[];
  usageMetadata: object;
  modelVersion: string;
};
