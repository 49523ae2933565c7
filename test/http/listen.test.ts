import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { isSameDigest, isSameSecret, readBearer } from "../../src/http/bearer.ts";
import { checkHost } from "../../src/http/check-host.ts";
import { createLimitedServer } from "../../src/http/create-server.ts";
import { listenOn, type Listening, type ListenPlace } from "../../src/http/listen.ts";
import { refuse } from "../../src/http/refusal.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A server that does nothing but check. */
async function open(t: TestContext, place: ListenPlace): Promise<Listening> {
  let listening: Listening = { hosts: [], origin: null };
  const server = createLimitedServer((asked, response) => {
    const refusal = checkHost(asked, listening.hosts);
    if (refusal) refuse(asked, response, { ...refusal, body: { sentence: refusal.sentence } });
    else response.end("in");
  });
  listening = await listenOn(server, place, "The test");
  afterTest(t, async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return listening;
}

function statusOf(target: object, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ ...target, headers, setHost: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on("error", reject)
      .end();
  });
}

test("only the names of the place itself get in, over a port and over a socket [G6]", async (t) => {
  const { hosts, origin } = await open(t, { port: 0 });
  const port = Number(origin!.split(":").at(-1));
  assert.deepEqual(hosts, [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
  const target = { host: "127.0.0.1", port };
  for (const host of hosts) {
    assert.equal(await statusOf(target, { host }), 200, host);
    assert.equal(await statusOf(target, { host, origin: `http://${host}` }), 200, host);
  }
  assert.equal(await statusOf(target, { host: hosts[0]!, origin: "null" }), 403);
  assert.equal(await statusOf(target, { host: "localhost" }), 403);
  const socketPath = join(await temporaryFolder(t), "s");
  assert.deepEqual(await open(t, { socketPath }), { hosts: ["localhost"], origin: null });
  assert.equal(await statusOf({ socketPath }, { host: "localhost" }), 200);
  assert.equal(await statusOf({ socketPath }, { host: "localhost:80" }), 403);
});

test("a place that can't be had is one sentence with the reason, and a file of somebody's stays as it is [G6]", async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, "file");
  writeFileSync(file, "theirs");
  await assert.rejects(open(t, { socketPath: file }), {
    code: "CONFIG_INVALID",
    message: `The test can't be served on the socket ${file}: a file is there already; name another one.`,
  });
  const { origin } = await open(t, { port: 0 });
  const port = Number(origin!.split(":").at(-1));
  await assert.rejects(open(t, { port }), {
    code: "CONFIG_INVALID",
    message: `The test can't be served on port ${port} of 127.0.0.1: another program listens there; name another one.`,
  });
});

test("a token is read from its own header alone, and compared whole [G6]", () => {
  assert.equal(readBearer("Bearer abc"), "abc");
  assert.equal(readBearer("bearer  abc"), "abc");
  for (const header of [undefined, "", "Bearer", "Bearer a b", "Basic abc", "abc"]) {
    assert.equal(readBearer(header), undefined, header);
  }
  assert.equal(isSameSecret("abc", "abc"), true);
  for (const other of ["", "ab", "abcd", "abd", "ABC"]) assert.equal(isSameSecret("abc", other), false, other);
  assert.equal(isSameDigest("aa", "aaa"), false);
});
