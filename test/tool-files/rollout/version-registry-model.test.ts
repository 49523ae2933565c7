import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { codeOf } from "../../../src/core/errors.ts";
import { count } from "../../support/counts.ts";
import { allPassed, me, openReleaseBench, type ReleaseBench } from "./release-bench.ts";

type Step =
  | { readonly do: "save"; readonly hash: string; readonly origin: "person" | "agent"; readonly mode: "off" | "canary" }
  | { readonly do: "improve"; readonly hash: string }
  | { readonly do: "replay"; readonly flips: boolean }
  | { readonly do: "call"; readonly outcome: "ok" | "error" | "fatal"; readonly route: "stable" | "canary" }
  | { readonly do: "promote"; readonly to: "next" | "all" }
  | { readonly do: "rollback"; readonly kind: "soft" | "hard" }
  | { readonly do: "hold" | "resume" };

const hash = fc.constantFrom("aa", "bb", "cc", "dd", "ee");
const steps: fc.Arbitrary<Step>[] = [
  fc.record({
    do: fc.constant("save"),
    hash,
    origin: fc.constantFrom("person", "agent"),
    mode: fc.constantFrom("off", "canary"),
  }),
  fc.record({ do: fc.constant("improve"), hash }),
  fc.record({ do: fc.constant("replay"), flips: fc.boolean() }),
  fc.record({
    do: fc.constant("call"),
    outcome: fc.constantFrom("ok", "error", "fatal"),
    route: fc.constantFrom("stable", "canary"),
  }),
  fc.record({ do: fc.constant("promote"), to: fc.constantFrom("next", "all") }),
  fc.record({ do: fc.constant("rollback"), kind: fc.constantFrom("soft", "hard") }),
  fc.record({ do: fc.constantFrom("hold", "resume") }),
];

async function take(bench: ReleaseBench, step: Step): Promise<void> {
  bench.clock.advance(1000);
  switch (step.do) {
    case "save":
      return void (await bench.introduce(step.hash, step));
    case "improve":
      return void (await bench.introduce(step.hash, { origin: "improve", isInFile: false }));
    case "replay": {
      const claimed = await bench.registry.claimReplay("say", me, () => false);
      const flips = [{ name: "call_1", input: {}, error: "no" }];
      if (claimed) await bench.registry.endReplay("say", claimed.id, step.flips ? { ...allPassed, flips } : allPassed);
      return;
    }
    case "call":
      return bench.observe({ outcome: step.outcome, route: step.route, conversationId: "ses_1" });
    case "promote":
      return void (await bench.orders.promote("say", step));
    case "rollback":
      return void (await bench.orders.rollback("say", step));
    case "hold":
      return void (await bench.orders.hold("say", "wait"));
    case "resume":
      return void (await bench.orders.resume("say"));
  }
}

const isPersons = ({ do: name }: Step): boolean => ["promote", "rollback", "hold", "resume"].includes(name);

test("whatever happens, one content is stable, and what was rolled back is not used before a person acts [V1 V5]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...steps), { minLength: 5, maxLength: 40 }), async (all) => {
      const bench = openReleaseBench({ stages: [50, 100] });
      await bench.introduce("aa");
      const rollouts = new Set<string>();
      for (const step of all) {
        const before = bench.release();
        try {
          await take(bench, step);
        } catch (thrown) {
          assert.equal(codeOf(thrown), "ROLLOUT_STATE");
          assert.deepEqual(bench.release(), before, "what is refused changes nothing");
        }
        const { stable, rollout, out, pinned } = bench.release();
        assert.equal(out[stable.hash], undefined, "the stable content was rolled back");
        if (rollout && out[rollout.hash]) assert.equal(rollout.status, "rolled_back");
        if (rollout?.status === "rolled_back") {
          assert.notEqual(out[rollout.hash], undefined);
          assert.deepEqual([rollout.lanes.live.percent, rollout.lanes.scheduled.percent], [0, 0]);
        }
        if (!isPersons(step)) {
          for (const each of Object.keys(before.out)) assert.notEqual(out[each], undefined, `${each} came back`);
          if (before.pinned?.by === "person") assert.deepEqual([stable, pinned], [before.stable, before.pinned]);
        }
        if (rollout) rollouts.add(rollout.id);
        const kept = bench.store.listDocuments("rollout/").map((name) => name.split("/")[1]!);
        assert.deepEqual(
          new Set(kept).difference(new Set([rollout?.id])),
          new Set(),
          "counters of a rollout that is over",
        );
        for (const id of rollouts) {
          if (rollout?.id !== id || rollout.status === "rolled_back") {
            assert.equal(bench.store.findMark(id, "live:ses_1"), undefined);
          }
        }
      }
    }),
    { numRuns: count({ quick: 150, full: 5000 }) },
  );
});

test("a release stays small, however often its tool changes [V1]", async () => {
  const bench = openReleaseBench();
  for (let index = 0; index < 300; index++) {
    await bench.introduce(`${index}`.padStart(64, "a"), { mode: "off" });
    await bench.introduce(`${index}`.padStart(64, "b"));
    await bench.orders.rollback("say", { kind: "soft", reason: "not wanted" });
  }
  const { earlier, out } = bench.release();
  assert.deepEqual([earlier.length, Object.keys(out).length], [50, 50]);
  assert.ok(Object.hasOwn(out, "299".padStart(64, "b")));
  assert.ok(JSON.stringify(bench.release()).length < 40_000);
});
