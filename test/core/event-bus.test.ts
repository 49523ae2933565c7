import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "../../src/core/clock.ts";
import { createEventBus } from "../../src/core/event-bus.ts";
import type { RuntimeEvent } from "../../src/core/events.ts";
import { settleDown, until } from "../support/engine.ts";

/** On a busy machine each turn of the event loop delivers at least one event, and maybe no more. */
async function delivered(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

const planned = (calls: number) => ["batch:planned", { batchId: "run", calls, parallel: 0 }] as const;

test("an event is delivered after emit returned, never inside it [E8]", async () => {
  const bus = createEventBus(systemClock);
  const heard: number[] = [];
  bus.on("batch:planned", ({ calls }) => heard.push(calls));
  bus.emit(...planned(1));
  assert.deepEqual(heard, []);
  await delivered();
  assert.deepEqual(heard, [1]);
});

test("events carry numbers without gaps, and every listener hears them in that order [E8]", async () => {
  const bus = createEventBus(systemClock);
  const all: RuntimeEvent[] = [];
  const some: RuntimeEvent[] = [];
  bus.on("*", (event) => all.push(event));
  bus.on("ledger:failed", (event) => some.push(event));
  for (let at = 0; at < 500; at++) {
    bus.emit(...planned(at));
    bus.emit("ledger:failed", { id: `${at}`, error: "full" });
    if (at % 7 === 0) await nextTurn();
  }
  await settleDown();
  assert.deepEqual(
    all.map(({ seq }) => seq),
    Array.from({ length: 1000 }, (_, at) => at + 1),
  );
  assert.deepEqual(
    some.map(({ seq }) => seq),
    Array.from({ length: 500 }, (_, at) => 2 * at + 2),
  );
});

test("a listener that throws or rejects is told about, and the others still hear everything [E8]", async () => {
  const bus = createEventBus(systemClock);
  const heard: string[] = [];
  bus.on("batch:planned", () => {
    throw new Error("thrown");
  });
  bus.on("batch:planned", () => Promise.reject(new Error("rejected")));
  const like = ["th", "en"].join(""); // a promise of some library's own
  bus.on("batch:planned", () => ({ [like]: (_: unknown, reject: (thrown: unknown) => void) => reject("thenable") }));
  bus.on("batch:planned", () => {
    throw Object.create(null);
  });
  bus.on("batch:planned", () => heard.push("planned"));
  const complaints: string[] = [];
  bus.on("listener:failed", ({ event, error }) => complaints.push(`${event}: ${error}`));
  bus.emit(...planned(1));
  await settleDown();
  assert.deepEqual(heard, ["planned"]);
  assert.deepEqual(complaints.toSorted(), [
    "batch:planned: rejected",
    "batch:planned: something that has no text was thrown",
    "batch:planned: thenable",
    "batch:planned: thrown",
  ]);
});

test("a listener that fails on everything does not start an endless chain [E8]", async () => {
  const bus = createEventBus(systemClock);
  let throwing = 0;
  let rejecting = 0;
  const types: string[] = [];
  bus.on("*", () => {
    throwing += 1;
    throw new Error("always");
  });
  bus.on("*", async () => {
    rejecting += 1;
    throw new Error("always");
  });
  bus.on("*", ({ type }) => types.push(type));
  bus.emit(...planned(1));
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  assert.deepEqual(types, ["batch:planned", "listener:failed", "listener:failed"]);
  assert.deepEqual([throwing, rejecting], [3, 3]);
});

test("a listener that unsubscribes itself, or another, ends that listening at once [E8]", async () => {
  const bus = createEventBus(systemClock);
  const heard: string[] = [];
  const offOnce = bus.on("batch:planned", () => {
    heard.push("once");
    offOnce();
    offOther();
  });
  const offOther = bus.on("batch:planned", () => heard.push("other"));
  bus.on("batch:planned", () => heard.push("third"));
  bus.emit(...planned(1));
  bus.emit(...planned(2));
  await delivered();
  assert.deepEqual(heard, ["once", "third", "third"]);
  offOnce();
});

test("a listener that subscribes anew on every event hears each event once [E8]", async () => {
  const bus = createEventBus(systemClock);
  const heard: number[] = [];
  let off = (): void => undefined;
  const listen = (): void => {
    off();
    off = bus.on("batch:planned", ({ calls }) => {
      heard.push(calls);
      assert.ok(heard.length < 100, "endless");
      listen();
    });
  };
  listen();
  bus.emit(...planned(1));
  await delivered();
  bus.emit(...planned(2));
  await delivered();
  assert.deepEqual(heard, [1, 2]);
});

test("one function that listens twice hears twice, and each stop ends one of them [E8]", async () => {
  const bus = createEventBus(systemClock);
  let heard = 0;
  const listener = (): void => void (heard += 1);
  const offFirst = bus.on("batch:planned", listener);
  bus.on("batch:planned", listener);
  bus.emit(...planned(1));
  await delivered();
  assert.equal(heard, 2);
  offFirst();
  offFirst();
  bus.emit(...planned(2));
  await delivered();
  assert.equal(heard, 3);
});

test("a new listener hears nothing of what happened before it came [E8]", async () => {
  const bus = createEventBus(systemClock);
  bus.on("*", () => undefined);
  bus.emit(...planned(1));
  const heard: number[] = [];
  bus.on("batch:planned", ({ calls }) => heard.push(calls));
  bus.emit(...planned(2));
  await delivered();
  assert.deepEqual(heard, [2]);
});

test("slow listeners let other work in between their events [E8]", async () => {
  const bus = createEventBus(systemClock);
  const order: string[] = [];
  bus.on("batch:planned", ({ calls }) => {
    const end = performance.now() + 50;
    while (performance.now() < end);
    order.push(`event ${calls}`);
  });
  for (let at = 1; at <= 3; at++) bus.emit(...planned(at));
  setImmediate(() => order.push("other work"));
  await until(() => order.length === 4);
  assert.ok(order.indexOf("other work") < 3, order.join(", "));
  assert.deepEqual(
    order.filter((line) => line !== "other work"),
    ["event 1", "event 2", "event 3"],
  );
});

test("a program that never lets a turn come, and a slow listener, do not fill the memory [E8]", async () => {
  const bus = createEventBus(systemClock);
  let heard = 0;
  bus.on("batch:planned", () => {
    heard += 1;
    const end = performance.now() + (heard < 5 ? 10 : 0);
    while (performance.now() < end);
  });
  const emitted = 50_000;
  for (let at = 0; at < emitted; at++) {
    bus.emit(...planned(at));
    await Promise.resolve();
    assert.ok(at - heard < 2000, `${at - heard} events wait`);
  }
  await until(() => heard === emitted);
});

test("flush delivers what is queued, once, also from inside a listener [E8]", async () => {
  const bus = createEventBus(systemClock);
  const heard: number[] = [];
  bus.on("batch:planned", ({ calls }) => {
    heard.push(calls);
    assert.ok(heard.length < 100, "endless");
    bus.flush();
  });
  for (let at = 1; at <= 4; at++) bus.emit(...planned(at));
  bus.flush();
  assert.deepEqual(heard, [1, 2, 3, 4]);
  bus.emit(...planned(5));
  await settleDown();
  assert.deepEqual(heard, [1, 2, 3, 4, 5]);
});

test("progress that nobody keeps up with is left out without a gap in the numbers [E8 E9]", async () => {
  const bus = createEventBus(systemClock);
  const seqs: number[] = [];
  let progress = 0;
  bus.on("*", (event) => {
    seqs.push(event.seq);
    if (event.type === "execution:progressed") progress += 1;
  });
  for (let at = 0; at < 50_000; at++) bus.emit("execution:progressed", { id: "call", progress: { message: `${at}` } });
  bus.emit(...planned(1));
  bus.flush();
  assert.equal(progress, 10_000);
  assert.deepEqual(
    seqs,
    Array.from({ length: 10_001 }, (_, at) => at + 1),
  );
});

test("without listeners nothing is kept, and the numbers still count [E8]", async () => {
  const bus = createEventBus(systemClock);
  for (let at = 0; at < 10; at++) bus.emit(...planned(at));
  const seqs: number[] = [];
  bus.on("*", ({ seq }) => seqs.push(seq));
  bus.emit(...planned(11));
  await delivered();
  assert.deepEqual(seqs, [11]);
});
