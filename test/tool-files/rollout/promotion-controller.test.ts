import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observation } from "../../../src/tool-files/rollout/release/count-observation.ts";
import { readHarm } from "../../../src/tool-files/rollout/release/release-documents.ts";
import { openReleaseBench, type ReleaseBench } from "./release-bench.ts";

interface Played {
  /** Every so many canary calls one fails; left out: none. */
  readonly failsEvery?: number;
  readonly stableFailsEvery?: number;
  readonly more?: Partial<Observation>;
  readonly until?: () => boolean;
  readonly most?: number;
}

/** Calls by conversations of their own, in the shares that the rollout asks for; says how many of them the canary had. */
async function play(
  bench: ReleaseBench,
  { failsEvery = 0, stableFailsEvery = 0, more = {}, until, most = 5000 }: Played,
) {
  const lane = more.lane ?? "live";
  let owed = 0;
  const calls = { canary: 0, stable: 0 };
  for (let index = 0; index < most && !until?.(); index++) {
    const rollout = bench.release().rollout;
    if (rollout?.status !== "running") break;
    owed += rollout.lanes[lane].percent / 100;
    const route = owed >= 1 ? "canary" : "stable";
    if (route === "canary") owed -= 1;
    calls[route] += 1;
    const every = route === "canary" ? failsEvery : stableFailsEvery;
    const outcome = every > 0 && calls[route] % every === 0 ? "error" : "ok";
    await bench.observe({ route, outcome, conversationId: `${lane} ${route} ${calls[route]}`, ...more });
  }
  return calls;
}

const percents = ({ release }: ReleaseBench): (number | undefined)[] => {
  const lanes = release().rollout?.lanes;
  return [lanes?.live.percent, lanes?.scheduled.percent];
};

test("a canary as good as stable goes 10, 30, 60, 80, 100, each step told once with its figures [V4 V11]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  const seen: number[] = [];
  const { canary } = await play(bench, {
    stableFailsEvery: 100,
    until: () => {
      const percent = bench.release().rollout?.lanes.live.percent;
      if (percent !== undefined && percent !== seen.at(-1)) seen.push(percent);
      return false;
    },
  });
  assert.deepEqual(seen, [10, 30, 60, 80]);
  assert.ok(canary >= 1500 + 3 * 100, `${canary}`);
  const { stable, rollout, earlier } = bench.release();
  assert.deepEqual([stable.hash, rollout, earlier[0]?.hash], ["bb", null, "aa"]);
  assert.deepEqual(bench.types().slice(2), [
    "replayed by rule",
    "advanced by rule",
    "advanced by rule",
    "advanced by rule",
    "promoted by rule",
  ]);
  const steps = bench.events().slice(3);
  for (const { reason } of steps.slice(0, 3)) {
    assert.match(
      reason,
      /^advanced to (30|60|80) %: \d+ canary calls, 0 failed \(stable [\d.]+ % at the same time\); as good as/,
    );
  }
  assert.equal(steps.at(-1)?.reason, "promoted to 100 %: no regression in 1,500 calls beside the old version");
  assert.equal(steps.at(-1)?.version, "say@bb");
  assert.deepEqual(bench.store.listDocuments("rollout/"), []);
});

test("a canary that fails three calls in ten is rolled back softly after few calls, with whom it harmed [V4 V5]", async () => {
  const bench = openReleaseBench();
  const id = await bench.start();
  const { canary } = await play(bench, { failsEvery: 3 });
  assert.ok(canary <= 60, `${canary} canary calls`);
  const { stable, rollout, out, pinned } = bench.release();
  assert.deepEqual([stable.hash, rollout?.status, pinned], ["aa", "rolled_back", null]);
  assert.deepEqual([out["bb"]?.kind, out["bb"]?.by], ["soft", "rule"]);
  assert.deepEqual(percents(bench), [0, 0]);
  const told = bench.events().at(-1)!;
  assert.match(
    told.reason,
    /^rolled back: \d+ canary calls, \d+ failed \(stable [\d.]+ % at the same time\); worse with/,
  );
  const { harmed, saved, calls } = readHarm(bench.store, id);
  assert.deepEqual([harmed, saved, calls.length], [Math.floor(canary / 3), 0, harmed]);
  assert.deepEqual(calls[0], { executionId: calls[0]?.executionId, conversationId: "live canary 3", error: "broken" });
  assert.deepEqual(told.figures, { kind: "soft", harm: { harmed, saved, calls } });
  assert.equal(bench.store.findMark(id, "live:live canary 3"), undefined);
});

