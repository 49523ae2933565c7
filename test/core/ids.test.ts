import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, isId } from "../../src/core/ids.ts";

const uuid7 = /^call_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("an id is its prefix and a UUIDv7 that carries the time [E2]", () => {
  const farFuture = Date.UTC(2100, 0, 1);
  const id = createId("call", farFuture);
  assert.match(id, uuid7);
  assert.equal(Number.parseInt(id.slice(5).replaceAll("-", "").slice(0, 12), 16), farFuture);
});

test("100,000 ids of one millisecond are all different and sort in the order they were made [E2]", () => {
  const now = Date.UTC(2100, 0, 2);
  const ids = Array.from({ length: 100_000 }, () => createId("call", now));
  assert.equal(new Set(ids).size, ids.length);
  for (let at = 1; at < ids.length; at++) assert.ok(ids[at - 1]! < ids[at]!, `${ids[at - 1]} then ${ids[at]}`);
  for (const id of ids) assert.match(id, uuid7);
});

test("ids keep their order when the clock jumps back or counts in fractions [E2]", () => {
  const base = Date.UTC(2100, 0, 3);
  const times = [base, base + 0.2, base + 0.9, base - 5000, base + 1, base + 0.5, Number.NaN, base + 1.99, base + 2];
  for (let round = 0; round < 200; round++) {
    const ids = times.map((time) => createId("run", time + round * 10));
    assert.deepEqual(ids, ids.toSorted());
  }
});

test("isId knows its own ids and no others [E2]", () => {
  const id = createId("task", Date.now());
  assert.equal(isId("task", id), true);
  const strangers = [
    "",
    "task_",
    id.slice(5),
    id.replace("task_", "call_"),
    `${id}0`,
    `${id}\n`,
    id.toUpperCase(),
    id.replace("-7", "-4"),
    `task_${crypto.randomUUID()}`,
  ];
  for (const stranger of strangers) assert.equal(isId("task", stranger), false, JSON.stringify(stranger));
});
