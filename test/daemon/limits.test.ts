import assert from "node:assert/strict";
import { apiRoutes } from "../../src/daemon/api/routes.ts";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import test from "node:test";
import type { TestContext } from "node:test";
import { readJsonBody, strangersBody } from "../../src/daemon/server/answer-request.ts";
import { afterTest } from "../support/after-test.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { until } from "../support/runtime.ts";
import { openDaemon, sendRaw } from "./support/daemon.ts";

const megabyte = 1024 * 1024;

function open(t: TestContext, port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  afterTest(t, () => Promise.resolve(socket.destroy()));
  return socket;
}

function head(port: number, token: string, lines: readonly string[]): string {
  return (
    [`POST /api/login/code HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, ...lines].join(
      "\r\n",
    ) + "\r\n\r\n"
  );
}

test("a body of 1 GB is refused at once: not a byte of it is waited for [G6]", async (t) => {
  const { port, token, ask } = await openDaemon(t);
  const lines = ["Content-Type: application/json", `Content-Length: ${1024 * megabyte}`];
  const socket = open(t, port);
  socket.write(head(port, token, lines));
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 413 [^]*"code":"TOO_LARGE"/);
  assert.match(answer.toString(), /connection: close/i);
  assert.equal((await ask()).status, 200);
});

test("whoever asks first whether a large body is wanted is told so before sending it; a small one is wanted [G6]", async (t) => {
  const { port, token } = await openDaemon(t);
  const lines = ["Content-Type: application/json", "Expect: 100-continue"];
  const large = await sendRaw(t, port, head(port, token, [...lines, `Content-Length: ${2 * megabyte}`]));
  assert.match(large, /^HTTP\/1\.1 413 /);
  const socket = open(t, port);
  socket.write(head(port, token, [...lines, "Content-Length: 2", "Connection: close"]));
  const [first] = (await once(socket, "data")) as [Buffer];
  assert.match(first.toString(), /^HTTP\/1\.1 100 /);
  socket.write("{}");
  const [second] = (await once(socket, "data")) as [Buffer];
  assert.match(second.toString(), /^HTTP\/1\.1 200 [^]*"code":/);
});

test("a body that does not say how long it is ends where the limit is [G6]", async (t) => {
  const { port, token, ask } = await openDaemon(t);
  const socket = open(t, port);
  let answer = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (answer += piece));
  socket.write(head(port, token, ["Content-Type: application/json", "Transfer-Encoding: chunked"]));
  const piece = "x".repeat(65_536);
  for (let sent = 0; sent < 4 * megabyte && !socket.destroyed; sent += piece.length) {
    if (!socket.write(`10000\r\n${piece}\r\n`)) {
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
    }
  }
  await until("the server closes", () => socket.destroyed || answer !== "");
  // Whether the answer or the end of the connection comes first is up to the system.
  assert.match(answer, /^$|^HTTP\/1\.1 413 /);
  assert.equal((await ask()).status, 200);
});

test("a body of somebody without a token is small, and is not waited for longer than 10 s [G6]", async (t) => {
  const { ask } = await openDaemon(t);
  const large = await ask({ path: "/api/login", body: { code: "x".repeat(5000) }, headers: { authorization: "" } });
  assert.deepEqual(
    [large.status, large.json()],
    [413, { error: { code: "TOO_LARGE", message: "A body has at most 4096 bytes here." } }],
  );

  const clock = createManualClock();
  const request = new PassThrough() as unknown as IncomingMessage;
  request.headers = {};
  const body = readJsonBody(request, new PassThrough() as unknown as ServerResponse, { ...strangersBody, clock });
  (request as unknown as PassThrough).write('{"code":');
  clock.advance(9_999);
  assert.equal(clock.waiting, 1);
  clock.advance(1);
  await assert.rejects(body, { code: "TOO_SLOW", message: "The body was not there within 10 s." });
  assert.equal(clock.waiting, 0);
});

test("what is no JSON is one sentence, no body at all is an empty object, and the next request gets its answer [G6]", async (t) => {
  const { ask } = await openDaemon(t);
  for (const body of ["garbage", "{", "[1,", Buffer.from([0xff, 0xfe])]) {
    const answer = await ask({ path: "/api/login/code", body });
    assert.deepEqual(
      [answer.status, answer.json()],
      [400, { error: { code: "BAD_REQUEST", message: "The body is not JSON." } }],
    );
  }
  assert.equal((await ask({ method: "POST", path: "/api/login/code" })).status, 200);
  assert.equal((await ask({ path: "/api/calls/%E0%A4%A" })).status, 400);
});

test("headers of 10 MB are refused by the server itself [G6]", async (t) => {
  const { port, ask } = await openDaemon(t);
  const socket = open(t, port);
  let answer = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (answer += piece));
  socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Large: `);
  for (let sent = 0; sent < 10 && !socket.destroyed; sent++) socket.write("x".repeat(megabyte));
  await until("the server closes", () => socket.destroyed || answer !== "");
  assert.match(answer, /^$|^HTTP\/1\.1 431 /);
  assert.equal((await ask()).status, 200);
});

