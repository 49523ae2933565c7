import assert from "node:assert/strict";
import { test } from "node:test";
import { openModel, type OpenModelOptions } from "../../src/models/open-model.ts";
import type { Environment } from "../../src/models/model-options.ts";
import { collect, requestOf, userSays } from "./support/open-test-model.ts";
import { wireEvents } from "./support/wire-replies.ts";
import { serveWire, stream } from "./support/wire-server.ts";

function open(name: string, env: Environment = {}, options: Partial<OpenModelOptions> = {}) {
  return openModel(name, {
    env,
    settings: {},
    workdir: "/work",
    openScript: (path) => Promise.reject(new Error(`script ${path}`)),
    ...options,
  });
}

/** Where the first request of a model goes, without sending it anywhere. */
async function addressOf(name: string, env: Environment, settings: OpenModelOptions["settings"] = {}) {
  const asked: { url: string; headers: Headers }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    asked.push({ url: new Request(input).url, headers: new Headers(init?.headers) });
    return Promise.reject(new TypeError("fetch failed"));
  };
  await collect((await open(name, env, { fetch, settings })).stream(requestOf()));
  return asked[0]!;
}

const key = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };
const messages = "/v1/messages";
const chat = "/v1/chat/completions";
const gemini = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
const addresses: readonly (readonly [string, Environment, string])[] = [
  ["anthropic/claude-x", key, `https://api.anthropic.com${messages}`],
  ["claude-x", key, `https://api.anthropic.com${messages}`],
  ["gpt-9", key, `https://api.openai.com${chat}`],
  ["o3", key, `https://api.openai.com${chat}`],
  ["gemini-x", key, `https://generativelanguage.googleapis.com${gemini}`],
  ["gemini/gemini-x", key, `https://generativelanguage.googleapis.com${gemini}`],
  ["anthropic/claude-x", { ANTHROPIC_AUTH_TOKEN: "k" }, `https://api.anthropic.com${messages}`],
  ["anthropic/claude-x", { ...key, ANTHROPIC_BASE_URL: "http://h:1/" }, `http://h:1${messages}`],
  ["anthropic/claude-x", { ...key, ANTHROPIC_BASE_URL: "http://h:1/v1/" }, `http://h:1${messages}`],
  ["anthropic/claude-x", { ...key, ANTHROPIC_BASE_URL: "https://h/anthropic" }, `https://h/anthropic${messages}`],
  ["openai/m", { ...key, OPENAI_BASE_URL: "http://h:1" }, `http://h:1${chat}`],
  ["openai/m", { ...key, OPENAI_BASE_URL: "http://h:1/v1/" }, `http://h:1${chat}`],
  ["openai/m", { ...key, OPENAI_BASE_URL: "http://h:1/v1/chat/completions" }, `http://h:1${chat}`],
  ["openai/m", { OPENAI_BASE_URL: "https://h/api/paas/v4" }, "https://h/api/paas/v4/chat/completions"],
  ["google/gemini-x", { ...key, GOOGLE_GEMINI_BASE_URL: "http://h:1/" }, `http://h:1${gemini}`],
  ["ollama/qwen3:8b", {}, `http://127.0.0.1:11434${chat}`],
  ["ollama/q", { OLLAMA_HOST: "0.0.0.0" }, `http://127.0.0.1:11434${chat}`],
  ["ollama/q", { OLLAMA_HOST: "box:5000" }, `http://box:5000${chat}`],
  ["ollama/q", { OLLAMA_HOST: "https://box/" }, `https://box${chat}`],
  ["ollama/q", { OLLAMA_HOST: ":5000" }, `http://127.0.0.1:5000${chat}`],
  ["vllm/m", {}, `http://127.0.0.1:8000${chat}`],
  ["lmstudio/m", {}, `http://127.0.0.1:1234${chat}`],
  ["openrouter/anthropic/claude-x", { OPENROUTER_API_KEY: "k" }, "https://openrouter.ai/api/v1/chat/completions"],
];
for (const [name, env, url] of addresses) {
  test(`${name} with ${JSON.stringify(env)} is asked at ${url} [L3]`, async () => {
    assert.equal((await addressOf(name, env)).url, url);
  });
}

