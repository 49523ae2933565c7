import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { codeOf } from "../../../src/core/errors.ts";
import { serveHttp, type HttpDoor } from "../../../src/mcp/server/http/serve-http.ts";
import { readToken, tokenFileIn } from "../../../src/mcp/server/http/token-file.ts";
import { afterTest } from "../../support/after-test.ts";
import { until } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { createScriptedDesk, type ScriptedDesk } from "./support/scripted-desk.ts";
import { partsOf } from "./support/server-parts.ts";

const token = "t".repeat(64);
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const megabyte = 1024 * 1024;

interface World {
  readonly door: HttpDoor;
  readonly desk: ScriptedDesk;
  readonly port: number;
}

async function serve(t: TestContext, listen: Parameters<typeof serveHttp>[1]["listen"] = { port: 0 }): Promise<World> {
  const desk = createScriptedDesk();
  const door = await serveHttp(partsOf(desk), { listen, token, onError: () => undefined });
  afterTest(t, () => door.close());
  return { door, desk, port: Number(/:(\d+)\//.exec(door.url)?.[1]) };
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly socketPath?: string;
}

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** What `fetch` would not let a web page send, a program on this machine can. */
function ask(
  port: number,
  { method = "POST", path = "/mcp", headers = {}, body, socketPath }: Asked = {},
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const usual = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const sent = Object.fromEntries(Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== ""));
  const place = socketPath === undefined ? { host: "127.0.0.1", port } : { socketPath };
  const request = httpRequest({ ...place, method, path, headers: sent, setHost: false }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    response.on("end", () => resolve({ status: response.statusCode!, body: text, headers: response.headers }));
  });
  request.on("error", reject);
  request.end(body ?? (method === "POST" ? ping : undefined));
  return promise;
}

for (const era of ["legacy", "modern"] as const) {
  test(`the official client starts, polls and cancels a task over HTTP (${era}) [T1, T2, T7]`, async (t) => {
    const { door, desk } = await serve(t);
    const client = new Client(
      { name: "test", version: "0" },
      { capabilities: {}, ...(era === "modern" ? { versionNegotiation: { mode: "auto" } } : {}) },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(door.url), { requestInit }));
    afterTest(t, () => client.close());
    const { tools } = await client.listTools();
    assert.equal(tools.length, 7);
    const started = await client.callTool({ name: "use_agent", arguments: { cli_name: "claude", message: "go" } });
    const { task_id: id } = started.structuredContent as { task_id: string };
    desk.change(id, { createdAt: Date.now() + 60_000 });
    const status = await client.callTool({ name: "get_task_status", arguments: { task_id: id } });
    assert.deepEqual(status.structuredContent, { status: "running", elapsed_time: 0 });
    const cancelled = await client.callTool({ name: "cancel_task", arguments: { task_id: id } });
    const error = "by an MCP client";
    assert.deepEqual(cancelled.structuredContent, { task_id: id, state: "cancelled", stop_proof: "group", error });
  });
}

test("a request needs the token, and only in its own header [G6]", async (t) => {
  const { port } = await serve(t);
  assert.equal((await ask(port)).status, 200);
  const wrong = ["", "Bearer", "Bearer x", `Basic ${token}`, token, `Bearer ${token}x`, `Bearer ${token.slice(1)}`];
  for (const authorization of wrong) {
    const { status, headers, body } = await ask(port, { headers: { authorization } });
    assert.deepEqual([status, headers["www-authenticate"]], [401, 'Bearer realm="deckhand"'], authorization);
    assert.equal(body.includes(token), false);
  }
  assert.equal((await ask(port, { path: `/mcp?token=${token}`, headers: { authorization: "" } })).status, 404);
});

