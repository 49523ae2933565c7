import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { Door } from "../../../src/core/call.ts";
import type { RolloutMark } from "../../../src/core/stores.ts";
import { createCanaryRouter, laneOf, stickyKey } from "../../../src/tool-files/rollout/release/canary-router.ts";
import type { Rollout } from "../../../src/tool-files/rollout/release/tool-release.ts";
import { count } from "../../support/counts.ts";

function rolloutAt(live: number, given: Partial<Rollout> = {}, scheduled = live): Rollout {
  const lane = { index: 0, isUsed: false, last: null };
  return {
    id: "roll_1",
    hash: "bb",
    origin: "person",
    startedAt: 0,
    risk: "low",
    verifies: false,
    status: "running",
    owner: null,
    reason: "",
    held: null,
    replay: null,
    lanes: { live: { ...lane, percent: live }, scheduled: { ...lane, percent: scheduled } },
    ...given,
  };
}

const marks = new Map<string, RolloutMark>();
const router = createCanaryRouter({ findMark: (rolloutId, key) => marks.get(`${rolloutId} ${key}`) });

function choose(rollout: Rollout | null, conversationId: string | null, more: { id?: string; door?: Door } = {}) {
  return router.choose(rollout, { id: "call_1", door: "library", ...more, conversationId });
}

function isCanary(rollout: Rollout, conversationId: string, door: Door = "library"): boolean {
  return choose(rollout, conversationId, { door }).route === "canary";
}

const keys = Array.from({ length: 5000 }, (_, index) => `ses_${index}`);

test("a conversation stays with its version, whichever call of it asks [V2]", () => {
  const rollout = rolloutAt(30);
  for (const key of keys.slice(0, 500)) {
    const first = choose(rollout, key, { id: "call_1" });
    assert.deepEqual(choose(rollout, key, { id: "call_2" }), first);
    assert.deepEqual(
      createCanaryRouter({ findMark: () => undefined }).choose(rollout, {
        id: "call_3",
        door: "agent",
        conversationId: key,
      }),
      first,
    );
  }
});

test("where a conversation falls is the same on every machine and in every version of this program [V2]", () => {
  const digest = createHash("sha256").update("roll_1\0bb\0ses_7").digest();
  assert.equal(choose(rolloutAt(30), "ses_7").bucket, digest.readUInt32BE(0) % 10_000);
});

test("a larger share only adds conversations [V2]", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      (key, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        if (isCanary(rolloutAt(less), key)) assert.equal(isCanary(rolloutAt(more), key), true);
      },
    ),
    { numRuns: count({ quick: 500, full: 20_000 }) },
  );
});

test("the canary gets its share, within four standard deviations of 100,000 conversations [V2]", () => {
  const all = 100_000;
  const rollout = rolloutAt(10);
  const chosen = Array.from({ length: all }, (_, index) => choose(rollout, `conversation ${index}`));
  assert.equal(
    chosen.every(({ route, bucket }) => (route === "canary") === bucket! < 1000),
    true,
  );
  for (const percent of [1, 10, 30, 60, 95]) {
    const drawn = chosen.filter(({ bucket }) => bucket! < percent * 100).length;
    const share = percent / 100;
    const deviation = Math.sqrt(all * share * (1 - share));
    assert.ok(Math.abs(drawn - all * share) < 4 * deviation, `${percent} %: ${drawn} of ${all}`);
  }
});

test("0 percent is nobody and 100 percent is everybody [V2]", () => {
  for (const key of keys) {
    assert.equal(isCanary(rolloutAt(0), key), false);
    assert.equal(isCanary(rolloutAt(100), key), true);
  }
});

test("each canary draws other conversations than the one before [V2]", () => {
  const drawn = (given: Partial<Rollout>): Set<string> =>
    new Set(keys.filter((key) => isCanary(rolloutAt(10, given), key)));
  const first = drawn({});
  for (const other of [drawn({ id: "roll_2" }), drawn({ hash: "cc" })]) {
    const shared = [...other].filter((key) => first.has(key)).length;
    // By chance a tenth of a tenth: 50 of 5,000, give or take 7.
    assert.ok(shared < 90, `${shared} of ${other.size} are the same`);
  }
});

test("live calls and scheduled runs have shares of their own [V2]", () => {
  const rollout = rolloutAt(0, {}, 100);
  assert.deepEqual(
    (["library", "cli", "agent", "chat", "mcp", "daemon", "schedule"] as const).map((door) => laneOf({ door })),
    ["live", "live", "live", "live", "live", "live", "scheduled"],
  );
  assert.equal(isCanary(rollout, "job_1", "schedule"), true);
  assert.equal(isCanary(rollout, "job_1", "agent"), false);
});

test("a conversation that the canary failed gets stable for good, in its lane [V2]", () => {
  const rollout = rolloutAt(100, { id: "roll_marked" });
  marks.set("roll_marked live:ses_1", "failed");
  marks.set("roll_marked live:ses_2", "seen");
  assert.equal(isCanary(rollout, "ses_1"), false);
  assert.equal(isCanary(rollout, "ses_2"), true);
  assert.equal(isCanary(rollout, "ses_1", "schedule"), true);
  assert.equal(isCanary({ ...rollout, id: "roll_next" }, "ses_1"), true);
});

test("a call without a conversation is drawn for itself [V2]", () => {
  const rollout = rolloutAt(50);
  assert.equal(stickyKey({ id: "call_9", conversationId: null, door: null }), "call_9");
  const routes = new Set(keys.map((id) => choose(rollout, null, { id }).route));
  assert.deepEqual(routes, new Set(["stable", "canary"]));
});

test("what does not run gets nobody, and where nothing is tried there is no bucket [V2 V5]", () => {
  for (const status of ["replaying", "blocked", "rolled_back"] as const) {
    const chosen = keys.slice(0, 200).map((key) => choose(rolloutAt(100, { status }), key).route);
    assert.deepEqual(new Set(chosen), new Set(["stable"]));
  }
  assert.deepEqual(choose(null, "ses_1"), { route: "stable", lane: "live", bucket: null });
});
