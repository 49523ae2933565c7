import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseModel } from "../../src/models/choose-model.ts";
import { serveWire, type WireRequest } from "./support/wire-server.ts";
import type { ServerResponse } from "node:http";

const noFetch: typeof globalThis.fetch = () => Promise.reject(new TypeError("fetch failed"));

test("a configured model wins over every key [L3]", async () => {
  const env = { ANTHROPIC_API_KEY: "k" };
  const choice = await chooseModel({ env, configured: " ollama/q ", fetch: noFetch });
  assert.deepEqual(choice, { name: "ollama/q", why: "as configured" });
});

test("the first key that is set decides, and says so [L3]", async () => {
  const choose = (env: Record<string, string>) => chooseModel({ env, configured: null, fetch: noFetch });
  assert.deepEqual(await choose({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }), {
    name: "anthropic/claude-sonnet-5-5",
    why: "because ANTHROPIC_API_KEY is set",
  });
  assert.deepEqual(await choose({ GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: " " }), {
    name: "google/gemini-flash-latest",
    why: "because GEMINI_API_KEY is set",
  });
  assert.equal((await choose({ OPENROUTER_API_KEY: "k" })).name, "openrouter/openrouter/auto");
});

function ollama({ path, body }: WireRequest, response: ServerResponse): void {
  const models = [
    { name: "nomic-embed-text:latest", modified_at: "2026-09-01T00:00:00Z", details: { family: "nomic-bert" } },
    { name: "old:7b", modified_at: "2025-01-01T00:00:00Z", details: { family: "llama" } },
    { name: "talks-only:7b", modified_at: "2026-08-01T00:00:00Z", details: { family: "llama" } },
    { name: "newer:7b", modified_at: "2026-07-01T00:00:00Z", details: { family: "qwen" } },
  ];
  const capabilities = body["model"] === "talks-only:7b" ? ["completion"] : ["completion", "tools"];
  response.end(JSON.stringify(path === "/api/tags" ? { models } : { capabilities }));
}

test("without a key a local Ollama is taken, its newest model that calls tools [L3]", async (t) => {
  const server = await serveWire(t, ollama);
  const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` };
  // The 400 ms are for a machine that is not busy: here the question itself may take as long as it takes.
  const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, { ...init, signal: null });
  assert.deepEqual(await chooseModel({ env, configured: null, fetch }), {
    name: "ollama/newer:7b",
    why: "because Ollama runs on this machine",
  });
});

test("an Ollama that does not answer is not waited for, and the page says what to do [L3]", async (t) => {
  const server = await serveWire(t, () => {});
  const env = { OLLAMA_HOST: server.url };
  const choice = await chooseModel({ env, configured: null, fetch: globalThis.fetch });
  assert.ok(choice.name === null);
  for (const word of [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "ollama pull",
    "deckhand demo",
    "script:FILE",
  ]) {
    assert.ok(choice.advice.includes(word), word);
  }
});

test("an Ollama without models, or something else at its port, is no model [L3]", async (t) => {
  const empty = await serveWire(t, (_, response) => void response.end("{}"));
  const page = await serveWire(t, (_, response) => void response.end("<html>"));
  for (const { url } of [empty, page]) {
    const choice = await chooseModel({ env: { OLLAMA_HOST: url }, configured: null, fetch: globalThis.fetch });
    assert.equal(choice.name, null);
  }
});
