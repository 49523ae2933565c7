import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../src/core/clock.ts";
import type { RolloutStore, RolloutTransaction } from "../../src/core/stores.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createMemoryRolloutStore } from "../../src/records/memory/memory-rollout-store.ts";
import { createSqliteRolloutStore } from "../../src/records/sqlite/sqlite-rollout-store.ts";
import { fromKey, keyRange, toKey } from "../../src/records/store-rules.ts";
import { makeEvent, makeFeedback } from "../contract/make-rollout-records.ts";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { temporaryDatabase } from "./open-temporary.ts";

/** Few enough that they meet again, and all that is hard to keep as a text. */
const names = ["", "a", "ab", "a\0", "a\\", "\ud83d", "😀", "\u{10ffff}", "a\u{10ffff}b"];
const name = fc.constantFrom(...names);
const time = fc.nat(1000);

type Step = (rollouts: RolloutTransaction) => void;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(name, fc.jsonValue()).map(
    ([to, value]): Step =>
      (rollouts) =>
        rollouts.writeDocument(to, value),
  ),
  name.map(
    (prefix): Step =>
      (rollouts) =>
        rollouts.removeDocuments(prefix),
  ),
  fc.tuple(name, name, fc.constantFrom("seen" as const, "failed" as const)).map(
    (given): Step =>
      (rollouts) =>
        rollouts.mark(...given),
  ),
  name.map(
    (rolloutId): Step =>
      (rollouts) =>
        rollouts.removeMarks(rolloutId),
  ),
  fc.record({ tool: name, reason: fc.string({ unit: "binary" }), figures: fc.jsonValue(), at: time }).map(
    (given): Step =>
      (rollouts) =>
        rollouts.addEvent(makeEvent(given)),
  ),
  fc.record({ tool: name, version: name, signature: name, input: fc.jsonValue(), lastAt: time }).map(
    (given): Step =>
      (rollouts) =>
        rollouts.addFeedback(makeFeedback(given)),
  ),
);

const change = fc.record({ steps: fc.array(step, { maxLength: 6 }), fails: fc.boolean() });

test("any sequence of changes, some of which fail, leaves the same in memory and in SQLite", async (t) => {
  const path = await temporaryDatabase(t);
  const database = await openDatabase({ path, clock: systemClock });
  afterTest(t, () => database.close());
  const raw = new DatabaseSync(path, { timeout: 5000 });
  afterTest(t, async () => raw.close());
  const sqlite = createSqliteRolloutStore(database);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
      raw.exec(clearAll);
      const memory = createMemoryRolloutStore();
      for (const { steps, fails } of changes) {
        const outcomes = await Promise.all([memory, sqlite].map((store) => attempt(store, steps, fails)));
        assert.deepEqual(outcomes[0], outcomes[1]);
        assert.deepEqual(readAll(memory), readAll(sqlite));
      }
    }),
    { numRuns: count({ quick: 100, full: 3000 }) },
  );
});

test("any text comes back from its key, and a range of keys holds all texts that begin so", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(name, { maxLength: 4 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, text, fc.nat(5), (first, second, length) => {
      assert.equal(fromKey(toKey(first)), first);
      assert.equal(toKey(first) === toKey(second), first === second);
      const [from, end] = keyRange(first.slice(0, length)).map((key) => Buffer.from(key));
      const key = Buffer.from(toKey(first));
      assert.ok(Buffer.compare(from!, key) <= 0 && Buffer.compare(key, end!) < 0);
      assert.equal(key.toString(), toKey(first));
    }),
    { numRuns: count({ quick: 500, full: 20_000 }) },
  );
});

const clearAll = `
  DELETE FROM rollout_documents;
  DELETE FROM rollout_marks;
  DELETE FROM rollout_events;
  DELETE FROM tool_feedback;
  DELETE FROM sqlite_sequence`;

/** What the change gave back, or the text of what it threw. */
async function attempt(store: RolloutStore, steps: readonly Step[], fails: boolean): Promise<unknown> {
  try {
    return await store.change((rollouts) => {
      for (const each of steps) each(rollouts);
      if (fails) throw new Error("as it was told to");
      return readAll(rollouts);
    });
  } catch (thrown) {
    return String(thrown);
  }
}

function readAll(store: Omit<RolloutStore, "revision" | "change">): unknown {
  return {
    documents: names.map((each) => [store.listDocuments(each), store.readDocument(each)]),
    marks: names.map((rolloutId) => names.map((key) => store.findMark(rolloutId, key))),
    events: [store.listEvents({ limit: 99 }), store.listEvents({ tool: "a", limit: 2, beforeId: 4 })],
    feedback: names.map((tool) => store.listFeedback({ tool, limit: 99 })),
    ofVersion: store.listFeedback({ tool: "a", version: "a", limit: 1 }),
  };
}