test("failures that stable answered harm nobody", async () => {
  const bench = openReleaseBench();
  const id = await bench.start();
  for (let index = 0; index < 3; index++) await bench.observe({ outcome: "error", onStable: "ok" });
  await bench.observe({ outcome: "error", onStable: "failed" });
  const { harmed, saved } = readHarm(bench.store, id);
  assert.deepEqual([harmed, saved], [1, 3]);
});

test("a call that was under way at the rollback counts among those it harmed, and for nothing else [V5]", async () => {
  const bench = openReleaseBench();
  const id = await bench.start();
  await play(bench, { failsEvery: 3 });
  const before = readHarm(bench.store, id).harmed;
  const release = bench.release();
  await bench.observe({ outcome: "error", conversationId: "late" });
  await bench.observe({ outcome: "ok", conversationId: "later" });
  assert.equal(readHarm(bench.store, id).harmed, before + 1);
  assert.deepEqual(bench.release(), release);
});

test("one fatal error is a hard rollback, and stable is pinned [V4 V5]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.observe({ outcome: "ok" });
  await bench.observe({ outcome: "fatal" });
  const { rollout, pinned, out } = bench.release();
  assert.deepEqual([rollout?.status, pinned?.by, out["bb"]?.kind], ["rolled_back", "rule", "hard"]);
  assert.equal(bench.events().at(-1)?.reason, "rolled back: 1 fatal error in 2 canary calls");
});

test("a fatal error that stable has as well is an ordinary one [V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.observe({ route: "stable", outcome: "fatal" });
  await bench.observe({ outcome: "fatal" });
  assert.equal(bench.release().rollout?.status, "running");
});

test("a gate keeps a good canary waiting, told once, and never a bad one alive [V4]", async () => {
  for (const approve of ["each", "last"] as const) {
    const bench = openReleaseBench({ approve });
    await bench.start();
    await play(bench, { until: () => bench.release().rollout?.lanes.live.last?.cause === "approval" });
    const share = approve === "each" ? 10 : 60;
    assert.deepEqual(percents(bench)[0], share);
    // One failure on the way, between two looks: it still waits for the person.
    await bench.observe({ outcome: "error", conversationId: "unlucky" });
    assert.equal((await bench.orders.list("say"))[0]?.awaitsApproval, true);
    await play(bench, { most: 600 });
    assert.deepEqual(
      bench.types().filter((type) => type.startsWith("approval")),
      ["approval_needed by rule"],
    );
    assert.match(bench.events().at(-1)!.reason, /^held: waiting for approval of the next stage; \d+ canary calls/);

    const view = await bench.orders.promote("say", { to: "next" });
    assert.equal(view.percent, approve === "each" ? 30 : 80);
    assert.equal(view.awaitsApproval, false);
    await play(bench, { failsEvery: 2, most: 400 });
    assert.equal(bench.release().rollout?.status, "rolled_back");
  }
});

test("a canary that waits for a person is rolled back while it waits [V4]", async () => {
  const bench = openReleaseBench({ approve: "each" });
  await bench.start();
  await play(bench, { until: () => bench.release().rollout?.lanes.live.last?.cause === "approval" });
  await play(bench, { failsEvery: 2, most: 2000 });
  assert.equal(bench.release().rollout?.status, "rolled_back");
});

test("a dry run says what would be done, once, and does nothing", async () => {
  for (const failsEvery of [0, 3]) {
    const bench = openReleaseBench({ dryRun: true });
    await bench.start();
    await play(bench, { failsEvery, most: 1100 });
    assert.deepEqual([bench.release().rollout?.status, percents(bench)[0]], ["running", 10]);
    const told = bench.events().slice(3);
    assert.deepEqual(
      told.map(({ type }) => type),
      ["held"],
    );
    assert.match(
      told[0]!.reason,
      failsEvery ? /^dry run, would be rolled back: / : /^dry run, would be advanced to 30 %: /,
    );
  }
});

test("a person's hold keeps the share, and a bad canary is rolled back all the same [V4 V5]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.orders.hold("say", "until Monday");
  await play(bench, { most: 1000 });
  assert.deepEqual(percents(bench)[0], 10);
  assert.deepEqual(bench.types().slice(3), ["held by person"]);
  const [view] = await bench.orders.list("say");
  assert.deepEqual([view?.isHeld, view?.reason], [true, "Held by kim: until Monday"]);
  await play(bench, { failsEvery: 2 });
  assert.equal(bench.release().rollout?.status, "rolled_back");
});

