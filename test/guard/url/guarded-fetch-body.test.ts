import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { openWeb } from "./web.ts";

const mebibyte = 1024 * 1024;

test("compressed bodies come out as they went in [G5]", async (t) => {
  const text = "compressed 한국어 ".repeat(1000);
  const forms: Record<string, Buffer> = {
    "/gzip": gzipSync(text),
    "/br": brotliCompressSync(text),
    "/deflate": deflateSync(text),
    "/deflate-raw": deflateRawSync(text),
    "/gzip,%20br": brotliCompressSync(gzipSync(text)),
  };
  const web = await openWeb(t, (request, response) => {
    const coding = decodeURIComponent(request.url!.slice(1)).replace("-raw", "");
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-encoding": coding });
    response.end(forms[request.url!]);
  });
  for (const path of Object.keys(forms)) {
    const answer = await web.fetch(`http://example.com${path}`);
    assert.equal(answer.ok && answer.text, text, path);
  }
});

test("a bomb is stopped while it unfolds [G5]", async (t) => {
  const bomb = gzipSync(Buffer.alloc(200 * mebibyte));
  const layered = gzipSync(bomb);
  const web = await openWeb(t, (request, response) => {
    const coding = request.url === "/layered" ? "gzip, gzip" : "gzip";
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": coding });
    response.end(request.url === "/layered" ? layered : bomb);
  });
  const before = process.memoryUsage().rss;
  for (const path of ["/", "/layered"]) {
    const answer = await web.fetch(`http://example.com${path}`);
    assert.deepEqual(answer.ok || [answer.rule, answer.reason], ["fetch.size", "The body is larger than 5 MiB."]);
  }
  assert.ok(process.memoryUsage().rss - before < 60 * mebibyte);
});

test("a body of exactly the limit is read, one byte more is not, said or unsaid [G5]", async (t) => {
  const web = await openWeb(t, (request, response) => {
    const body = Buffer.alloc(Number(request.url!.slice(2)), "a");
    response.setHeader("content-type", "text/plain");
    if (request.url!.startsWith("/l")) response.setHeader("content-length", body.length);
    else response.write(body.subarray(0, 10));
    response.end(request.url!.startsWith("/l") ? body : body.subarray(10));
  });
  const limits = { maxBytes: 1000 };
  const outcomes: (number | string)[] = [];
  for (const path of ["/l1000", "/l1001", "/c1000", "/c1001"]) {
    const answer = await web.fetch(`http://example.com${path}`, { limits });
    outcomes.push(answer.ok ? answer.bytes : answer.rule);
  }
  assert.deepEqual(outcomes, [1000, "fetch.size", 1000, "fetch.size"]);
});

test("only text is fetched, whatever the type says [G5]", async (t) => {
  const png = Buffer.from("\u0089PNG\r\n\u001a\n\0\0\0\rIHDR", "latin1");
  const bodies: Record<string, readonly [type: string | undefined, body: Buffer | string]> = {
    "/json": ["application/json", "{}"],
    "/api": ["application/problem+json; charset=utf-8", "{}"],
    "/svg": ["image/svg+xml", "<svg/>"],
    "/script": ["application/javascript", "1"],
    "/unsaid": [undefined, "just text"],
    "/png": ["image/png", png],
    "/octets": ["application/octet-stream", "text"],
    "/pdf": ["application/pdf", "%PDF-1.7"],
    "/unsaid-png": [undefined, png],
    "/lying": ["text/html", png],
    "/nul": ["text/plain", "a\0b"],
    "/odd": ["\u0001", "x"],
  };
  const web = await openWeb(t, (request, response) => {
    const [type, body] = bodies[request.url!]!;
    if (type !== undefined) response.setHeader("content-type", type.replace("\u0001", "x"));
    response.end(body);
  });
  const outcomes: Record<string, string> = {};
  for (const path of Object.keys(bodies)) {
    const answer = await web.fetch(`http://example.com${path}`);
    outcomes[path] = answer.ok ? "text" : answer.rule;
  }
  const texts = ["/json", "/api", "/svg", "/script", "/unsaid"];
  assert.deepEqual(
    outcomes,
    Object.fromEntries(Object.keys(bodies).map((path) => [path, texts.includes(path) ? "text" : "fetch.type"])),
  );
});

test("text is decoded as it says itself", async (t) => {
  const euckr = Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]);
  const bodies: Record<string, readonly [type: string, body: Buffer]> = {
    "/header": ["text/plain; charset=euc-kr", euckr],
    "/meta": ["text/html", Buffer.concat([Buffer.from(`<meta charset="euc-kr">`), euckr])],
    "/mark": ["text/plain", Buffer.from("\ufeff한글", "utf16le")],
    "/unknown": ["text/plain; charset=klingon", Buffer.from("한글")],
  };
  const web = await openWeb(t, (request, response) => {
    const [type, body] = bodies[request.url!]!;
    response.writeHead(200, { "content-type": type }).end(body);
  });
  for (const path of Object.keys(bodies)) {
    const answer = await web.fetch(`http://example.com${path}`);
    assert.equal(answer.ok && answer.text.replace(/<.*>/, ""), "한글", path);
  }
});

test("damaged and unknown encodings and broken answers are told in one sentence", async (t) => {
  const answers: Record<string, (socket: Socket) => void> = {};
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
  answers["/damaged"] = (socket) => socket.end(`${head}content-encoding: gzip\r\n\r\nnot gzip at all`);
  answers["/cut"] = (socket) => socket.end(`${head}content-length: 100\r\n\r\nshort`);
  answers["/zstd"] = (socket) => socket.end(`${head}content-encoding: zstd\r\n\r\nx`);
  answers["/thrice"] = (socket) => socket.end(`${head}content-encoding: gzip, gzip, gzip\r\n\r\nx`);
  answers["/garbage"] = (socket) => socket.end("\0\u0001garbage\r\n\r\n");
  answers["/header"] = (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}\r\n\r\n`);
  answers["/nothing"] = (socket) => socket.end();
  answers["/upgrade"] = (socket) => socket.end("HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
  const web = await openWeb(t, (request) => answers[request.url!]!(request.socket));
  const rules: Record<string, string> = {};
  for (const path of Object.keys(answers)) {
    const answer = await web.fetch(`http://example.com${path}`);
    assert.ok(!answer.ok, path);
    assert.match(answer.reason, /^[^\n]+\.$/);
    rules[path] = answer.rule;
  }
  assert.deepEqual(rules, {
    "/damaged": "fetch.encoding",
    "/cut": "fetch.failed",
    "/zstd": "fetch.encoding",
    "/thrice": "fetch.encoding",
    "/garbage": "fetch.failed",
    "/header": "fetch.failed",
    "/nothing": "fetch.failed",
    "/upgrade": "fetch.failed",
  });
});
