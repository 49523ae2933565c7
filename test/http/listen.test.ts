import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
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
  let listening: Pick<Listening, "hosts"> = { hosts: [] };
  const server = createLimitedServer((asked, response) => {
    const refusal = checkHost(asked, listening.hosts);
    if (refusal) refuse(asked, response, { ...refusal, body: { sentence: refusal.sentence } });
    else response.end("in");
  });
  const opened = await listenOn(server, place, "The test");
  listening = opened;
  afterTest(t, async () => {
    const closed = opened.close();
    server.closeAllConnections();
    await closed;
  });
  return opened;
}

/** Whether this machine has ::1 at all. */
const hasLoopback6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

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
  const six = hasLoopback6 ? [`[::1]:${port}`] : [];
  assert.deepEqual(hosts, [`127.0.0.1:${port}`, `localhost:${port}`, ...six]);
  const target = { host: "127.0.0.1", port };
  for (const host of hosts) {
    assert.equal(await statusOf(target, { host }), 200, host);
    assert.equal(await statusOf(target, { host, origin: `http://${host}` }), 200, host);
  }
  assert.equal(await statusOf(target, { host: hosts[0]!, origin: "null" }), 403);
  assert.equal(await statusOf(target, { host: "localhost" }), 403);
  const socketPath = join(await temporaryFolder(t), "s");
  const { close: _, ...place } = await open(t, { socketPath });
  assert.deepEqual(place, { hosts: ["localhost"], origin: null });
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

const withLoopback6 = { skip: hasLoopback6 ? false : "this machine has no ::1" };

test(
  "the port is ours on ::1 as well, with the same answers, until it is closed on both [G6]",
  withLoopback6,
  async (t) => {
    const { hosts, origin, close } = await open(t, { port: 0 });
    const port = Number(origin!.split(":").at(-1));
    const target = { host: "::1", port };
    for (const host of hosts) assert.equal(await statusOf(target, { host }), 200, host);
    assert.equal(await statusOf(target, { host: `evil.example:${port}` }), 403);
    await assert.rejects(once(createServer().listen(port, "::1"), "listening"), { code: "EADDRINUSE" });
    await close();
    for (const host of ["::1", "127.0.0.1"]) {
      await assert.rejects(statusOf({ host, port }, { host: hosts[0]! }), { code: "ECONNREFUSED" }, host);
    }
  },
);

test("a port that another program has on ::1 is not taken on 127.0.0.1 either [G6]", withLoopback6, async (t) => {
  const other = createServer().listen(0, "::1");
  await once(other, "listening");
  afterTest(t, () => new Promise<void>((resolve) => other.close(() => resolve())));
  const { port } = other.address() as { readonly port: number };
  await assert.rejects(open(t, { port }), {
    code: "CONFIG_INVALID",
    message: `The test can't be served on port ${port} of ::1: another program listens there; name another one.`,
  });
  await assert.rejects(statusOf({ host: "127.0.0.1", port }, {}), { code: "ECONNREFUSED" });
});

test("connections over the limit are closed on ::1 as well [G6]", withLoopback6, async (t) => {
  const server = createLimitedServer((_, response) => response.end("in"), {
    headersMs: 10_000,
    requestMs: 10_000,
    connections: 0,
    stalledMs: 10_000,
  });
  const { origin, close } = await listenOn(server, { port: 0 }, "The test");
  afterTest(t, () => close());
  const port = Number(origin!.split(":").at(-1));
  await assert.rejects(statusOf({ host: "::1", port }, {}), { code: /^(ECONNRESET|EPIPE)$/ });
});

test("a socket is nobody else's from its first moment on, and the mask of the process stays [G6]", async (t) => {
  const socketPath = join(await temporaryFolder(t), "s");
  const before = process.umask();
  const server = createLimitedServer((_, response) => response.end("in"));
  // Before whoever listens hears of it.
  const modes: number[] = [];
  server.prependListener("listening", () => modes.push(statSync(socketPath).mode & 0o777));
  const { close } = await listenOn(server, { socketPath }, "The test");
  afterTest(t, () => close());
  assert.deepEqual([modes, process.umask()], [[0o600], before]);
});

test("a socket's folder that is a link, another user's or open to others is refused in one sentence [G6]", async (t) => {
  const home = await temporaryFolder(t);
  const folder = join(home, "folder");
  mkdirSync(folder, { mode: 0o700 });
  const refused = (path: string, why: string): Promise<void> =>
    assert.rejects(open(t, { socketPath: path }), {
      code: "CONFIG_INVALID",
      message: `The test can't be served on the socket ${path}: ${why}; name another one.`,
    });
  symlinkSync(folder, join(home, "link"));
  for (const path of ["link/s", "link/./s", "link//s"]) {
    await refused(`${home}/${path}`, "its folder is a link, which may lead elsewhere tomorrow");
  }
  for (const mode of [0o720, 0o702, 0o777, 0o1777]) {
    chmodSync(folder, mode);
    await refused(join(folder, "s"), "others can write to its folder (chmod go-w takes that away)");
  }
  chmodSync(folder, 0o755);
  await open(t, { socketPath: join(folder, "s") });
  if (process.getuid?.() !== 0) return;
  chownSync(folder, 65_534, 65_534);
  await refused(join(folder, "other"), "its folder is another user's");
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
