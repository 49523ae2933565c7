import assert from "node:assert/strict";
import { test } from "node:test";
import { earlierOf, goBackTo, ordersOf } from "../../web/pages/rollouts/orders.ts";
import type { RolloutView } from "../../web/pages/rollouts/types.ts";

const view: RolloutView = {
  tool: "echo",
  file: "tools/echo.js",
  mode: "canary",
  stable: "echo@aaaaaaaaaaaa",
  stable_since: "2026-01-01T00:00:00.000Z",
  canary: "echo@bbbbbbbbbbbb",
  percent: 10,
  stages: [10, 30, 60, 100],
  status: "running",
  is_held: false,
  is_pinned: false,
  awaits_approval: false,
  reason: "held: 3 of 40 canary calls",
  started_at: "2026-01-01T00:00:00.000Z",
};
const release = { earlier: [], out: {}, stable: { hash: "aaaaaaaaaaaa" }, file_hash: "bbbbbbbbbbbb" };
const labels = (changes: Partial<RolloutView>, more: object = {}): string[] =>
  ordersOf({ ...view, ...changes }, { ...release, ...more }).map(({ label }) => label);

test("only orders that fit to how a version stands are offered, each with what comes of it [D6]", () => {
  const back = ["Roll back", "Roll back and pin"];
  assert.deepEqual(labels({}), ["Promote to 30 %", "Promote to everybody", "Hold", ...back]);
  assert.deepEqual(labels({ is_held: true }), ["Promote to 30 %", "Promote to everybody", "Let it go on", ...back]);
  assert.equal(labels({ awaits_approval: true, percent: 60 })[0], "Agree to 100 %");
  assert.equal(labels({ percent: 100 })[0], "Promote to the next stage");
  assert.deepEqual(labels({ status: "blocked" }), ["Promote to everybody", ...back]);
  assert.deepEqual(labels({ status: "replaying" }), ["Promote to everybody", "Hold", ...back]);
  assert.deepEqual(labels({ status: "rolled_back" }), ["Try it again", "Promote to everybody", "Roll back and pin"]);
  assert.deepEqual(labels({ status: "rolled_back", is_pinned: true }), ["Try it again", "Promote to everybody"]);
  assert.deepEqual(labels({ status: "none", canary: null }), []);
  const earlier = [{ hash: "cccccccccccc", since: "", until: "" }];
  assert.deepEqual(labels({ status: "none" }, { earlier }), ["Back to the version before"]);
  assert.deepEqual(labels({ status: "none" }, { out: { bbbbbbbbbbbb: { reason: "x" } } }), ["Try it again"]);
  assert.deepEqual(labels({ status: "none", is_pinned: true }), ["Let new versions out"]);
});

test("an order says what it sends, and a hold wants a reason", () => {
  const orders = ordersOf(view, release);
  assert.deepEqual(
    orders.map(({ path, body, needsReason }) => [path, body, needsReason]),
    [
      ["promote", { to: "next" }, false],
      ["promote", { to: "all" }, false],
      ["hold", {}, true],
      ["rollback", { kind: "soft" }, false],
      ["rollback", { kind: "hard" }, false],
    ],
  );
  assert.equal(
    orders.every(({ consequence }) => /^[A-Z0-9].*\.$/.test(consequence)),
    true,
  );
});

test("every version that was stable can be gone back to, and what is tried goes with it [D6]", () => {
  const until = "2026-01-01T00:00:00.000Z";
  const earlier = ["cccccccccccc0", "aaaaaaaaaaaa", "dddddddddddd0"].map((hash) => ({ hash, since: until, until }));
  const out = { dddddddddddd0: { reason: "worse" } };
  assert.deepEqual(earlierOf({ ...release, earlier, out }), [
    { hash: "cccccccccccc0", until, isOut: false },
    { hash: "dddddddddddd0", until, isOut: true },
  ]);
  const { path, body, consequence } = goBackTo(view, "cccccccccccc0");
  assert.deepEqual([path, body], ["rollback", { kind: "soft", to: "cccccccccccc0" }]);
  const rest = "Everybody gets echo@cccccccccccc at once. What was stable after it stays out.";
  assert.equal(consequence, `${rest} echo@bbbbbbbbbbbb is rolled back, too.`);
  assert.equal(goBackTo({ ...view, status: "rolled_back" }, "cccccccccccc0").consequence, rest);
});
