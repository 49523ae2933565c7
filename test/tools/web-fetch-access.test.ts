import assert from "node:assert/strict";
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
