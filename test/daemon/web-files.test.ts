import assert from "node:assert/strict";
import test from "node:test";
import { openDaemon, sendRaw } from "./support/daemon.ts";

const none = { authorization: "" };

test("every page is the dashboard, without a token, under a policy that lets nothing in from elsewhere [D6, G6]", async (t) => {
  const { ask } = await openDaemon(t);
  for (const path of ["/", "/tasks", "/rollouts/some_tool", "/log?text=x"]) {
    const { status, headers, body } = await ask({ path, headers: none });
    assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"], path);
    assert.match(body, /^<!doctype html>/i);
    assert.equal(headers["cache-control"], "no-cache");
    assert.equal(
      headers["content-security-policy"],
      "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'",
    );
    assert.deepEqual(
      [headers["x-content-type-options"], headers["referrer-policy"], headers["x-frame-options"]],
      ["nosniff", "no-referrer", "DENY"],
    );
  }
});

test("a file that is not there is 404, and no path leads out of the folder [D6, G6]", async (t) => {
  const { ask, port } = await openDaemon(t);
  for (const path of [
    "/assets/nothing.js",
    "/favicon.nothing",
    "/../package.json",
    "/assets/../../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/assets/..%5c..%5cpackage.json",
    "//etc/passwd.txt",
    "/.env",
    "/assets/%00.js",
  ]) {
    const { status, body } = await ask({ path, headers: none });
    assert.equal(status, 404, `${path}: ${body.slice(0, 80)}`);
  }
  const raw = await sendRaw(
    t,
    port,
    `GET /../../etc/passwd.x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
  );
  assert.match(raw, /^HTTP\/1\.1 404 /);
});

test("assets, whose names have the hash of their content, may be kept for ever [D6]", async (t) => {
  const { ask } = await openDaemon(t);
  const { body } = await ask({ path: "/", headers: none });
  const assets = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  if (assets.length === 0) {
    assert.match(body, /was not built/);
    return;
  }
  for (const path of assets) {
    const { status, headers } = await ask({ path, headers: none });
    assert.deepEqual([status, headers["cache-control"]], [200, "public, max-age=31536000, immutable"], path);
  }
});

test("HEAD is answered like GET, without the body, wherever no token is needed [D2, D6]", async (t) => {
  const { ask } = await openDaemon(t);
  const page = await ask({ path: "/", headers: none });
  const assets = [...page.body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  for (const path of ["/", "/tasks", "/healthz", "/readyz", "/assets/nothing.js", ...assets]) {
    const get = await ask({ path, headers: none });
    const head = await ask({ method: "HEAD", path, headers: none });
    const { date: _, ...expected } = get.headers;
    const { date: _date, ...headers } = head.headers;
    assert.deepEqual([head.status, head.body, headers], [get.status, "", expected], path);
    assert.equal(headers["content-length"], String(Buffer.byteLength(get.body)), path);
  }
  for (const [path, status, allow] of [
    ["/api/status", 405, "GET"],
    ["/api/stop", 405, "POST"],
    ["/api/nothing", 404, undefined],
  ] as const) {
    const { status: got, headers } = await ask({ method: "HEAD", path });
    assert.deepEqual([got, headers.allow], [status, allow], path);
  }
  for (const path of ["/", "/healthz"]) {
    const { status, headers } = await ask({ method: "PUT", path, headers: none });
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"], path);
  }
});
