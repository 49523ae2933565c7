import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, test } from "node:test";
import type { Runtime } from "deckhand";
import { afterTest } from "../support/after-test.ts";
import { openCommand, openLibrary, waitTool, wholeFile } from "./seed-support.ts";

// Source document 000: how long a call may take. By tool, by configuration, by call.

let runtime: Runtime;

before(async () => {
  runtime = await openLibrary(wholeFile, {
    tools: [waitTool],
    files: { "a.txt": "hello\n" },
    variables: { SEARXNG_URL: "http://127.0.0.1:9/" },
  });
});

describe("the default limit of", () => {
  for (const { row, tool, input, seconds } of [
    { row: "0-13", tool: "bash", input: { command: "true" }, seconds: 120 },
    { row: "0-14", tool: "WebFetch", input: { url: "http://127.0.0.1:9/" }, seconds: 30 },
    { row: "0-15", tool: "WebSearch", input: { query: "deckhand" }, seconds: 30 },
    { row: "0-16", tool: "read", input: { file_path: "a.txt" }, seconds: 10 },
    { row: "0-17", tool: "write", input: { file_path: "b.txt", content: "x" }, seconds: 10 },
    { row: "0-18", tool: "edit", input: { file_path: "a.txt", old_string: "hello", new_string: "hi" }, seconds: 10 },
    { row: "0-19", tool: "glob", input: { pattern: "*" }, seconds: 30 },
    { row: "0-20", tool: "grep", input: { pattern: "x" }, seconds: 60 },
  ]) {
    test(`${row} ${tool} is ${seconds} s`, async () => {
      assert.equal((await runtime.call(tool, input)).timeoutMs, seconds * 1000);
    });
  }

  test("0-21 a tool that names none is 120 s", async () => {
    const call = runtime.call("wait", {});
    await runtime.cancel(call.id);
    await call;
    const next = runtime.call("wait", {});
    runtime.on("execution:started", ({ id }) => id === next.id && runtime.cancel(id));
    assert.equal((await next).timeoutMs, 120_000);
  });
});

test("0-22 configuration sets the limit of one tool", async (t) => {
  const command = await openCommand(t, { settings: { limits: { timeout_ms: { bash: 1500 } } } });
  const { code, stderr } = await command.run(["tool", "bash", '{"command":"sleep 301"}']);
  assert.equal(code, 124);
  assert.match(stderr, /Timeout after 1\.5 s/);
});

test("0-23 a call sets its own limit, which wins over configuration, tool and runtime; 600 s at most", async (t) => {
  const settings = { limits: { timeout_ms: { bash: 5000, wait: 4000 } } };
  const own = await openLibrary(t, { tools: [waitTool], settings });
  const limits = await Promise.all([
    own.call("bash", { command: "true" }, { timeoutMs: 3000 }),
    own.call("bash", { command: "true", timeout: 2 }),
    own.call("bash", { command: "true" }),
    own.call("bash", { command: "true" }, { timeoutMs: 3_300_000 }),
  ]);
  assert.deepEqual(
    limits.map(({ timeoutMs }) => timeoutMs),
    [3000, 2000, 5000, 600_000],
  );
  const { state, error } = await own.call("wait", {}, { timeoutMs: 100 });
  assert.deepEqual({ state, error }, { state: "timeout", error: "Timeout after 0.1 s" });
  const command = await openCommand(t);
  const ended = await command.run(["tool", "bash", '{"command":"sleep 301"}', "--timeout", "1"]);
  assert.equal(ended.code, 124);
  assert.match(ended.stderr, /Timeout after 1 s/);
});

test("0-24 a server that never answers ends in a timeout", async (t) => {
  const server = await listen(createServer(() => undefined));
  afterTest(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const command = await openCommand(t, { settings: { tools: { web: { allow_hosts: [host] } } } });
  const input = JSON.stringify({ url: `http://${host}/` });
  const { code, stderr } = await command.run(["tool", "WebFetch", input, "--timeout", "1"]);
  assert.equal(code, 124, stderr);
  assert.match(stderr, /Timeout after 1 s/);
});

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