test("headers, or a body, that come a byte at a time are not waited for [G6]", async (t) => {
  const { port, token, ask } = await openDaemon(t, { limits: { headersMs: 200, requestMs: 400 } });
  const slowHeaders = open(t, port);
  const slowBody = open(t, port);
  slowBody.write(head(port, token, ["Content-Type: application/json", "Content-Length: 100"]));
  slowHeaders.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `);
  const drip = setInterval(() => {
    slowHeaders.write("x");
    slowBody.write(" ");
  }, 50);
  afterTest(t, () => Promise.resolve(clearInterval(drip)));
  const closed = await Promise.all([slowHeaders, slowBody].map((socket) => sayOfEnd(socket)));
  for (const said of closed) assert.match(said, /^$|^HTTP\/1\.1 408 /);
  assert.equal((await ask()).status, 200);
});

function sayOfEnd(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (answer += piece));
  socket.on("close", () => resolve(answer));
  return promise;
}

test("connections beyond the limit are closed, and there is room again when others have gone [G6]", async (t) => {
  const { port, ask } = await openDaemon(t, { limits: { connections: 4 } });
  const idle = Array.from({ length: 4 }, () => open(t, port));
  await Promise.all(idle.map((socket) => once(socket, "connect")));
  await until("a further one is turned away", async () => (await ask().catch(() => null)) === null);
  for (const socket of idle) socket.destroy();
  await until("there is room", async () => (await ask().catch(() => null))?.status === 200);
});

test("a body that is nested deeply is refused by every route with a sentence, and no call is made [D6]", async (t) => {
  const { ask, told } = await openDaemon(t);
  const nest = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  const deep = nest(20_000);
  const bodiesOf = (levels: string): string[] => [
    levels,
    `{"name":"x","tool":"read","input":{"a":${levels}},"every":"1h"}`,
    `{"code":${levels}}`,
  ];
  const paths = apiRoutes.filter(({ method }) => method === "POST").map(({ path }) => path.replaceAll(/:\w+/g, "x"));
  for (const path of [...paths, "/api/login"]) {
    // Without a token a body is small.
    for (const body of bodiesOf(path === "/api/login" ? nest(1000) : deep)) {
      const { status, json } = await ask({ path, body, method: "POST" });
      assert.deepEqual(
        [status, json()],
        [400, { error: { code: "BAD_REQUEST", message: "The body is nested deeper than 200 levels." } }],
        path,
      );
    }
  }
  assert.deepEqual(told, []);
  const mcp = await ask({
    path: "/mcp",
    body: deep,
    method: "POST",
    headers: { accept: "application/json, text/event-stream" },
  });
  assert.ok(mcp.status >= 400 && mcp.status < 500, `${mcp.status} ${mcp.body}`);
  // Brackets in a text are no levels.
  const flat = await ask({ path: "/api/jobs", body: JSON.stringify({ name: "[".repeat(300) + '\\"' }) });
  assert.doesNotMatch(flat.body, /nested/);
});