test("each protocol gets the key in its own header, without the line break a shell left [L3]", async () => {
  const env = { ANTHROPIC_API_KEY: "k1\n", OPENAI_API_KEY: "k2", GOOGLE_API_KEY: "k3" };
  assert.equal((await addressOf("claude-x", env)).headers.get("x-api-key"), "k1");
  assert.equal((await addressOf("gpt-9", env)).headers.get("authorization"), "Bearer k2");
  assert.equal((await addressOf("gemini-x", env)).headers.get("x-goog-api-key"), "k3");
  const token = await addressOf("claude-x", { ANTHROPIC_AUTH_TOKEN: "t" });
  assert.deepEqual([token.headers.get("authorization"), token.headers.get("x-api-key")], ["Bearer t", null]);
  assert.equal((await addressOf("ollama/q", {})).headers.get("authorization"), null);
});

test("a provider of the configuration has its own address, key and headers [L3]", async () => {
  const providers = {
    corp: {
      kind: "openai-compatible",
      baseUrl: "https://llm.corp/api",
      keyVariable: "CORP_KEY",
      headers: { "x-team": "a" },
    },
  } as const;
  const { url, headers } = await addressOf("corp/big/model", { CORP_KEY: "k" }, { providers });
  assert.equal(url, "https://llm.corp/api/chat/completions");
  assert.deepEqual([headers.get("authorization"), headers.get("x-team")], ["Bearer k", "a"]);
  const { id, price } = await open("corp/big/model", { CORP_KEY: "k" }, { settings: { providers } });
  assert.deepEqual([id, price], ["corp/big/model", null]);
});

const refused: readonly (readonly [string, Environment, RegExp])[] = [
  ["anthropic/claude-x", {}, /^Anthropic needs a key: set ANTHROPIC_API_KEY \(or ANTHROPIC_AUTH_TOKEN\)\.$/],
  ["openai/gpt-x", { OPENAI_API_KEY: " " }, /^OpenAI needs a key: set OPENAI_API_KEY\.$/],
  ["antropic/claude-x", key, /no provider "antropic".* did you mean anthropic\?$/],
  ["../../evil/x", key, /no provider "\.\."/],
  ["anthropic/", key, /names no model; write anthropic\/claude-/],
  ["anthropic", key, /is a provider; say which/],
  ["llama3", key, /named provider\/name/],
  ["", key, /named provider\/name/],
  ["openai/x", { ...key, OPENAI_BASE_URL: "ftp://h" }, /^OPENAI_BASE_URL must be an address like/],
];
for (const [name, env, words] of refused) {
  test(`"${name}" with ${JSON.stringify(env)} is refused in one sentence [L3]`, async () => {
    await assert.rejects(open(name, env), { code: "MODEL_INVALID", message: words });
  });
}

test("a script's path starts from the workdir [L3]", async () => {
  await assert.rejects(open("script:a/b.json"), /script \/work\/a\/b\.json/);
  await assert.rejects(open("script:/c.json"), /script \/c\.json/);
});

test("another provider package of the AI SDK is found by its name, if it is fit [L3]", async () => {
  // Installed as a dependency of the others, and no provider.
  await assert.rejects(open("provider-utils/x"), {
    code: "MODEL_INVALID",
    message: /^@ai-sdk\/provider-utils can't be used/,
  });
  const { id, provider } = await open("openai-compatible/x");
  assert.deepEqual([id, provider], ["openai-compatible/x", "openai-compatible"]);
});

