import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createSlots } from "../../src/engine/slots.ts";
import { parseMaxParallel } from "../../src/engine/time-limits.ts";
import { count } from "../support/counts.ts";

const values: readonly (readonly [string | undefined, number])[] = [
  [undefined, 4],
  ["", 4],
  [" ", 4],
  ["1", 1],
  ["4", 4],
  [" 8 ", 8],
  ["\t8\n", 8],
  ["+5", 5],
  ["007", 7],
  ["12", 12],
  ["13", 12],
  ["1000000000", 12],
  ["9".repeat(400), 12],
  ["0", 4],
  ["00", 4],
  ["-1", 4],
  ["-0", 4],
  ["4.5", 4],
  ["8.0", 4],
  ["1e9", 4],
  ["0x8", 4],
  ["8px", 4],
  ["8 8", 4],
  ["eight", 4],
  ["NaN", 4],
  ["Infinity", 4],
  ["null", 4],
  ["８", 4],
  ["٨", 4],
];
for (const [raw, expected] of values) {
  const shown = raw !== undefined && raw.length > 20 ? `${raw.length} nines` : JSON.stringify(raw);
  test(`DECKHAND_MAX_PARALLEL_TOOLS=${shown} means ${expected} [P1]`, () => {
    assert.equal(parseMaxParallel(raw), expected);
  });
}

test("whatever comes and goes: never more holders than slots, first come first served, none lost [P1 P8]", () => {
  const action = fc.constantFrom("try", "wait", "give up", "give up late", "release", "release");
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(action, { maxLength: 60 }), (limit, actions) => {
      const slots = createSlots(limit);
      const waiting = new Map<number, () => void>();
      const served: (() => void)[] = [];
      let held = 0;
      for (const [id, each] of actions.entries()) {
        if (each === "try") {
          const free = held < limit && waiting.size === 0;
          assert.equal(slots.tryTake(), free);
          if (free) held += 1;
        } else if (each === "wait") {
          let atOnce = true;
          const before = held;
          const giveUp = slots.wait(() => {
            held += 1;
            if (atOnce) return;
            const [first] = waiting.keys();
            assert.equal(first, id, "served out of turn");
            served.push(waiting.get(id)!);
            waiting.delete(id);
          });
          atOnce = false;
          assert.equal(held > before, before < limit && waiting.size === 0);
          if (held === before) waiting.set(id, giveUp);
        } else if (each === "give up") {
          const [last] = [...waiting.keys()].slice(-1);
          if (last !== undefined) waiting.get(last)!();
          if (last !== undefined) waiting.delete(last);
        } else if (each === "give up late") {
          served.pop()?.();
        } else if (held > 0) {
          held -= 1;
          slots.release();
        }
        assert.equal(held + slots.free, limit);
        assert.ok(slots.free >= 0);
      }
    }),
    { numRuns: count({ quick: 300, full: 10_000 }) },
  );
});