test("a forged Host or Origin is turned away before anything else [G6]", async (t) => {
  const { port, desk } = await serve(t);
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1",
    "localhost",
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
    `0.0.0.0:${port}`,
  ]) {
    const { status, headers } = await ask(port, { headers: { host, authorization: "" } });
    assert.deepEqual([status, headers["www-authenticate"]], [403, undefined], host);
  }
  for (const origin of [
    "http://evil.example",
    "null",
    `https://localhost:${port}`,
    `http://localhost:${port}.evil.example`,
    "http://localhost",
  ]) {
    assert.equal((await ask(port, { headers: { origin } })).status, 403, origin);
  }
  const forged = `evil.example:${port}`;
  assert.equal((await ask(port, { headers: { host: forged, origin: `http://${forged}` } })).status, 403);
  assert.equal(
    (await ask(port, { headers: { host: `localhost:${port}`, origin: `http://localhost:${port}` } })).status,
    200,
  );
  assert.deepEqual(desk.requests, []);
});

test("two Host headers in one request are refused [G6]", async (t) => {
  const { port } = await serve(t);
  const socket = connect(port, "127.0.0.1");
  afterTest(t, () => Promise.resolve(socket.destroy()));
  const lines = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Host: evil.example",
    `Authorization: Bearer ${token}`,
    "Content-Length: 0",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  socket.on("close", () => resolve(text));
  assert.match(await promise, /^HTTP\/1\.1 (400|403) /);
});

test("no web page gets anything from it: no CORS, no preflight, no form, no other path or method [G6]", async (t) => {
  const { port } = await serve(t);
  const preflight = await ask(port, { method: "OPTIONS", headers: { origin: `http://localhost:${port}` } });
  assert.equal(preflight.status, 405);
  assert.deepEqual(
    Object.keys(preflight.headers).filter((name) => name.startsWith("access-control")),
    [],
  );
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
    assert.equal((await ask(port, { headers: { "content-type": type } })).status, 415, type);
  }
  for (const method of ["GET", "DELETE", "PUT"]) assert.equal((await ask(port, { method })).status, 405, method);
  for (const path of ["/", "/mcp/", "/mcp/../mcp", "//mcp"])
    assert.equal((await ask(port, { path })).status, 404, path);
});