test("limits, price, family and images are known for known models, and settings win [L4]", async () => {
  const claude = await open("claude-sonnet-4-5-20250929", key);
  assert.deepEqual(
    [claude.id, claude.provider, claude.family, claude.limits, claude.price, claude.acceptsImages],
    [
      "anthropic/claude-sonnet-4-5-20250929",
      "anthropic",
      "anthropic",
      { contextTokens: 200_000, maxOutputTokens: 64_000 },
      { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      true,
    ],
  );
  const local = await open("ollama/qwen3:8b");
  assert.deepEqual(
    [local.family, local.limits, local.price, local.acceptsImages],
    [
      "other",
      { contextTokens: null, maxOutputTokens: null },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      false,
    ],
  );
  const set = await open("openai/who-knows", key, { settings: { contextTokens: 5000, maxOutputTokens: 600 } });
  assert.deepEqual([set.limits, set.price], [{ contextTokens: 5000, maxOutputTokens: 600 }, null]);
  assert.equal((await open("openrouter/anthropic/claude-opus-4.5", { OPENROUTER_API_KEY: "k" })).price?.input, 5);
});

test("OpenAI itself gets a cache key, its name for the most tokens, and tools without reasoning [L3]", async (t) => {
  const server = await serveWire(t, stream(wireEvents.openai({ text: ["ok"] }).join("")));
  const fetch: typeof globalThis.fetch = (input, init) =>
    globalThis.fetch(new Request(input).url.replace("https://api.openai.com", server.url), init);
  await collect((await open("gpt-6-sol", key, { fetch })).stream(requestOf({ maxOutputTokens: 77 })));
  const { prompt_cache_key, max_completion_tokens, max_tokens, reasoning_effort, tool_choice } =
    server.requests[0]!.body;
  assert.deepEqual([prompt_cache_key, max_completion_tokens, max_tokens], ["ses_1", 77, undefined]);
  assert.deepEqual([reasoning_effort, tool_choice], ["none", "auto"]);
});

test("a tool that must or must not be called is asked for in each protocol's words [L1]", async (t) => {
  const server = await serveWire(t, stream(wireEvents.openai({ text: ["ok"] }).join("")));
  const model = await open("openai/m", key, { settings: { baseUrl: server.url } });
  for (const toolChoice of ["any", "none"] as const) await collect(model.stream(requestOf({ toolChoice })));
  await collect(model.stream(requestOf({ tools: [] })));
  assert.deepEqual(
    server.requests.map(({ body }) => [body["tool_choice"], (body["tools"] as unknown[] | undefined)?.length]),
    [
      ["required", 3],
      ["none", 3],
      [undefined, undefined],
    ],
  );
});

test("thinking goes back to the model that thought it, and to no other [L3]", async (t) => {
  const server = await serveWire(t, stream(wireEvents.openai({ text: ["ok"] }).join("")));
  const model = await open("ollama/q", {}, { settings: { baseUrl: server.url } });
  const thought = (provider: string, name: string) =>
    ({
      type: "thinking",
      text: `by ${provider}/${name}`,
      opaque: { provider, data: { model: name, metadata: null } },
    }) as const;
  const parts = [
    thought("ollama", "q"),
    thought("ollama", "other"),
    thought("anthropic", "q"),
    { type: "text", text: "yes" },
  ] as const;
  await collect(model.stream(requestOf({ messages: [userSays("a"), { role: "assistant", parts }, userSays("b")] })));
  assert.deepEqual((server.requests[0]!.body["messages"] as unknown[])[2], {
    role: "assistant",
    content: "yes",
    reasoning_content: "by ollama/q",
  });
});

test("images go to the model as they are [L3]", async (t) => {
  const server = await serveWire(t, stream(wireEvents.anthropic({ text: ["ok"] }).join("")));
  const model = await open("claude-x", key, { settings: { baseUrl: server.url } });
  const parts = [
    { type: "image", mediaType: "image/png", data: "aGk=" },
    { type: "text", text: "what?" },
  ] as const;
  await collect(model.stream(requestOf({ messages: [{ role: "user", parts }] })));
  const [message] = server.requests[0]!.body["messages"] as { content: unknown[] }[];
  assert.deepEqual(message!.content[0], {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "aGk=" },
  });
});

test("a call id of another provider gets a form that Mistral takes, the same for call and result [L3]", async (t) => {
  const server = await serveWire(t, stream(wireEvents.openai({ text: ["ok"] }).join("")));
  const model = await open("mistral/m", {}, { settings: { baseUrl: server.url } });
  const callId = "toolu_01ABCDEFGHIJKLMNOP";
  const sent = [
    userSays("a"),
    { role: "assistant", parts: [{ type: "call", callId, tool: "first", inputText: "{}" }] },
    { role: "tool", results: [{ callId, tool: "first", text: "ok", isError: false }] },
  ] as const;
  await collect(model.stream(requestOf({ messages: sent })));
  const [, , assistant, result] = server.requests[0]!.body["messages"] as Record<string, unknown>[];
  const [call] = assistant!["tool_calls"] as { id: string }[];
  assert.match(call!.id, /^[a-zA-Z0-9]{9}$/);
  assert.equal(result!["tool_call_id"], call!.id);
  assert.equal("stream_options" in server.requests[0]!.body, false);
});
