import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import { openRuntime } from "../support/runtime.ts";
import { failed, openSmallWeb, outputOf, settings } from "./small-web.ts";
import { openServer } from "./web-server.ts";

test("where the environment names a proxy the fetch is refused, or goes through it when it is trusted [G5]", async (t) => {
  const proxied: string[] = [];
  const proxy = await openServer(t, (request, response) => {
    proxied.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
    response.writeHead(200, { "content-type": "text/plain" }).end("through the proxy");
  });
  const web = await openSmallWeb(t, (_, response) => void response.end("direct"));
  const env = { http_proxy: `http://me:word@127.0.0.1:${proxy.port}`, no_proxy: "exempt.example" };
  const refused = failed(await web.fetch({ url: "http://example.com/" }, { env }));
  assert.match(refused.error, /http_proxy names a proxy/);
  assert.match(refused.hint!, /tools\.web\.proxy/);
  assert.match(outputOf(await web.fetch({ url: "http://exempt.example/" }, { env })), /direct/);

  const trusting = { env, settings: { ...settings, proxy: "trust" as const } };
  assert.match(outputOf(await web.fetch({ url: "http://example.com/a?b" }, trusting)), /through the proxy/);
  assert.deepEqual(proxied, [`GET http://example.com/a?b Basic ${Buffer.from("me:word").toString("base64")}`]);
  assert.match(failed(await web.fetch({ url: "http://127.0.0.1/" }, trusting)).error, /127\.0\.0\.1/);
});

test("an encrypted page goes through a tunnel of the trusted proxy, and a tunnel that is refused is told", async (t) => {
  const tunnels: string[] = [];
  const proxy = await openServer(t, (_, response) => void response.end());
  proxy.server.on("connect", ({ url }: IncomingMessage, socket: Socket) => {
    tunnels.push(url!);
    socket.end(url === "open.example:443" ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  const web = await openSmallWeb(t, (_, response) => void response.end("direct"));
  const env = { HTTPS_PROXY: `127.0.0.1:${proxy.port}` };
  const trusting = { env, settings: { ...settings, proxy: "trust" as const } };
  const refused = failed(await web.fetch({ url: "https://closed.example/" }, trusting));
  assert.equal(refused.error, "The proxy answered 403 instead of opening a tunnel.");
  // Behind the tunnel nobody speaks TLS.
  assert.match(failed(await web.fetch({ url: "https://open.example/" }, trusting)).error, /^The connection failed/);
  assert.deepEqual([tunnels, web.connected], [["closed.example:443", "open.example:443"], []]);
  const dead = { ...trusting, env: { HTTPS_PROXY: "http://me:hidden-word@127.0.0.1:1" } };
  const unreachable = failed(await web.fetch({ url: "https://open.example/" }, dead));
  assert.equal(unreachable.error, "The proxy 127.0.0.1:1 of the environment does not answer.");
});

test("a fetch is asked for by its host, and a rule for that host settles it [C1]", async (t) => {
  const titles: string[] = [];
  const runtime = await openRuntime(t, {
    settings: { permissions: { deny: ["web_fetch(domain:evil.example)"], allow: ["web_fetch(domain:127.0.0.1)"] } },
    approve({ title, rules }) {
      titles.push(`${title} ${rules.join()}`);
      return Promise.resolve({ decision: "deny", who: "somebody" });
    },
  });
  const asAgent = { door: "agent" } as const;
  const asked = await runtime.call("WebFetch", { url: "https://docs.example/" }, asAgent);
  assert.equal(asked.errorType, "denied");
  assert.match(titles[0]!, /web_fetch\(domain:docs\.example\)$/);
  const denied = await runtime.call("fetch", { url: "https://sub.evil.example/" }, asAgent);
  assert.match(denied.error ?? "", /deny web_fetch\(domain:evil\.example\)/);
  const allowed = await runtime.call("web_fetch", { url: "http://127.0.0.1/" }, asAgent);
  assert.match(allowed.error ?? "", /only public addresses/);
  assert.equal(titles.length, 1);
});
