import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Script } from "../src/script.ts";
import { serveScript, type ScriptServer } from "../src/serve-script.ts";
import { afterTest } from "../../../test/support/after-test.ts";

const vendors = {
  anthropic: (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "k" })("claude-sonnet-4-5"),
  "openai-compatible": (url: string) =>
    createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, apiKey: "k", includeUsage: true })("some-model"),
  google: (url: string) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: "k" })("gemini-2.5-flash"),
} satisfies Record<string, (url: string) => LanguageModelV4>;

const usage = { inputTokens: 50, outputTokens: 9, cacheReadTokens: 10, cacheWriteTokens: 0 };
const script: Script = {
  pieceMs: 0,
  turns: [
    {
      parts: [
        { thinking: "Two files, so two reads." },
        { text: "I look at both of them now." },
        { tool: "read", input: { path: "a.txt", deep: { list: [1, null, "é ✓"] } } },
        { tool: "read", input: { path: "b.txt" } },
      ],
      usage,
    },
    {
      text: "They say {{result:1}} and {{result:2}}.",
      expect: { toolResult: { tool: "read", contains: "beta" } },
      usage,
    },
  ],
};

for (const [name, open] of Object.entries(vendors)) {
  test(`${name}: its own client reads thinking, text, calls, usage and stop from the stream, and talks on`, async (t) => {
    const server = await serve(t, script);
    const model = open(server.url);
    const first = await streamOf(model, [{ role: "user", content: [{ type: "text", text: "Read both." }] }]);
    assert.equal(first.thinking, "Two files, so two reads.");
    assert.equal(first.text, "I look at both of them now.");
    assert.deepEqual(
      first.calls.map(({ toolName, input }) => [toolName, JSON.parse(input)]),
      [
        ["read", { path: "a.txt", deep: { list: [1, null, "é ✓"] } }],
        ["read", { path: "b.txt" }],
      ],
    );
    assert.deepEqual(first.end, { finish: "tool-calls", input: 50, output: 9, cached: 10 });
    const second = await streamOf(model, [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "Read both." }] },
      {
        role: "assistant",
        content: first.calls.map((call) => ({ ...call, type: "tool-call", input: JSON.parse(call.input) })),
      },
      {
        role: "tool",
        content: ["alpha", "beta"].map((value, index) => ({
          type: "tool-result",
          toolCallId: first.calls[index]!.toolCallId,
          toolName: "read",
          output: { type: "text", value },
        })),
      },
    ]);
    assert.equal(second.text, "They say alpha and beta.");
    assert.deepEqual(second.end, { finish: "stop", input: 50, output: 9, cached: 10 });
    assert.deepEqual(
      server.requests.map(({ system, tools, messages }) => [system, tools, messages.map(({ role }) => role)]),
      [
        ["", ["read"], ["user"]],
        ["Be kind.", ["read"], ["user", "assistant", "tool"]],
      ],
    );
  });

  test(`${name}: its own client reads the reply that is not streamed`, async (t) => {
    const server = await serve(t, script);
    const {
      content,
      finishReason,
      usage: counted,
    } = await open(server.url).doGenerate(
      optionsOf([{ role: "user", content: [{ type: "text", text: "Read both." }] }]),
    );
    assert.deepEqual(
      content.map((part) => part.type),
      ["reasoning", "text", "tool-call", "tool-call"],
    );
    assert.deepEqual([finishReason.unified, counted.inputTokens.total], ["tool-calls", 50]);
  });

  test(`${name}: its own client sees a failure with its status and delay, and a cut as a broken connection`, async (t) => {
    const server = await serve(t, {
      turns: [{ fail: { status: 429, retryAfterMs: 2000, message: "Slow down." } }, { text: "one two", cut: true }],
    });
    const model = open(server.url);
    const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "a" }] }];
    await assert.rejects(streamOf(model, prompt), (thrown: Record<string, unknown>) => {
      const headers = thrown["responseHeaders"] as Record<string, string>;
      assert.deepEqual([thrown["statusCode"], thrown["isRetryable"], headers["retry-after"]], [429, true, "2"]);
      assert.equal((thrown as { message?: string }).message, "Slow down.");
      return true;
    });
    await assert.rejects(streamOf(model, prompt), (thrown: Error) => /terminated/.test(String(thrown.cause)));
    assert.equal((await streamOf(model, prompt)).text, "one two");
  });

  test(`${name}: stop reasons arrive as what they are`, async (t) => {
    const stops = { length: "length", refused: "content-filter", end: "stop" } as const;
    for (const [stop, finish] of Object.entries(stops)) {
      const server = await serve(t, { turns: [{ text: "a", stop: stop as keyof typeof stops }] });
      const reply = await streamOf(open(server.url), [{ role: "user", content: [{ type: "text", text: "a" }] }]);
      assert.equal(reply.end?.finish, finish);
    }
  });
}

test("anthropic: the signature of thinking reaches the client and comes back with it", async (t) => {
  const server = await serve(t, { turns: [{ parts: [{ thinking: "Hm.", signature: "c2ln" }, { text: "a" }] }, "b"] });
  const model = vendors.anthropic(server.url);
  const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "a" }] }];
  const { content } = await model.doGenerate(optionsOf(prompt));
  const [thought] = content;
  assert.ok(thought?.type === "reasoning");
  const providerOptions = thought.providerMetadata ?? {};
  await streamOf(model, [
    ...prompt,
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: thought.text, providerOptions },
        { type: "text", text: "a" },
      ],
    },
    { role: "user", content: [{ type: "text", text: "b" }] },
  ]);
  assert.deepEqual(server.requests[1]?.messages[1], {
    role: "assistant",
    parts: [
      { type: "thinking", text: "Hm.", opaque: { provider: "script", data: { signature: "c2ln" } } },
      { type: "text", text: "a" },
    ],
  });
});

async function serve(t: TestContext, served: Script): Promise<ScriptServer> {
  const server = await serveScript(served);
  afterTest(t, () => server.close());
  return server;
}

function optionsOf(prompt: LanguageModelV4Prompt): LanguageModelV4CallOptions {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } } as const;
  return { prompt, tools: [{ type: "function", name: "read", description: "Reads a file.", inputSchema }] };
}

async function streamOf(model: LanguageModelV4, prompt: LanguageModelV4Prompt) {
  const { stream } = await model.doStream(optionsOf(prompt));
  const calls: { toolCallId: string; toolName: string; input: string }[] = [];
  let [text, thinking] = ["", ""];
  let end: { finish: string; input: unknown; output: unknown; cached: unknown } | undefined;
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "reasoning-delta") thinking += part.delta;
    if (part.type === "tool-call") {
      calls.push({ toolCallId: part.toolCallId, toolName: part.toolName, input: part.input });
    }
    if (part.type !== "finish") continue;
    const { inputTokens, outputTokens } = part.usage;
    const cached = inputTokens.cacheRead;
    end = { finish: part.finishReason.unified, input: inputTokens.total, output: outputTokens.total, cached };
  }
  return { text, thinking, calls, end };
}
