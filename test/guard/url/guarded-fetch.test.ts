import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createManualClock } from "../../support/manual-clock.ts";
import { locateRedirect } from "../../../src/guard/url/guarded-fetch.ts";
import { openRawWeb, openWeb, publicAddress } from "./web.ts";

test("a text is fetched from the address that was checked, with nothing of ours in the request [G5]", async (t) => {
  const web = await openWeb(t, (_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("set-cookie", "a=b");
    response.end("<p>héllo 한국</p>");
  });
  assert.deepEqual(await web.fetch("http://example.com:8080/a?b=c#d"), {
    ok: true,
    url: "http://example.com:8080/a?b=c#d",
    status: 200,
    mediaType: "text/html",
    text: "<p>héllo 한국</p>",
    bytes: 20,
    redirects: [],
    retryAfter: null,
  });
  assert.deepEqual(web.connected, [`${publicAddress}:8080`]);
  assert.deepEqual(web.requests[0]!.headers, {
    host: "example.com:8080",
    "user-agent": "deckhand",
    accept: "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
    "accept-encoding": "gzip, deflate, br",
    connection: "close",
  });
  assert.equal(web.requests[0]!.url, "/a?b=c");
});

test("a refused URL is neither resolved nor connected to [G5]", async (t) => {
  const web = await openWeb(t, (_, response) => void response.end("secret"));
  const urls = [
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://localhost/",
    "file:///etc/passwd",
    "http://a@example.com/",
    "",
  ];
  for (const url of urls) {
    const answer = await web.fetch(url);
    assert.equal(answer.ok, false, url);
  }
  assert.deepEqual([web.resolved, web.connected], [[], []]);
});

test("one private address among the answers refuses the name, and nobody connects [G5]", async (t) => {
  const answers = [
    ["10.0.0.1"],
    [publicAddress, "127.0.0.1"],
    ["::ffff:169.254.169.254"],
    ["fe80::1%eth0"],
    ["64:ff9b::7f00:1"],
    [],
  ];
  const web = await openWeb(t, (_, response) => void response.end("secret"), { names: { "evil.example": answers } });
  const rules: string[] = [];
  for (const _ of answers) {
    const answer = await web.fetch("http://evil.example/");
    rules.push(answer.ok ? "fetched" : answer.rule);
  }
  assert.deepEqual(rules, ["url.address", "url.address", "url.address", "url.resolve", "url.address", "url.resolve"]);
  assert.deepEqual(web.connected, []);
});

test("a name is resolved once per step and nothing is remembered, so rebinding can't win [G5]", async (t) => {
  const web = await openWeb(
    t,
    (request, response) => {
      if (request.url === "/") response.writeHead(302, { location: "/again" }).end();
      else response.end("secret");
    },
    { names: { "rebind.example": [[publicAddress], ["127.0.0.1"], [publicAddress]] } },
  );
  const answer = await web.fetch("http://rebind.example/");
  assert.deepEqual(answer, {
    ok: false,
    rule: "url.address",
    reason: "The URL leads to 127.0.0.1, this machine itself; only public addresses may be reached.",
    url: "http://rebind.example/again",
  });
  assert.deepEqual(web.connected, [`${publicAddress}:80`]);
  assert.equal((await web.fetch("http://rebind.example/again")).ok, true);
  assert.equal(web.resolved.length, 3);
});

test("a connection that leads elsewhere than to the checked address is dropped before a byte is sent [G5]", async (t) => {
  const web = await openWeb(t, (_, response) => void response.end("secret"), { remoteAddress: "127.0.0.1" });
  const answer = await web.fetch("http://example.com/");
  assert.ok(!answer.ok);
  assert.equal(answer.rule, "url.address");
  assert.equal(answer.reason, `${publicAddress} was checked, but the connection led to 127.0.0.1.`);
  assert.deepEqual(web.requests, []);
});

test("every redirect is judged like the first URL [G5]", async (t) => {
  let location = "";
  const web = await openWeb(t, (_, response) => void response.writeHead(302, { location }).end(), {
    names: { "inside.example": [["192.168.0.1"]] },
  });
  const targets: Record<string, string> = {
    "http://127.0.0.1/": "url.address",
    "//[::ffff:7f00:1]/": "url.address",
    "http://2130706433/": "url.address",
    "/\\169.254.169.254/": "url.address",
    "http://inside.example/": "url.address",
    "http://localhost/": "url.host",
    "http://user:password@example.com/": "url.userinfo",
    "http://example.com:6379/": "url.port",
    "file:///etc/passwd": "url.scheme",
    "data:text/plain,x": "url.scheme",
    "http://[": "url.redirect",
    "/loop": "url.redirect",
  };
  for (const [target, rule] of Object.entries(targets)) {
    location = target;
    const answer = await web.fetch("http://example.com/");
    assert.deepEqual([target, answer.ok || answer.rule], [target, rule]);
  }
  assert.deepEqual(new Set(web.connected), new Set([`${publicAddress}:80`]));
});

