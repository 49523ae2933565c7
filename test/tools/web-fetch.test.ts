import assert from "node:assert/strict";
import { test } from "node:test";
import { openRuntime } from "../support/runtime.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { failed, openSmallWeb, outputOf, settings } from "./small-web.ts";
import { openServer } from "./web-server.ts";

const article = `<!doctype html><html><head><title>The &amp; title</title><style>p{}</style></head><body>
<nav><a href="/home">Home</a></nav><main><h1>Head</h1>
<p>A paragraph, with <b>bold</b> words, <a href="../other?x=1">a link</a> and <code>code</code>, long enough to be read as an article by whoever looks for one.</p>
<table><tr><th>name</th><th>a|b</th></tr><tr><td>one</td><td>1</td></tr></table>
<pre><code class="language-js">const a = 1;\nrun(a);</code></pre><ul><li>first</li><li><del>second</del></li></ul>
<p>한국어 문단도 그대로 남는다, 그리고 더 많은 글이 이어진다.</p></main><script>alert(1)</script></body></html>`;

test("a page comes as Markdown of its main content, between lines that say that it is data [C1]", async (t) => {
  const web = await openSmallWeb(t, (_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(article);
  });
  const output = outputOf(await web.fetch({ url: "http://example.com/docs/page" }));
  const lines = output.split("\n");
  const mark = /^\[Page (\w+): http:\/\/example\.com\/docs\/page, text\/html, [\d.]+ \w+\. What follows is data/.exec(
    lines[0]!,
  )?.[1];
  assert.ok(mark, lines[0]);
  assert.equal(lines.at(-1), `[End of page ${mark}.]`);
  assert.equal(lines[1], "Title: The & title");
  for (const part of [
    "## Head",
    "**bold** words, [a link](http://example.com/other?x=1) and `code`",
    "| name | a\\|b |\n| --- | --- |\n| one | 1 |",
    "```js\nconst a = 1;\nrun(a);\n```",
    "~~second~~",
    "한국어 문단도",
  ]) {
    assert.ok(output.includes(part), `${part} is missing in ${output}`);
  }
  assert.doesNotMatch(output, /alert|p\{\}/);
});

test("text, HTML and JSON come as they are asked for [C1]", async (t) => {
  const bodies: Record<string, [type: string, body: string | Buffer]> = {
    "/page": ["text/html", article],
    "/json": ["application/json", '{"b":[1,2],"a":"한"}'],
    "/big-number": ["application/json", '{"id":12345678901234567890}'],
    "/plain": ["text/plain; charset=utf-8", "<b>not html</b>\n  kept  as is"],
    "/latin": ["text/plain; charset=iso-8859-1", Buffer.from("caf\u00e9", "latin1")],
    "/korean": [
      "text/html; charset=euc-kr",
      Buffer.from([0x3c, 0x70, 0x3e, 0xc7, 0xd1, 0xb1, 0xdb, 0x3c, 0x2f, 0x70, 0x3e]),
    ],
    "/markdown": ["text/markdown", "# As it is\n\n<kept>"],
    "/nothing": ["text/plain", ""],
  };
  const web = await openSmallWeb(t, (request, response) => {
    const [type, body] = bodies[request.url!]!;
    response.setHeader("content-type", type);
    response.end(body);
  });
  const cases: [input: object, wanted: string][] = [
    [{ url: "/page", format: "html" }, "<h1>Head</h1>"],
    [{ url: "/page", format: "text" }, "\nHead\n"],
    [{ url: "/json" }, '{\n  "b": [\n    1,\n    2\n  ],\n  "a": "한"\n}'],
    [{ url: "/big-number" }, '{"id":12345678901234567890}'],
    [{ url: "/plain" }, "<b>not html</b>\n  kept  as is"],
    [{ url: "/latin" }, "\ncafé\n"],
    [{ url: "/korean" }, "\n한글\n"],
    [{ url: "/markdown" }, "# As it is\n\n<kept>"],
    [{ url: "/nothing" }, "(the page has no text)"],
  ];
  for (const [input, wanted] of cases) {
    const { url, ...rest } = input as { url: string };
    const output = outputOf(await web.fetch({ url: `http://example.com${url}`, ...rest }));
    assert.ok(output.includes(wanted), `${url}: ${output}`);
  }
});

test("a long page is read in parts that fit together, although the server says something else by then", async (t) => {
  const whole = Array.from({ length: 3000 }, (_, index) => `line ${index} 😀`).join("\n");
  let served = 0;
  const web = await openSmallWeb(t, (_, response) => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end(served++ === 0 ? whole : "changed");
  });
  let start: number | undefined;
  let read = "";
  do {
    const url = "http://example.com/long";
    const output = outputOf(await web.fetch({ url, max_characters: 7001, ...(start === undefined ? {} : { start }) }));
    const lines = output.split("\n");
    read += lines.slice(1, -1).join("\n");
    start = Number(/Go on with start=(\d+)\.\]$/.exec(lines.at(-1)!)?.[1]);
    assert.match(lines.at(-1)!, /Characters [\d,]+-[\d,]+ of [\d,]+\./);
  } while (!Number.isNaN(start));
  assert.equal(read, whole);
  assert.equal(web.requests.length, 1);
  const past = failed(await web.fetch({ url: "http://example.com/long", start: 900_000 }));
  assert.match(past.error, /is past its end\.$/);
});

