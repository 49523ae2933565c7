import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toPortable } from "../../src/records/portable-value.ts";
import { count } from "../support/counts.ts";

const runs = { numRuns: count({ quick: 500, full: 50_000 }) };

test("any JSON value stays as it was, as a copy", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = toPortable(value);
      assert.deepEqual(copy, JSON.parse(JSON.stringify(value)));
      if (typeof value === "object" && value !== null) assert.notEqual(copy, value);
    }),
    runs,
  );
});

test("any value at all becomes one that JSON carries without loss", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      const copy = toPortable(value);
      assert.deepEqual(JSON.parse(JSON.stringify(copy)), copy);
    }),
    runs,
  );
});

test("what is left out is counted", () => {
  const items = toPortable(Array.from({ length: 100_000 }, () => 1)) as unknown[];
  const [, cut] = /^\[(\d+) more items cut\]$/.exec(String(items.at(-1))) ?? [];
  assert.equal(items.length - 1 + Number(cut), 100_000);
  const entries = Object.entries(
    toPortable(Object.fromEntries(Array.from({ length: 100_000 }, (_, key) => [`k${key}`, 1]))) as object,
  );
  const [, left] = /^\[(\d+) more keys cut\]$/.exec(String(entries.at(-1)?.[1])) ?? [];
  assert.equal(entries.length - 1 + Number(left), 100_000);
});