test("five redirects are followed, and their way is told", async (t) => {
  const web = await openWeb(t, (request, response) => {
    const step = Number(request.url!.slice(1));
    if (step < 5) response.writeHead(301 + (step % 3), { location: `http://host${step}.example/${step + 1}` }).end();
    else response.end("there");
  });
  const answer = await web.fetch("http://start.example/0");
  assert.ok(answer.ok);
  assert.equal(answer.url, "http://host4.example/5");
  assert.equal(answer.redirects.length, 5);
  assert.equal(answer.text, "there");
});

test("a redirect is read as browsers read it, and never leads from https to http [G5]", () => {
  const from = new URL("https://example.com/a/b?c");
  const to = (location: string, statusCode = 302): string | undefined =>
    locateRedirect({ statusCode, headers: { location } }, from);
  assert.equal(to("../d"), "https://example.com/d");
  assert.equal(to("//other.example"), "https://other.example/");
  assert.equal(to(Buffer.from("/길").toString("latin1")), "https://example.com/%EA%B8%B8");
  assert.equal(to("/d", 200), undefined);
  assert.equal(locateRedirect({ statusCode: 302, headers: {} }, from), undefined);
  assert.throws(() => to("http://example.com/"), { rule: "url.redirect", message: /redirected from https to/ });
});

test("the name goes into the Host header and into SNI, the address into the connection [G5]", async (t) => {
  const hello = Promise.withResolvers<string>();
  const web = await openRawWeb(t, (socket) => {
    socket.once("data", (bytes: Buffer) => {
      hello.resolve(bytes.toString("latin1"));
      socket.destroy();
    });
  });
  const answer = await web.fetch("https://secure.example.com/");
  assert.equal(answer.ok || answer.rule, "fetch.failed");
  assert.ok((await hello.promise).includes("secure.example.com"));
  assert.deepEqual(web.connected, [`${publicAddress}:443`]);
});

test("the next checked address is tried when one does not answer", async (t) => {
  const web = await openWeb(t, (_, response) => void response.end("here"), {
    names: { "two.example": [["2606:4700::1", publicAddress]], "gone.example": [["1.2.3.4"]] },
    dead: ["2606:4700::1", "1.2.3.4"],
  });
  assert.equal((await web.fetch("http://two.example/")).ok, true);
  assert.deepEqual(web.connected, ["2606:4700::1:80", `${publicAddress}:80`]);
  const answer = await web.fetch("http://gone.example/");
  assert.equal(!answer.ok && answer.reason, "No connection to port 80 (1.2.3.4: connect ECONNREFUSED).");
});

test("a listed private host is reached, and its redirect to another private one is not [G5]", async (t) => {
  const web = await openWeb(
    t,
    (request, response) => {
      if (request.url === "/away") response.writeHead(302, { location: "http://10.0.0.2/" }).end();
      else response.end("wiki");
    },
    { names: { "wiki.corp": [["10.0.0.1"]] } },
  );
  const policy = { allowHosts: ["wiki.corp"] };
  assert.equal((await web.fetch("http://wiki.corp/", { policy })).ok, true);
  assert.equal((await web.fetch("http://wiki.corp/away", { policy })).ok, false);
  assert.deepEqual(web.connected, ["10.0.0.1:80", "10.0.0.1:80"]);
});

for (const slow of ["headers", "body"] as const) {
  test(`slow ${slow} end at the time limit, and the connection with them [G5]`, async (t) => {
    const clock = createManualClock();
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const web = await openWeb(t, (request, response) => {
      request.socket.once("close", () => closed.resolve());
      if (slow === "body") response.writeHead(200, { "content-type": "text/plain" }).write("drop by ");
      arrived.resolve();
    });
    const fetching = web.fetch("http://slow.example/", { clock });
    await arrived.promise;
    clock.advance(19_999);
    clock.advance(1);
    const answer = await fetching;
    assert.deepEqual(answer, {
      ok: false,
      rule: "fetch.timeout",
      reason: "The fetch took longer than 20 s.",
      url: "http://slow.example/",
    });
    await closed.promise;
    assert.equal(clock.waiting, 0);
  });
}

test("a cancelled fetch says so and closes its connection", async (t) => {
  const stop = new AbortController();
  const web = await openWeb(t, (request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).write("begin");
    stop.abort();
    void once(request.socket, "close");
  });
  const answer = await web.fetch("http://example.com/", { signal: stop.signal });
  assert.equal(!answer.ok && answer.rule, "fetch.cancelled");
  const late = await web.fetch("http://example.com/", { signal: stop.signal });
  assert.equal(!late.ok && late.rule, "fetch.cancelled");
});
