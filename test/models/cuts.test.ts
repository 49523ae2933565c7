import assert from "node:assert/strict";
import { test } from "node:test";
import { count } from "../support/counts.ts";
import { endOf, openTestModel, requestOf } from "./support/open-test-model.ts";
import { protocols, wireEvents } from "./support/wire-replies.ts";
import { serveWire, stream } from "./support/wire-server.ts";

const reply = {
  thinking: "Hm…",
  text: ["Grüße, ", "世界"],
  calls: [
    { id: "a", name: "first", arguments: ['{"path":', '"ä"}'] },
    { id: "b", name: "second", arguments: ['{"path":"b"}'] },
  ],
};

for (const protocol of protocols) {
  for (const way of ["closed", "torn"] as const) {
    test(`over ${protocol} a reply that is ${way} at any byte is cut, or whole [L3]`, async (t) => {
      const bytes = Buffer.from(wireEvents[protocol](reply).join(""));
      let cutAt = 0;
      const server = await serveWire(t, (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        if (way === "closed") response.end(bytes.subarray(0, cutAt));
        else response.write(bytes.subarray(0, cutAt), () => response.socket?.destroy());
      });
      const model = await openTestModel(protocol, server.url);
      const whole = await (async () => {
        const intact = await serveWire(t, stream(bytes.toString()));
        return endOf((await openTestModel(protocol, intact.url)).stream(requestOf()));
      })();
      assert.ok(whole.type === "finished");
      let cuts = 0;
      const step = Math.ceil(bytes.length / count({ quick: 40, full: bytes.length }));
      for (cutAt = 0; cutAt < bytes.length; cutAt += step) {
        const end = await endOf(model.stream(requestOf()));
        if (end.type === "failed") {
          assert.equal(end.failure.kind, "cut", `at ${cutAt}: ${end.failure.message}`);
          cuts++;
        } else assert.deepEqual(end.type === "finished" && end.parts, whole.parts, `at ${cutAt}`);
      }
      assert.ok(cuts > 20, `${cuts} cuts`);
    });
  }

  test(`over ${protocol} a line that is no JSON in the middle is a cut [L3]`, async (t) => {
    const events = wireEvents[protocol](reply);
    const server = await serveWire(t, stream([...events.slice(0, 3), "data: {oops\n\n", ...events.slice(3)].join("")));
    const end = await endOf((await openTestModel(protocol, server.url)).stream(requestOf()));
    assert.equal(end.type === "failed" && end.failure.kind, "cut");
  });
}

test("an event of a kind that nobody knows yet is skipped [L3]", async (t) => {
  const events = wireEvents.anthropic(reply);
  const future = 'event: weather\ndata: {"type":"weather","sun":true}\n\n';
  const server = await serveWire(t, stream([...events.slice(0, 3), future, ...events.slice(3)].join("")));
  const end = await endOf((await openTestModel("anthropic", server.url)).stream(requestOf()));
  assert.equal(end.type === "finished" && end.stop, "calls");
});

const inTheMiddle = [
  [
    "anthropic",
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    "overloaded",
  ],
  [
    "openai",
    'data: {"error":{"message":"Rate limit reached","type":"rate_limit_exceeded","code":429}}\n\n',
    "rate_limit",
  ],
  ["openai", 'data: {"error":{"message":"something broke","type":"odd"}}\n\n', "cut"],
  ["openai", 'data: {"error":{"detail":"Rate limit reached"}}\n\n', "rate_limit"],
  [
    "google",
    'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\n\n',
    "overloaded",
  ],
] as const;
for (const [protocol, event, kind] of inTheMiddle) {
  test(`over ${protocol} an error in the middle of a reply (${kind}) ends it [L3]`, async (t) => {
    const server = await serveWire(t, stream([...wireEvents[protocol](reply).slice(0, 4), event].join("")));
    const end = await endOf((await openTestModel(protocol, server.url)).stream(requestOf()));
    assert.equal(end.type === "failed" && end.failure.kind, kind, JSON.stringify(end));
  });
}

test("a function call that Gemini itself calls malformed is a cut, to be asked for again [L3]", async (t) => {
  const chunk = { candidates: [{ content: { parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL" }] };
  const server = await serveWire(t, stream(`data: ${JSON.stringify(chunk)}\n\n`));
  const end = await endOf((await openTestModel("google", server.url)).stream(requestOf()));
  assert.ok(end.type === "failed");
  assert.deepEqual(
    [end.failure.kind, end.failure.message],
    ["cut", "The reply of Google was cut off: MALFORMED_FUNCTION_CALL."],
  );
});
