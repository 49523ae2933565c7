import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createManualClock } from "../support/manual-clock.ts";
import { collect, endOf, openTestModel, requestOf } from "./support/open-test-model.ts";
import { protocols, wireEvents } from "./support/wire-replies.ts";
import { serveWire } from "./support/wire-server.ts";

for (const protocol of protocols) {
  test(`over ${protocol} aborting in the middle ends the reply and closes the connection [L2]`, async (t) => {
    const closed = Promise.withResolvers<void>();
    const server = await serveWire(t, ({ message }, response) => {
      message.socket.once("close", closed.resolve);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        wireEvents[protocol]({ text: ["so", "far"] })
          .slice(0, 5)
          .join(""),
      );
    });
    const controller = new AbortController();
    const ends: unknown[] = [];
    const model = await openTestModel(protocol, server.url);
    for await (const event of model.stream(requestOf({ signal: controller.signal }))) {
      if (event.type === "text") controller.abort();
      if (event.type === "failed" || event.type === "finished") ends.push(event);
    }
    assert.deepEqual(ends, [
      {
        type: "failed",
        failure: { kind: "aborted", message: "The request was stopped.", status: null, retryAfterMs: null },
      },
    ]);
    await closed.promise;
  });

  test(`over ${protocol} aborting before the first byte ends the reply [L2]`, async (t) => {
    const asked = Promise.withResolvers<void>();
    const server = await serveWire(t, () => asked.resolve());
    const controller = new AbortController();
    void asked.promise.then(() => controller.abort());
    const model = await openTestModel(protocol, server.url);
    const end = await endOf(model.stream(requestOf({ signal: controller.signal })));
    assert.equal(end.type === "failed" && end.failure.kind, "aborted");
  });

  test(`over ${protocol} leaving the reply early closes the connection [L2]`, async (t) => {
    const closed = Promise.withResolvers<void>();
    const server = await serveWire(t, ({ message }, response) => {
      message.socket.once("close", closed.resolve);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        wireEvents[protocol]({ text: ["so", "far"] })
          .slice(0, 5)
          .join(""),
      );
    });
    for await (const event of (await openTestModel(protocol, server.url)).stream(requestOf())) {
      if (event.type === "text") break;
    }
    await closed.promise;
  });
}

test("a request that is aborted already is not sent [L2]", async (t) => {
  const server = await serveWire(t, () => {});
  const model = await openTestModel("openai", server.url);
  const end = await endOf(model.stream(requestOf({ signal: AbortSignal.abort() })));
  assert.equal(end.type === "failed" && end.failure.kind, "aborted");
  assert.equal(server.requests.length, 0);
});

test("a signal that outlives many requests keeps no listener of them [L2]", async (t) => {
  const server = await serveWire(t, (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(wireEvents.openai({ text: ["ok"] }).join(""));
  });
  const { signal } = new AbortController();
  const model = await openTestModel("openai", server.url);
  for (let at = 0; at < 5; at++) await collect(model.stream(requestOf({ signal })));
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("a reply of which nothing comes any more is cut after the stall time, and not before [L3]", async (t) => {
  const clock = createManualClock();
  const server = await serveWire(t, (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      wireEvents
        .openai({ text: ["so"] })
        .slice(0, 2)
        .join(""),
    );
  });
  const model = await openTestModel("openai", server.url, { clock, stallMs: 60_000 });
  const events = model.stream(requestOf())[Symbol.asyncIterator]();
  const first = await events.next();
  assert.deepEqual(first.value, { type: "text", text: "so" });
  clock.advance(59_000);
  const next = events.next();
  clock.advance(2000);
  const { value } = await next;
  assert.ok(value?.type === "failed");
  assert.deepEqual(
    [value.failure.kind, value.failure.message],
    ["cut", "OpenAI sent nothing for 60 s, so the reply was given up."],
  );
});
