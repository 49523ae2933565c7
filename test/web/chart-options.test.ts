import assert from "node:assert/strict";
import { test } from "node:test";
import { labelOf } from "../../web/charts/chart-options.ts";

test("the figures beside an axis stay short enough for the room there", () => {
  assert.deepEqual(
    [1, 10, 100, 1000, 10_000, 100_000].map((value) => labelOf(value, "ms")),
    ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"],
  );
  assert.equal(labelOf(12.34, "%"), "12.3 %");
});