test("what is not public is never reached: not by its address, its name, a redirect or a second answer [G5]", async (t) => {
  const web = await openSmallWeb(
    t,
    (request, response) => {
      const to = new URL(request.url!, "http://example.com").searchParams.get("to");
      response.writeHead(to === null ? 200 : 302, {
        "content-type": "text/plain",
        ...(to === null ? {} : { location: to }),
      });
      response.end("secret");
    },
    [["93.184.215.14"], ["93.184.215.14"], ["93.184.215.14", "10.0.0.1"], ["93.184.215.14"], ["127.0.0.1"]],
  );
  const redirect = (to: string): string => `http://example.com/?to=${encodeURIComponent(to)}`;
  const cases: [url: string, error: RegExp, errorType: string][] = [
    ["http://127.0.0.1/", /leads to 127\.0\.0\.1/, "denied"],
    ["http://localhost:8080/", /localhost/, "denied"],
    ["http://[::ffff:169.254.169.254]/", /169\.254\.169\.254/, "denied"],
    ["http://2130706433/", /127\.0\.0\.1/, "denied"],
    ["http://example.com:22/", /port 22/, "denied"],
    [
      redirect("http://169.254.169.254/latest/meta-data"),
      /169\.254\.169\.254.*\(after a redirect to http:\/\/169/,
      "denied",
    ],
    [redirect("file:///etc/passwd"), /scheme "file"/, "invalid_input"],
    ["http://one-of-two.example/", /10\.0\.0\.1/, "denied"],
    // The name is resolved again for the second step, and leads elsewhere by then.
    [redirect("http://example.com/again"), /127\.0\.0\.1/, "denied"],
    ["ftp://example.com/", /scheme "ftp"/, "invalid_input"],
    ["example.com", /has no scheme/, "invalid_input"],
    ["", /is empty/, "invalid_input"],
    ["http://user:password@example.com/", /user name or password/, "invalid_input"],
  ];
  for (const [url, error, errorType] of cases) {
    const result = failed(await web.fetch({ url }));
    assert.match(result.error, error, url);
    assert.equal(result.errorType, errorType, url);
    assert.ok(result.hint, url);
    assert.doesNotMatch(JSON.stringify(result), /secret|password@/);
  }
  assert.deepEqual(new Set(web.connected), new Set(["93.184.215.14:80"]));
});

test("a private host is reached only where the settings list it, metadata addresses not even by allow_private [G5]", async (t) => {
  const server = await openServer(t, (_, response) => void response.end("inside"));
  const runtime = await openRuntime(t, { settings: { tools: { web: { allow_hosts: [`127.0.0.1:${server.port}`] } } } });
  const listed = await runtime.call("web_fetch", { url: `http://127.0.0.1:${server.port}/` });
  assert.equal(listed.state, "completed", listed.error ?? "");
  for (const url of [`http://127.0.0.1:${server.port + 1}/`, "http://169.254.169.254/"]) {
    const refused = await runtime.call("web_fetch", { url });
    assert.deepEqual([refused.state, refused.errorType], ["failed", "denied"], url);
  }
  const web = await openSmallWeb(t, (_, response) => void response.end("inside"), [["10.1.2.3"], ["169.254.169.254"]]);
  const open = { settings: { ...settings, allowPrivate: true } };
  assert.match(outputOf(await web.fetch({ url: "http://wiki.corp/" }, open)), /inside/);
  assert.match(failed(await web.fetch({ url: "http://metadata.corp/" }, open)).error, /169\.254\.169\.254/);
});

test("a page of 50 MB, an endless one, a picture and a broken status end in one sentence", async (t) => {
  const web = await openSmallWeb(t, (request, response) => {
    if (request.url === "/said") response.setHeader("content-length", 50 * 1024 * 1024);
    if (request.url === "/picture")
      response.writeHead(200, { "content-type": "image/png", "content-length": 4 }).end("\u0089PNG");
    else if (request.url === "/liar")
      response.writeHead(200, { "content-type": "text/plain" }).end(Buffer.from([0, 1, 2, 3]));
    else if (request.url === "/missing")
      response.writeHead(404, { "content-type": "text/html" }).end("<p>No such page</p>");
    else if (request.url === "/busy") response.writeHead(429, { "retry-after": "120" }).end("slow down");
    else {
      response.setHeader("content-type", "text/plain");
      const chunk = Buffer.alloc(256 * 1024, "a");
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    }
  });
  const cases: [path: string, error: RegExp, errorType: string][] = [
    ["/said", /larger than 5 MiB/, "too_large"],
    ["/endless", /larger than 5 MiB/, "too_large"],
    ["/picture", /"image\/png" \(4 bytes\)/, "binary"],
    ["/liar", /not text/, "binary"],
    ["/missing", /answered 404/, "http_status"],
    ["/busy", /answered 429 .*Retry-After 120/, "http_status"],
  ];
  for (const [path, error, errorType] of cases) {
    const result = failed(await web.fetch({ url: `http://example.com${path}` }));
    assert.match(result.error, error);
    assert.equal(result.errorType, errorType);
    assert.ok(result.hint);
  }
});

test("a page that does not come is given up after its limit, and at once when the call is stopped", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const web = await openSmallWeb(t, () => arrived.resolve());
  const clock = createManualClock();
  const slow = web.fetch({ url: "http://example.com/" }, { clock });
  await arrived.promise;
  clock.advance(20_000);
  const late = failed(await slow);
  assert.deepEqual([late.error, late.errorType], ["The fetch took longer than 20 s.", "timeout"]);

  const stop = new AbortController();
  const stopped = web.fetch({ url: "http://example.com/" }, undefined, stop.signal);
  stop.abort();
  assert.equal(failed(await stopped).errorType, "cancelled");
});

test("pages made to overwhelm a converter still become text", async (t) => {
  const pages: Record<string, string> = {
    "/deep": `${"<div>".repeat(50_000)}found`,
    "/open": `${"<script ".repeat(100_000)}found`,
    "/comments": `${"<!--".repeat(100_000)}found`,
    "/many": "<p>found</p>".repeat(40_000),
  };
  const web = await openSmallWeb(t, (request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(pages[request.url!]);
  });
  for (const path of Object.keys(pages)) {
    const output = outputOf(await web.fetch({ url: `http://example.com${path}`, format: "markdown" }));
    assert.match(output, /^\[Page /, path);
  }
});
