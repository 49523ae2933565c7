import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Message } from "../../../src/core/message.ts";
import type { Model } from "../../../src/core/model.ts";
import { openModel } from "../../../src/models/open-model.ts";
import { createScriptedModel } from "../src/create-scripted-model.ts";
import type { Script } from "../src/script.ts";
import { eventsOf, requestOf, user } from "./request.ts";
import { serve } from "./serve.ts";

const script: Script = {
  pieceMs: 0,
  turns: [
    {
      thinking: "Two files, so two reads.",
      text: "I look at both.",
      calls: [
        { tool: "read", input: { path: "a.txt", lines: [1, 2] } },
        { tool: "read", input: { path: "ü.txt" } },
      ],
      fail: { kind: "rate_limit", retryAfterMs: 2000, times: 2 },
    },
    { fail: { kind: "overloaded" } },
    { calls: [{ tool: "write", input: { path: "c.txt", text: "<{{last_result}}>" } }], cut: true },
    { text: "Done: {{last_result}}", fail: { kind: "server" }, expect: { toolResult: "result of write" } },
    { text: "Too long", stop: "length" },
    { fail: { kind: "key" } },
  ],
};

const protocols = {
  "Anthropic's protocol": (url: string) =>
    open("anthropic/claude-sonnet-4-5", { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url }),
  "OpenAI's protocol": (url: string) => open("openai/gpt-5", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${url}/v1` }),
  "Gemini's protocol": (url: string) =>
    open("google/gemini-2.5-flash", { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: url }),
};

for (const [name, connect] of Object.entries(protocols)) {
  test(`one script is the same conversation in process and through ${name} [L3]`, async (t: TestContext) => {
    const server = await serve(t, script);
    const served = await converse(await connect(server.url));
    assert.deepEqual(served, await converse(createScriptedModel(script)));
    assert.equal(served.length, 10);
  });
}

/** Asks until the key is refused, and again after every other failure. */
async function converse(model: Model): Promise<unknown[]> {
  const tools = ["read", "write"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
  const messages: Message[] = [user("Look and write.")];
  const seen: unknown[] = [];
  while (seen.length < 20) {
    const last = (await eventsOf(model, requestOf(messages, { tools, system: "Be kind." }))).at(-1);
    assert.ok(last?.type === "finished" || last?.type === "failed");
    if (last.type === "failed") {
      seen.push([last.failure.kind, last.failure.retryAfterMs]);
      if (last.failure.kind === "key") break;
      continue;
    }
    seen.push([
      last.stop,
      last.parts.flatMap((part): unknown[] => {
        if (part.type === "call") return [[part.tool, part.inputText]];
        return part.type === "text" ? [part.text] : [];
      }),
    ]);
    messages.push({ role: "assistant", parts: last.parts });
    const calls = last.parts.filter((part) => part.type === "call");
    const results = calls.map(({ callId, tool }) => ({ callId, tool, text: `result of ${tool}`, isError: false }));
    messages.push(results.length > 0 ? { role: "tool", results } : user("Go on."));
  }
  return seen;
}

function open(name: string, env: Record<string, string>): Promise<Model> {
  const openScript = (): Promise<Model> => Promise.reject(new Error("no script is opened here"));
  return openModel(name, { env, settings: {}, workdir: "/", openScript });
}