test("after a hold is ended the canary goes on [V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.orders.hold("say", "until Monday");
  await play(bench, { most: 300 });
  assert.equal((await bench.orders.resume("say")).isHeld, false);
  await play(bench, { until: () => percents(bench)[0] === 30 });
  assert.deepEqual(percents(bench)[0], 30);
});

test("a share that was not drawn by chance is inconclusive, told once, and moves nothing [V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  for (let index = 0; index < 200; index++) await bench.observe({ conversationId: `ses_${index}` });
  assert.deepEqual([bench.release().rollout?.status, percents(bench)[0]], ["running", 10]);
  const told = bench.events().slice(3);
  assert.deepEqual(
    told.map(({ type }) => type),
    ["inconclusive"],
  );
  assert.match(told[0]!.reason, /^inconclusive: the canary got \d+ conversations where \d+ were to be expected/);
});

test("a kind of input that fails is found among many that work, and named [V3 V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  let calls = 0;
  while (bench.release().rollout?.status === "running" && calls < 4000) {
    calls += 1;
    const kind = calls % 10 === 0 ? "mode=upper" : "mode=lower";
    const isCanary = (calls * 7) % 100 < percents(bench)[0]!;
    const outcome = isCanary && kind === "mode=upper" ? "error" : "ok";
    await bench.observe({ route: isCanary ? "canary" : "stable", kind, outcome, conversationId: `ses_${calls}` });
  }
  assert.equal(bench.release().rollout?.status, "rolled_back");
  assert.match(
    bench.release().rollout!.reason,
    /^rolled back: (inputs of kind "mode=upper": \d+ of \d+|\d+ canary calls)/,
  );
});

test("after a stage is entered, the holdback is kept for its calls before everybody gets it [V4]", async () => {
  const bench = openReleaseBench({ holdback: { percent: 5, calls: 100, elapsedMs: Infinity } });
  await bench.start();
  await play(bench, { until: () => percents(bench)[0] === 95 });
  const before = (await play(bench, { most: 90 })).canary;
  assert.deepEqual(percents(bench)[0], 95);
  const { canary } = await play(bench, {});
  assert.ok(before + canary >= 100 && before + canary <= 120, `${before + canary}`);
  assert.equal(bench.release().stable.hash, "bb");
});

test("an observation of another rollout counts for nothing", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.observe({ rolloutId: "roll_before", outcome: "fatal" });
  assert.equal(bench.release().rollout?.status, "running");
  assert.deepEqual(bench.store.listDocuments("rollout/"), []);
});

test("counters that are damaged begin again: nothing is decided by them [V4]", async () => {
  const bench = openReleaseBench();
  const id = await bench.start();
  await play(bench, { most: 100 });
  for (const damage of [null, 3, {}, { stage: {} }]) {
    await bench.store.change((transaction) => {
      for (const name of [`rollout/${id}/live`, `rollout/${id}/live/kind/text`])
        transaction.writeDocument(name, damage);
    });
    await play(bench, { most: 10 });
    assert.deepEqual([bench.release().rollout?.status, percents(bench)[0]], ["running", 10]);
  }
});

test("a timeout that is run again on stable later is a pair from then on, also when its block is closed [V9]", async () => {
  const bench = openReleaseBench();
  const rolloutId = await bench.start();
  const about = { tool: "say", rolloutId, lane: "live", kind: "text", at: bench.clock.now() } as const;
  const verify = (route: "canary" | "stable", onStable: "ok" | "failed"): Promise<void> =>
    bench.store.change((transaction) => bench.controller.verify(transaction, { ...about, route, onStable }));
  const judged = async () => {
    const { judgedBy, judgedFailures } = (await bench.orders.explain("say")).lanes.live!.evidence;
    return [judgedBy, judgedFailures];
  };
  await bench.observe({ route: "canary", outcome: "timeout", conversationId: "ses_1" });
  await bench.observe({ route: "stable", outcome: "timeout", conversationId: "ses_2" });
  await verify("stable", "failed");
  assert.deepEqual(await judged(), ["failures", 1]);
  for (let call = 0; call < 300; call++) await bench.observe({ route: call % 10 === 0 ? "canary" : "stable" });
  await verify("canary", "ok");
  assert.deepEqual(await judged(), ["pairs", 1]);
  await bench.observe({ route: "canary", outcome: "timeout", conversationId: "ses_3" });
  await verify("canary", "failed");
  assert.deepEqual(await judged(), ["pairs", 1]);
  await bench.store.change((transaction) =>
    bench.controller.verify(transaction, { ...about, rolloutId: "roll_other", route: "canary", onStable: "ok" }),
  );
  assert.deepEqual(await judged(), ["pairs", 1]);
});
