import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { createLimitedServer } from "../../src/http/create-server.ts";
import { listenOn } from "../../src/http/listen.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";

const megabyte = 1024 * 1024;

interface World {
  readonly server: Server;
  readonly port: number;
  /** Those that have no answer yet. */
  readonly taken: ServerResponse[];
}

async function open(
  t: TestContext,
  answer?: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<World> {
  const taken: ServerResponse[] = [];
  const limits = { headersMs: 60_000, requestMs: 60_000, connections: 10, stalledMs: 100 };
  const server = createLimitedServer(answer ?? ((_, response) => void taken.push(response)), limits);
  const { origin, close } = await listenOn(server, { port: 0 }, "The test");
  afterTest(t, async () => {
    server.closeAllConnections();
    await close();
  });
  return { server, port: Number(origin!.split(":").at(-1)), taken };
}

interface Caller {
  readonly socket: Socket;
  readonly text: () => string;
}

function call(t: TestContext, port: number, sent: string): Caller {
  const socket = connect(port, "127.0.0.1");
  afterTest(t, () => Promise.resolve(socket.destroy()));
  let text = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
  socket.on("error", () => undefined);
  socket.write(sent);
  return { socket, text: () => text };
}

const request = (...lines: string[]): string => ["GET / HTTP/1.1", "Host: x", ...lines].join("\r\n") + "\r\n\r\n";

test("sixteen requests may wait on one connection; one more ends it, and no other [G6]", async (t) => {
  const { port, taken } = await open(t);
  const modest = call(t, port, request().repeat(16));
  await until("all have come", () => taken.length === 16);
  for (const response of taken.splice(0)) response.end("in");
  await until("all have their answer", () => modest.text().split("HTTP/1.1 200").length === 17);
  // Those that have their answer do not count any more.
  modest.socket.write(request());
  await until("the next has come", () => taken.length === 1);

  const greedy = call(t, port, request().repeat(17));
  await once(greedy.socket, "close");
  assert.equal(greedy.text(), "");
  taken[0]!.end("in");
  await until("the other one has its answer", () => modest.text().split("HTTP/1.1 200").length === 18);
});

test("so many may wait for 100 Continue, too [G6]", async (t) => {
  const { port } = await open(t);
  const { socket } = call(t, port, request("Expect: 100-continue").repeat(17));
  await once(socket, "close");
});

test("whoever takes nothing of an answer is cut off; a call that is silent goes on [G6]", async (t) => {
  const { server, port, taken } = await open(t);
  const stalled = call(t, port, request());
  stalled.socket.pause();
  await until("it has come", () => taken.length === 1);
  taken[0]!.write(Buffer.alloc(64 * megabyte));
  await once(taken[0]!, "close");

  const patient = call(t, port, request());
  await until("it has come", () => taken.length === 2);
  await once(server, "timeout");
  taken[1]!.end("at last");
  await until(
    "it has its answer",
    () => patient.text().endsWith("at last\r\n0\r\n\r\n") || patient.text().endsWith("at last"),
  );
});

test("a client that offers HTTP/2 gets its answer; a WebSocket is refused with one sentence [G6]", async (t) => {
  const { port } = await open(t, (_, response) => response.end("in"));
  const offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"];
  const offering = call(t, port, request(...offer));
  await until("it has its answer", () => offering.text().endsWith("in"));
  assert.match(offering.text(), /^HTTP\/1\.1 200 /);
  const refused = call(t, port, request("Connection: Upgrade", "Upgrade: WebSocket"));
  await once(refused.socket, "close");
  assert.match(
    refused.text(),
    /^HTTP\/1\.1 403 [^]*\{"error":\{"code":"FORBIDDEN","message":"No WebSocket is opened here/,
  );
});
