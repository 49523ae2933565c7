import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { createEventParser } from "../../web/api/parse-events.ts";

const stream = [
  "retry: 1000\n\n",
  'event: log\nid: chat_log.jsonl:120\ndata: {"type":"tool_call"}\n\n',
  ": beat\n\n",
  'event: changed\ndata: {"topic":"calls"}\n\n',
  "event: reset\ndata: {}\n\n",
].join("");

const messages = [
  { name: "log", id: "chat_log.jsonl:120", data: '{"type":"tool_call"}' },
  { name: "changed", id: "", data: '{"topic":"calls"}' },
  { name: "reset", id: "", data: "{}" },
];

test("messages of the event stream are read whole, however the text is cut [D6]", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
      const parse = createEventParser();
      const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      const read = places.slice(1).flatMap((end, index) => parse(stream.slice(places[index], end)));
      assert.deepEqual(read, messages);
    }),
  );
});

test("a message that has not come to its end is not told yet [D6]", () => {
  const parse = createEventParser();
  assert.deepEqual(parse("event: changed\ndata: 1\n"), []);
  assert.deepEqual(parse("\n"), [{ name: "changed", id: "", data: "1" }]);
});
