import assert from "node:assert/strict";
import { test } from "node:test";
import { decideProxy } from "../../../src/guard/url/decide-proxy.ts";

const url = new URL("https://example.com/a");
const env = { HTTPS_PROXY: "http://proxy.corp:3128" };

test("without a proxy the connection is direct", () => {
  assert.deepEqual(decideProxy(url, {}, "refuse"), { kind: "direct" });
  assert.deepEqual(decideProxy(url, { HTTP_PROXY: "http://p", https_proxy: "" }, "refuse"), { kind: "direct" });
});

test("a proxy is refused, or it is said that the check is the proxy's [G5]", () => {
  assert.deepEqual(decideProxy(url, env, "trust"), {
    kind: "proxy",
    proxy: "http://proxy.corp:3128",
    variable: "HTTPS_PROXY",
  });
  const decision = decideProxy(url, env, "refuse");
  assert.ok(decision.kind === "refused");
  assert.match(decision.reason, /^HTTPS_PROXY names a proxy, which would resolve example\.com itself/);
  assert.equal(decideProxy(new URL("http://a.b"), { all_proxy: "socks5://p" }, "refuse").kind, "refused");
});

test("NO_PROXY exempts a host, everything below it, or one port", () => {
  for (const exempt of ["*", "example.com", ".com", "other, example.com:443", "*.com"]) {
    assert.equal(decideProxy(url, { ...env, NO_PROXY: exempt }, "refuse").kind, "direct", exempt);
  }
  for (const other of ["ample.com", "example.com:80", "example.org", ","]) {
    assert.equal(decideProxy(url, { ...env, NO_PROXY: other }, "refuse").kind, "refused", other);
  }
});
