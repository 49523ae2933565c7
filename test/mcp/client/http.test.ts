import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Execution } from "../../../src/core/call.ts";
import { startHttpServer, type HttpServerOptions, type HttpServerUnderTest } from "../../fixtures/mcp/http-server.ts";
import { afterTest } from "../../support/after-test.ts";
import { until } from "../../support/runtime.ts";
import { openWorld, patienceMs, settingOf, type McpWorld } from "./support.ts";

async function open(
  t: TestContext,
  options: HttpServerOptions,
  more: { readonly headers?: Record<string, string>; readonly world?: Parameters<typeof openWorld>[2] } = {},
): Promise<{ readonly world: McpWorld; readonly server: HttpServerUnderTest }> {
  const server = await startHttpServer(options);
  afterTest(t, () => server.close());
  const kind = options.kind === "sse" ? "sse" : "http";
  const setting = settingOf({ kind, url: server.url, headers: more.headers ?? {} }, { name: "web" });
  const world = await openWorld(t, [setting], more.world);
  await world.servers.load(patienceMs);
  return { world, server };
}

async function call(world: McpWorld, tool: string, input: unknown = {}): Promise<Execution> {
  return world.engine().engine.call({ tool, input });
}

for (const kind of ["json", "stream", "sse", "modern"] as const) {
  test(`a server that answers over HTTP (${kind}) is called like any other [C9]`, async (t) => {
    const { world } = await open(t, { kind });
    const { state, result, sandbox } = await call(world, "web__echo", { text: "hello" });
    assert.deepEqual([state, result, sandbox], ["completed", { ok: true, output: "you said hello" }, null]);
    const fail = await call(world, "web__fail");
    assert.deepEqual([fail.state, fail.error], ["failed", "the disk is full"]);
    const version = kind === "modern" ? "2026-07-28" : "2025-11-25";
    assert.equal(world.servers.status()[0]?.protocolVersion, version);
  });
}

test("requests carry the session, the version and the person's headers, over one connection that is kept [C9]", async (t) => {
  const { world, server } = await open(
    t,
    { kind: "stream", token: "t0p" },
    { headers: { Authorization: "Bearer ${TOKEN}" }, world: { env: { TOKEN: "t0p" } } },
  );
  await call(world, "web__echo", { text: "a" });
  await call(world, "web__echo", { text: "b" });
  const last = server.headers.at(-1)!;
  assert.deepEqual(
    [last["mcp-session-id"], last["mcp-protocol-version"], last.authorization],
    ["session-1", "2025-11-25", "Bearer t0p"],
  );
  // One for requests, one for what the server says unasked, and one while both were new.
  assert.ok(server.connections() <= 3, `${server.connections()} connections`);
});

test("a stateless request says in its headers what it is about [C9]", async (t) => {
  const { world, server } = await open(t, { kind: "modern" });
  await call(world, "web__echo", { text: "a" });
  const last = server.headers.at(-1)!;
  assert.deepEqual(
    [last["mcp-protocol-version"], last["mcp-method"], last["mcp-name"]],
    ["2026-07-28", "tools/call", "echo"],
  );
});

test("a server that forgot the session gets a new one, and the call runs once [C9]", async (t) => {
  const { world, server } = await open(t, { kind: "stream" });
  server.forget();
  const { state, result } = await call(world, "web__echo", { text: "again" });
  assert.deepEqual([state, result?.output], ["completed", "you said again"]);
});

test("questions and progress come on the call's own stream [C9]", async (t) => {
  const answers = [
    { answered: true, text: "red", selected: ["red"] },
    { answered: true, text: "9" },
  ] as const;
  const { world } = await open(t, { kind: "stream" }, { world: { answers, cancelMs: 5000 } });
  assert.equal(
    (await call(world, "web__ask")).result?.output,
    '{"action":"accept","content":{"colour":"red","count":9}}',
  );
  const { engine, eventsOf } = world.engine();
  const running = engine.call({ tool: "web__slow", input: {} });
  await until("its progress", () => eventsOf("execution:progressed").length > 0);
  engine.cancel(running.id, "enough");
  assert.deepEqual([(await running).state, (await running).stopProof], ["cancelled", "cooperative"]);
});

test("a call over HTTP that ignores its cancel ends without a proof, because nobody can see what still runs there [C9 E4]", async (t) => {
  const { world, server } = await open(t, { kind: "json" }, { world: { cancelMs: 50 } });
  const { engine } = world.engine();
  const running = engine.call({ tool: "web__deaf", input: {} });
  // The handshake, two pages of tools, and the call.
  await until("the call is there", () => server.headers.length === 5);
  engine.cancel(running.id, "enough");
  assert.deepEqual([(await running).state, (await running).stopProof], ["cancelled", "none"]);
});

test("tools that change on a server over HTTP are noticed [C9]", async (t) => {
  const { world } = await open(t, { kind: "stream" });
  await call(world, "web__grow");
  await until("the new tool", () => world.servers.tools().some(({ name }) => name === "web__grown"));
});

test("a wrong URL, a missing token, a redirect and a closed port are one clear sentence each [C9]", async (t) => {
  const guarded = await startHttpServer({ kind: "json", token: "t" });
  const moved = await startHttpServer({ kind: "json", redirectTo: "https://elsewhere.example/mcp" });
  const gone = await startHttpServer({ kind: "json" });
  await gone.close();
  for (const each of [guarded, moved]) afterTest(t, () => each.close());
  const urls = {
    guarded: guarded.url,
    moved: moved.url,
    gone: gone.url,
    scheme: "ftp://example.com/",
    metadata: "http://metadata.google.internal/",
    userinfo: "http://a:b@example.com/",
  };
  const settings = Object.entries(urls).map(([name, url]) => settingOf({ kind: "http", url, headers: {} }, { name }));
  const { servers } = await openWorld(t, settings);
  await servers.load(patienceMs);
  const told = Object.fromEntries(servers.status().map(({ name, problem }) => [name, problem ?? ""]));
  assert.match(
    told["guarded"]!,
    /^The MCP server "guarded" wants to be authorized \(HTTP 401\): put a token into its "headers"/,
  );
  assert.match(
    told["moved"]!,
    /^The MCP server "moved" is redirected to https:\/\/elsewhere\.example\/mcp: put that URL/,
  );
  assert.match(
    told["gone"]!,
    /^The MCP server "gone" can't be reached: No connection to port \d+ \(127\.0\.0\.1: connect ECONNREFUSED/,
  );
  assert.match(told["scheme"]!, /^The MCP server "scheme" can't be reached: The URL .*http/);
  assert.match(told["userinfo"]!, /^The MCP server "userinfo" can't be reached: The URL /);
  assert.match(told["metadata"]!, /^The MCP server "metadata" can't be reached: /);
});