test("a message of 10 MB arrives; one that is too large gets a sentence, and the next request its answer [G6, T1]", async (t) => {
  const { port, desk } = await serve(t);
  const message = "x".repeat(10 * megabyte);
  const params = { name: "use_agent", arguments: { cli_name: "claude", message } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  assert.equal((await ask(port, { body })).status, 200);
  assert.equal(desk.requests[0]!.message.length, message.length);
  const tooLarge = await ask(port, { body: Buffer.alloc(33 * megabyte, "x") });
  assert.equal(tooLarge.status, 413);
  assert.match(tooLarge.body, /33554432/);
  assert.equal((await ask(port)).status, 200);
});

test("garbage in a body gets an error of the protocol, and the next request its answer [G6]", async (t) => {
  const { port } = await serve(t);
  for (const body of ["garbage", "", "[]", "{", "null", '{"jsonrpc":"2.0"}', Buffer.from([0xff, 0xfe])]) {
    const { status } = await ask(port, { body });
    assert.equal(status >= 400 && status < 500, true, `${status} for ${String(body)}`);
  }
  assert.equal((await ask(port)).status, 200);
});

test("a header that is too large is refused by the server itself [G6]", async (t) => {
  const { port } = await serve(t);
  const refused = await ask(port, { headers: { "x-large": "x".repeat(20 * 1024) } }).catch(codeOf);
  // Whether the answer or the end of the connection comes first is up to the system.
  assert.match(typeof refused === "object" ? String(refused.status) : String(refused), /^(431|ECONNRESET|EPIPE)$/);
  assert.equal((await ask(port)).status, 200);
});

test("a client that hangs up in the middle of a wait leaves the task alone, and the next one is served [T3]", async (t) => {
  const { port, desk } = await serve(t);
  const { id } = desk.put({ state: "running" });
  const params = { name: "wait_for_task", arguments: { task_id: id, timeout: 45 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const request = httpRequest({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/mcp",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
  });
  const closed = new Promise((resolve) => request.on("close", resolve));
  request.on("error", () => undefined).end(body);
  await until("the server waits", () => desk.waiting > 0);
  request.destroy();
  await closed;
  await until("nobody waits any more", () => desk.waiting === 0);
  assert.equal((await ask(port)).status, 200);
  assert.equal((await desk.get(id))?.state, "running");
  assert.deepEqual(desk.cancelled, []);
});

test("it listens on this machine's own addresses alone [G6]", async (t) => {
  const { door, port } = await serve(t);
  assert.equal(door.url, `http://127.0.0.1:${port}/mcp`);
  const others = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal));
  for (const host of ["127.0.0.2", ...others.map(({ address }) => address)]) {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const socket = connect({ host, port });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on("connect", () => resolve("connected"));
    assert.notEqual(await promise, "connected", host);
    socket.destroy();
  }
});

test("a port that is taken is said in one sentence [G6]", async (t) => {
  const { port } = await serve(t);
  await assert.rejects(serve(t, { port }), {
    code: "CONFIG_INVALID",
    message: `MCP can't be served on port ${port} of 127.0.0.1: another program listens there; name another one.`,
  });
});

test("over a Unix socket only its owner gets in, with the token as well [G6]", async (t) => {
  const socketPath = join(await temporaryFolder(t), "mcp.sock");
  const first = await serve(t, { socketPath });
  assert.equal(statSync(socketPath).mode & 0o777, 0o600);
  const asked = { socketPath, headers: { host: "localhost" } };
  assert.equal((await ask(0, asked)).status, 200);
  assert.equal((await ask(0, { socketPath, headers: { host: "localhost", authorization: "" } })).status, 401);
  assert.equal((await ask(0, { socketPath, headers: { host: "evil.example" } })).status, 403);
  await assert.rejects(serve(t, { socketPath }), /another program listens there/);
  await first.door.close();
  writeFileSync(socketPath, "a file of somebody's");
  await assert.rejects(serve(t, { socketPath }), { code: "CONFIG_INVALID", message: /: a file is there already; / });
  await assert.rejects(
    serve(t, { socketPath: `${socketPath}.d/mcp` }),
    /: its folder does not exist; name another one/,
  );
  await assert.rejects(
    serve(t, { socketPath: socketPath + "x".repeat(200) }),
    /: that path is too long for a socket; /,
  );
  assert.equal(readFileSync(socketPath, "utf8"), "a file of somebody's");
});

test("the socket that a killed server left behind is replaced [G6]", async (t) => {
  const socketPath = join(await temporaryFolder(t), "mcp.sock");
  const program = `require("node:net").createServer().listen(${JSON.stringify(socketPath)}, () => console.log("listening"))`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(statSync(socketPath).isSocket(), true);
  await serve(t, { socketPath });
  assert.equal((await ask(0, { socketPath, headers: { host: "localhost" } })).status, 200);
});

test("the token is made once, 256 bits in a private file, and refused where others can read it [G6]", async (t) => {
  const folder = join(await temporaryFolder(t), "state");
  const file = tokenFileIn(folder);
  const made = readToken(file);
  assert.match(made, /^[0-9a-f]{64}$/);
  assert.equal(readToken(file), made);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  chmodSync(file, 0o644);
  assert.throws(() => readToken(file), { code: "CONFIG_INVALID", message: /nobody else can read \(mode 0600\)/ });
  chmodSync(file, 0o600);
  writeFileSync(file, "short\n");
  assert.throws(() => readToken(file), { code: "CONFIG_INVALID" });
});

test("a request that can't be understood gets one sentence, over HTTP as well [T3]", async (t) => {
  const { port } = await serve(t);
  for (const [method, params, wrong] of [
    ["tools/call", {}, "params.name: Invalid input: expected string, received undefined"],
    ["tools/list", { cursor: 5 }, "params.cursor: Invalid input: expected string, received number"],
  ] as const) {
    const { body } = await ask(port, { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
    assert.deepEqual(JSON.parse(/^data: (.*)$/m.exec(body)![1]!), {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32602, message: `This request can't be understood: ${wrong}.` },
    });
  }
});
