import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, post, readFrames, serve, streamedAsks } from "./serve.ts";

test("a failure has the status, the headers and the words of each vendor", async (t) => {
  const fail = { kind: "rate_limit", retryAfterMs: 1500, message: "Slow down.", times: 8 } as const;
  const server = await serve(t, { turns: [{ fail }] });
  const bodies = [
    { type: "error", error: { type: "rate_limit_error", message: "Slow down." } },
    { error: { message: "Slow down.", type: "requests", param: null, code: "rate_limit_exceeded" } },
    { error: { message: "Slow down.", type: "requests", param: null, code: "rate_limit_exceeded" } },
    {
      error: {
        code: 429,
        message: "Slow down.",
        status: "RESOURCE_EXHAUSTED",
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }],
      },
    },
  ];
  for (const [index, [path, ask]] of asks.entries()) {
    for (const stream of [false, true]) {
      const response = await post(server, path, { ...ask, stream });
      assert.equal(response.status, 429);
      assert.equal(response.headers.get("retry-after"), "2");
      assert.equal(response.headers.get("retry-after-ms"), "1500");
      assert.deepEqual(await response.json(), bodies[index]);
    }
  }
});

test("kinds of failures have the status that the vendor gives them", async (t) => {
  const kinds = ["key", "unknown_model", "overloaded", "server", "window", "rejected"] as const;
  const statuses = [];
  for (const kind of kinds) {
    const server = await serve(t, { turns: [{ fail: { kind, times: "always" } }] });
    const row = [];
    for (const [path, ask] of asks) row.push((await post(server, path, ask)).status);
    statuses.push([kind, ...row]);
  }
  assert.deepEqual(statuses, [
    ["key", 401, 401, 401, 401],
    ["unknown_model", 404, 404, 404, 404],
    ["overloaded", 529, 503, 503, 503],
    ["server", 500, 500, 500, 500],
    ["window", 400, 400, 400, 400],
    ["rejected", 400, 400, 400, 400],
  ]);
});

test("a failure after some parts comes inside the stream", async (t) => {
  const fail = { kind: "overloaded", message: "Too much.", after: 1, times: "always" } as const;
  const server = await serve(t, { turns: [{ text: "one", fail }] });
  const ends = [];
  for (const [path, ask] of streamedAsks()) {
    const response = await post(server, path, ask);
    assert.equal(response.status, 200);
    ends.push(readFrames(await response.text()).at(-1));
  }
  assert.deepEqual(ends[0], {
    event: "error",
    data: { type: "error", error: { type: "overloaded_error", message: "Too much." } },
  });
  assert.deepEqual(ends[1]?.data, {
    error: { message: "Too much.", type: "server_error", param: null, code: "server_error" },
  });
  const { response } = ends[2]!.data as { response: Record<string, unknown> };
  assert.deepEqual([ends[2]!.event, response["status"]], ["response.failed", "failed"]);
  assert.deepEqual(response["error"], { code: "server_error", message: "Too much." });
  assert.deepEqual(ends[3]?.data, { error: { code: 503, message: "Too much.", status: "UNAVAILABLE" } });
});

test("a cut reply ends with the connection, in the middle of a part", async (t) => {
  for (const [path, ask] of streamedAsks()) {
    const server = await serve(t, {
      turns: [{ text: "one", calls: [{ tool: "read", input: { path: "a" } }], cut: true }],
    });
    const response = await post(server, path, ask);
    let text = "";
    await assert.rejects(async () => {
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece;
    });
    assert.match(text, /one/);
    assert.match(text, /"?read/);
    assert.doesNotMatch(text, /path\\?":\\?"a/);
    const again = await (await post(server, path, ask)).text();
    assert.match(again, /path\\?":\s?\\?"a/);
  }
});

test("nobody answers where the script says that nobody does", async (t) => {
  const server = await serve(t, { turns: [{ fail: { kind: "unreachable" } }, "back"] });
  await assert.rejects(post(server, ...asks[0]));
  assert.match(await (await post(server, ...asks[0])).text(), /back/);
});

test("a request that makes no sense is refused in the vendor's own form, and takes no turn", async (t) => {
  const server = await serve(t, { order: "requests", turns: ["one"] });
  for (const [path] of asks) {
    const response = await fetch(`${server.url}${path}`, { method: "POST", body: "{nonsense" });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /We could not parse the JSON body of your request/);
    assert.equal((await post(server, path, { model: "m" })).status, 400);
    assert.equal((await post(server, path, [])).status, 400);
  }
  const lost = await post(server, "/v1/nothing", {});
  assert.equal(lost.status, 404);
  assert.match(await lost.text(), /Nothing is served at POST \/v1\/nothing; there are POST \/v1\/messages/);
  const old = await post(server, "/v1/responses", { input: "hi", previous_response_id: "resp_1" });
  assert.equal(old.status, 400);
  const packed = await fetch(`${server.url}${asks[0][0]}`, {
    method: "POST",
    body: "x",
    headers: { "content-encoding": "lzma" },
  });
  assert.match(await packed.text(), /The content encoding lzma is not known; use one of identity, gzip/);
  assert.match(await (await post(server, ...asks[0])).text(), /one/);
});

test("an expectation that is not met, and the end of the script, are errors that nobody retries", async (t) => {
  const server = await serve(t, { turns: [{ text: "one", expect: { contains: "please" } }] });
  for (const [path, ask] of asks) {
    const response = await post(server, path, ask);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /Turn 1 of the script expected \\"please\\" in what was said last/);
  }
});
