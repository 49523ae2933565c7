import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { layoutLanes } from "../../web/pages/now/layout-lanes.ts";

test("calls one after the other share a lane, calls at once do not [D6]", () => {
  const { placed, count } = layoutLanes(
    [
      { id: "a", from: 0, to: 40 },
      { id: "b", from: 10, to: 30 },
      { id: "c", from: 40, to: null },
    ],
    { from: 0, to: 100 },
  );
  assert.equal(count, 2);
  assert.deepEqual(
    placed.map(({ span, lane, left, width }) => [span.id, lane, left, width]),
    [
      ["a", 0, 0, 0.4],
      ["b", 1, 0.1, 0.2],
      ["c", 0, 0.4, 0.6],
    ],
  );
});

test("what lies outside of the window is left out, what reaches into it is cut", () => {
  const { placed } = layoutLanes(
    [
      { id: "before", from: 0, to: 9 },
      { id: "into", from: 5, to: 15 },
      { id: "after", from: 40, to: 50 },
    ],
    { from: 10, to: 20 },
  );
  assert.deepEqual(
    placed.map(({ span, left, width }) => [span.id, left, width]),
    [["into", 0, 0.5]],
  );
});

test("no two bars of a lane overlap, and there are no more lanes than ran at once", () => {
  const spans = fc.array(fc.record({ from: fc.nat(100), length: fc.option(fc.integer({ min: 1, max: 40 })) }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(spans, (given) => {
      const all = given.map(({ from, length }, index) => ({
        id: String(index),
        from,
        to: length === null ? null : from + length,
      }));
      const { placed, count } = layoutLanes(all, { from: 0, to: 200 });
      assert.equal(placed.length, all.length);
      for (const [index, a] of placed.entries()) {
        for (const b of placed.slice(index + 1)) {
          if (a.lane !== b.lane) continue;
          assert.ok(a.left + a.width <= b.left + 1e-9 || b.left + b.width <= a.left + 1e-9);
        }
      }
      const most = Math.max(
        0,
        ...all.map(({ from }) => all.filter((b) => b.from <= from && (b.to ?? 999) > from).length),
      );
      assert.equal(count, most);
    }),
  );
});
