import assert from "node:assert/strict";
import { test } from "node:test";
import { openToolBench, saying } from "../support.ts";
import { createCountBehind, followUps } from "../../../src/tool-files/rollout/service/rollout-observer.ts";
import type { Settings } from "../../../src/config/settings.ts";
import { createMemoryRolloutStore } from "../../../src/records/memory/memory-rollout-store.ts";
import { makeExecution } from "../../contract/make-execution.ts";
import { createManualClock } from "../../support/manual-clock.ts";

test("calls are counted in canary mode although nothing is tried, and none is lost at the end [V3]", async (t) => {
  const bench = await openToolBench(t, { "say.js": saying("hi") });
  const settings: Settings = { permissions: { allow: ["*"] }, rollout: { mode: "canary" } };
  const first = await bench.open({ settings });
  for (let index = 0; index < 25; index++) await first.call("say", {});
  await first.close();
  const next = await bench.open({ settings });
  const { figures } = await (await next.rollouts()).explain("say");
  assert.deepEqual(
    figures.map(({ kind, route, lane, lastCalls }) => [kind, route, lane, lastCalls.calls]),
    [
      ["all", "stable", "live", 25],
      ["empty", "stable", "live", 25],
    ],
  );
});

test("in mode off only failures are kept, each cause once [V6]", async (t) => {
  const failing = saying("hi").replace('({ ok: true, output: "hi" })', '({ ok: false, error: "no" })');
  const bench = await openToolBench(t, { "say.js": failing });
  const runtime = await bench.open();
  for (const conversationId of ["ses_1", "ses_2", "ses_3"]) await runtime.call("say", {}, { conversationId });
  const rollouts = await runtime.rollouts();
  assert.deepEqual((await rollouts.explain("say")).figures, []);
  const feedback = await rollouts.feedback("say", 10);
  assert.deepEqual(
    feedback.map(({ count, error, route }) => [count, error, route]),
    [[3, "no", "stable"]],
  );
});

test("what is counted behind is counted in its order, together, and before what comes after it", async () => {
  const clock = createManualClock();
  const store = createMemoryRolloutStore();
  const seen: number[] = [];
  const failures: unknown[] = [];
  const behind = createCountBehind({ store, clock, onFailed: (thrown) => void failures.push(thrown) });
  behind.add(() => void seen.push(1));
  behind.add(() => void seen.push(2));
  clock.advance(19);
  assert.deepEqual([seen, clock.waiting], [[], 1]);
  clock.advance(1);
  assert.deepEqual([seen, clock.waiting], [[1, 2], 0]);
  behind.add(() => void seen.push(3));
  const waiting = behind.take();
  await store.change((transaction) => {
    waiting(transaction);
    seen.push(4);
  });
  assert.deepEqual([seen, clock.waiting], [[1, 2, 3, 4], 0]);
  behind.add(() => {
    throw new Error("no");
  });
  await behind.flush();
  assert.equal(failures.length, 1);
  for (let index = 0; index < 200; index++) behind.add(() => void seen.push(index));
  assert.equal(seen.length, 204);
  await behind.flush();
});

test("a call follows up on the one right before, with another input, of the same conversation [V3]", () => {
  const isFollowUp = followUps();
  const ask = (conversationId: string | null, toolId: string, n: number): boolean =>
    isFollowUp(makeExecution({ conversationId, toolId, toolInput: { n } }));
  assert.equal(ask("ses_1", "say", 1), false);
  assert.equal(ask("ses_1", "say", 1), false);
  assert.equal(ask("ses_1", "say", 2), true);
  assert.equal(ask("ses_2", "say", 3), false);
  assert.equal(ask("ses_1", "other", 3), false);
  assert.equal(ask("ses_1", "say", 4), false);
  assert.equal(ask(null, "say", 1), false);
  assert.equal(ask(null, "say", 2), false);
});
