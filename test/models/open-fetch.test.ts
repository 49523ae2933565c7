import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { openFetch } from "../../src/models/http/open-fetch.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { endOf, openTestModel, requestOf } from "./support/open-test-model.ts";
import { wireEvents } from "./support/wire-replies.ts";

type Context = { after(hook: () => Promise<void>): void };

async function listen(t: Context, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(t, async () => {
    // A tunnel is no connection of the server any more, but keeps it open.
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A server at https://model.test, whose certificate nobody trusts, and a proxy that leads every host to it. */
async function openProxiedServer(t: Context) {
  const folder = await temporaryFolder(t);
  const [keyPath, certificatePath] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const certificate = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=model.test";
  const names = ["-addext", "subjectAltName=DNS:model.test,DNS:localhost"];
  const files = ["-keyout", keyPath, "-out", certificatePath];
  await promisify(execFile)("openssl", [...certificate.split(" "), ...names, ...files]);
  const [key, cert] = [await readFile(keyPath), await readFile(certificatePath)];
  const secure = createSecureServer({ key, cert }, (message, response) => {
    message.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (message.url === "/hang") response.write("data: {}\n\n");
    else response.end(wireEvents.openai({ text: ["through"] }).join(""));
  });
  const port = await listen(t, secure);
  const asked: string[] = [];
  const proxy = createServer((message, response) => {
    asked.push(`${message.method} ${message.url}`);
    response.end("plain");
  });
  proxy.on("connect", (message, client) => {
    asked.push(`CONNECT ${message.url}`);
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on("error", () => upstream.destroy());
  });
  const proxyUrl = `http://127.0.0.1:${await listen(t, proxy)}`;
  return { certificatePath, asked, proxyUrl, port };
}

test("no way follows a redirect: directly, past a proxy, through one [L3]", async (t) => {
  const stolen: string[] = [];
  const thief = createServer((message, response) => {
    stolen.push(message.url ?? "");
    response.end("got it");
  });
  const location = `http://127.0.0.1:${await listen(t, thief)}/steal`;
  const server = createServer((message, response) => {
    message.resume();
    response.writeHead(307, { location }).end();
  });
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  const cases = [
    [{}, url],
    [{ NO_PROXY: "a", HTTPS_PROXY: "" }, url],
    [{ HTTP_PROXY: "http://127.0.0.1:1" }, url],
    [{ HTTP_PROXY: url }, "http://plain.test"],
  ] as const;
  for (const [env, address] of cases) {
    const answer = await openFetch(env)(`${address}/x`, { method: "POST", body: "secret" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [307, location]);
    await answer.text();
  }
  assert.deepEqual(stolen, []);
});

test("a reply comes through HTTPS_PROXY from a server whose authority SSL_CERT_FILE names [L3]", async (t) => {
  const { certificatePath, asked, proxyUrl } = await openProxiedServer(t);
  const fetch = openFetch({ HTTPS_PROXY: proxyUrl, SSL_CERT_FILE: certificatePath });
  const end = await endOf((await openTestModel("openai", "https://model.test", { fetch })).stream(requestOf()));
  assert.deepEqual(end.type === "finished" && end.parts, [{ type: "text", text: "through" }]);
  assert.deepEqual(asked, ["CONNECT model.test:443"]);
});

test("without its authority the server is not trusted, and the sentence says what to set [L3]", async (t) => {
  const { proxyUrl } = await openProxiedServer(t);
  const fetch = openFetch({ https_proxy: proxyUrl });
  const end = await endOf((await openTestModel("openai", "https://model.test", { fetch })).stream(requestOf()));
  assert.ok(end.type === "failed");
  assert.equal(end.failure.kind, "unreachable");
  assert.match(end.failure.message, /model\.test: its certificate is not trusted .*NODE_EXTRA_CA_CERTS/);
});

test("this machine and the hosts of NO_PROXY are reached without the proxy [L3]", async (t) => {
  const { certificatePath, asked, proxyUrl, port } = await openProxiedServer(t);
  const fetch = openFetch({
    HTTPS_PROXY: proxyUrl,
    HTTP_PROXY: proxyUrl,
    NO_PROXY: "other.invalid",
    SSL_CERT_FILE: certificatePath,
  });
  assert.equal((await fetch(`https://localhost:${port}/`)).status, 200);
  await assert.rejects(fetch("https://other.invalid/"), { code: /ENOTFOUND|EAI_AGAIN/ });
  assert.deepEqual(asked, []);
  assert.equal(await (await fetch("http://plain.test/x", { method: "POST", body: "b" })).text(), "plain");
  assert.deepEqual(asked, ["POST http://plain.test/x"]);
});

test("a proxy that is not there, not known or not willing is named, without its password [L3]", async (t) => {
  const closed = createServer();
  const closedPort = await listen(t, closed);
  await new Promise((resolve) => closed.close(resolve));
  const unwilling = createServer();
  unwilling.on("connect", (_, client) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  const unwillingPort = await listen(t, unwilling);
  const cases = [
    [`127.0.0.1:${closedPort}`, /: nothing listens at the proxy 127\.0\.0\.1:\d+; .* HTTPS_PROXY right\?$/, undefined],
    ["no-such-proxy.invalid:3128", /: the name of the proxy no-such-proxy\.invalid:3128 is not known; /, undefined],
    [`127.0.0.1:${unwillingPort}`, /: the proxy 127\.0\.0\.1:\d+ does not lead there \(it answered 403\); /, 1],
  ] as const;
  for (const [proxy, words, maxAttempts] of cases) {
    const fetch = openFetch({ HTTPS_PROXY: `http://person:password@${proxy}` });
    const end = await endOf((await openTestModel("openai", "https://model.test", { fetch })).stream(requestOf()));
    assert.ok(end.type === "failed");
    assert.deepEqual([end.failure.kind, end.failure.maxAttempts], ["unreachable", maxAttempts], end.failure.message);
    assert.match(end.failure.message, /^OpenAI can't be reached at model\.test: /);
    assert.match(end.failure.message, words);
    assert.doesNotMatch(end.failure.message, /password/);
  }
});

test("a reply through a proxy can be stopped [L2]", async (t) => {
  const { certificatePath, proxyUrl } = await openProxiedServer(t);
  const fetch = openFetch({ HTTPS_PROXY: proxyUrl, SSL_CERT_FILE: certificatePath });
  const controller = new AbortController();
  const answer = await fetch("https://model.test/hang", { signal: controller.signal });
  controller.abort();
  await assert.rejects(answer.text());
  await assert.rejects(fetch("https://model.test/", { signal: controller.signal }), { name: "AbortError" });
});

test("a proxy or a file that can't be meant is said in one sentence [L3]", () => {
  assert.throws(() => openFetch({ HTTPS_PROXY: "socks5://h:1" }), {
    code: "CONFIG_INVALID",
    message: /^HTTPS_PROXY must name an http/,
  });
  assert.throws(() => openFetch({ SSL_CERT_FILE: "/no/such.pem" }), {
    code: "CONFIG_INVALID",
    message: "SSL_CERT_FILE names /no/such.pem, which can't be read (ENOENT); correct or unset it.",
  });
});
