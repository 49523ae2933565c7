import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { RuntimeError } from "../../../src/core/errors.ts";
import type { Execution } from "../../../src/core/call.ts";
import { openDatabase } from "../../../src/records/sqlite/database.ts";
import { createSqliteRolloutStore } from "../../../src/records/sqlite/sqlite-rollout-store.ts";
import { afterTest } from "../../support/after-test.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { openReleaseBench, type ReleaseBench } from "./release-bench.ts";

const percents = ({ release }: ReleaseBench): (number | undefined)[] => {
  const lanes = release().rollout?.lanes;
  return [lanes?.live.percent, lanes?.scheduled.percent];
};

async function refusal(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof RuntimeError);
  return `${thrown.code}: ${thrown.message}`;
}

test("a person takes the canary on step by step, then it is stable [V5]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  const shares: number[] = [];
  while (bench.release().rollout) shares.push((await bench.orders.promote("say", { to: "next" })).percent);
  assert.deepEqual(shares, [30, 60, 80, 0]);
  assert.equal(bench.release().stable.hash, "bb");
  assert.deepEqual(bench.types().slice(3), [
    "advanced by person",
    "advanced by person",
    "advanced by person",
    "promoted by person",
  ]);
  assert.deepEqual([bench.events().at(-1)?.who, bench.events().at(-1)?.reason], ["kim", "A person promoted it."]);
});

test("a person gives it to everybody: whatever its state, also when it was rolled back and pinned [V5]", async () => {
  for (const prepare of ["blocked", "replaying", "running", "rolled back", "pinned"] as const) {
    const bench = openReleaseBench();
    await bench.introduce("aa");
    if (prepare === "blocked") await bench.introduce("bb", { blocked: "other traits" });
    else if (prepare === "replaying") await bench.introduce("bb");
    else await bench.start();
    if (prepare === "rolled back") await bench.orders.rollback("say", { kind: "soft" });
    if (prepare === "pinned") await bench.orders.rollback("say", { kind: "hard" });
    const view = await bench.orders.promote("say", { to: "all", reason: "urgent" });
    assert.deepEqual([view.stable, view.status, view.isPinned], ["say@bb", "none", false]);
    assert.deepEqual(bench.release().out, {});
    assert.equal(bench.types().at(-1), "promoted by person");
  }
});

test("live calls and scheduled runs go their own ways, and the canary is stable when both have all of it [V2 V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  const run = () => bench.observe({ lane: "scheduled", conversationId: "job_1" });
  for (let index = 0; index < 2; index++) await run();
  while (percents(bench)[0] !== 100) {
    for (let index = 0; index < 200; index++) {
      const route = (index * 7) % 100 < percents(bench)[0]! ? "canary" : "stable";
      await bench.observe({ route, conversationId: null });
    }
  }
  assert.deepEqual(percents(bench), [100, 10]);
  assert.equal(bench.types().includes("promoted by rule"), false);
  assert.equal(bench.events().at(-1)?.type, "advanced");

  bench.clock.advance(25 * 60 * 60_000);
  await run();
  assert.match(bench.events().at(-1)!.reason, /^held: unproven \(3 runs\); waiting for approval of the next stage/);
  while (bench.release().rollout) {
    await bench.orders.promote("say", { to: "next" });
    if (bench.release().rollout) assert.equal(percents(bench)[0], 100);
  }
  assert.equal(bench.release().stable.hash, "bb");
  assert.equal(bench.types().at(-1), "promoted by person");
});

test("a yes to scheduled runs is none to live calls [V2 V4]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.observe({ conversationId: "ses_1" });
  for (let index = 0; index < 3; index++) {
    await bench.observe({ lane: "scheduled", conversationId: "job_1" });
    bench.clock.advance(13 * 60 * 60_000);
  }
  assert.equal(bench.events().at(-1)?.type, "approval_needed");
  await bench.orders.promote("say", { to: "next" });
  assert.deepEqual(percents(bench), [10, 30]);
});

test("what was rolled back begins again from the first stage when a person resumes it, for others [V5]", async () => {
  const bench = openReleaseBench();
  const first = await bench.start();
  await bench.orders.promote("say", { to: "next" });
  await bench.observe({ outcome: "error", conversationId: "ses_1" });
  assert.equal((await bench.orders.rollback("say", { kind: "hard", reason: "deletes too much" })).isPinned, true);
  const view = await bench.orders.resume("say");
  assert.deepEqual([view.status, view.percent, view.isPinned], ["running", 10, false]);
  const { rollout, out, pinned } = bench.release();
  assert.notEqual(rollout?.id, first);
  assert.deepEqual([out, pinned], [{}, null]);
  assert.deepEqual(bench.store.listDocuments(`rollout/${first}/`), []);
  assert.deepEqual(bench.types().slice(-3), ["rolled_back by person", "resumed by person", "replayed by rule"]);
});

test("what the file got while stable was pinned is looked at when a person resumes [V5]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.orders.rollback("say", { kind: "hard" });
  await bench.introduce("cc");
  assert.equal(bench.release().rollout, null);
  await bench.orders.resume("say");
  assert.equal(bench.release().fileHash, "");
  await bench.introduce("cc");
  assert.equal(bench.release().rollout?.hash, "cc");
});

test("where nothing is tried a rollback goes to the version before, which stays until a person acts [V5]", async () => {
  const bench = openReleaseBench();
  for (const hash of ["aa", "bb", "cc"]) await bench.introduce(hash, { mode: "off" });
  const view = await bench.orders.rollback("say", { kind: "soft", reason: "slow" });
  assert.equal(view.stable, "say@bb");
  assert.match(view.reason, /^What the file has was rolled back: slow/);
  await bench.introduce("cc", { mode: "off" });
  assert.equal(bench.release().stable.hash, "bb");
  const told = bench.events().at(-1)!;
  assert.deepEqual([told.type, told.version, told.figures], ["rolled_back", "say@cc", { kind: "soft", to: "say@bb" }]);
  await bench.orders.rollback("say", { kind: "soft" });
  assert.equal(bench.release().stable.hash, "aa");
  assert.match(
    await refusal(bench.orders.rollback("say", { kind: "soft" })),
    /^ROLLOUT_STATE: say has no earlier version/,
  );
});

test("a rollback of what the rule rolled back a moment ago leaves stable as it is; a hard one pins it [V5]", async () => {
  const bench = openReleaseBench();
  await bench.introduce("00");
  await bench.introduce("aa", { mode: "off" });
  await bench.introduce("bb");
  await bench.orders.rollback("say", { kind: "soft", reason: "1 of 2 failed" });
  const before = bench.release();
  assert.equal(
    await refusal(bench.orders.rollback("say", { kind: "soft" })),
    "ROLLOUT_STATE: say@bb was rolled back already, and everybody gets say@aa. Pin that with --hard, or save what was stable before it: that is live at once.",
  );
  assert.deepEqual(bench.release(), before);
  const view = await bench.orders.rollback("say", { kind: "hard", reason: "enough" });
  assert.deepEqual([view.stable, view.canary, view.isPinned], ["say@aa", "say@bb", true]);
  assert.equal(view.reason, "1 of 2 failed. Pinned: enough");
  const told = bench.events().at(-1)!;
  assert.deepEqual([told.type, told.version, told.figures], ["rolled_back", "say@bb", { kind: "hard" }]);
  await bench.introduce("cc");
  assert.equal(bench.release().rollout, null);
});

test("an order that makes no sense is refused in one sentence, and nothing is changed", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa");
  const { orders } = bench;
  const expect = async (work: Promise<unknown>, sentence: string): Promise<void> => {
    const before = bench.release();
    assert.equal(await refusal(work), sentence);
    assert.deepEqual(bench.release(), before);
  };
  await expect(
    orders.promote("say", { to: "next" }),
    "ROLLOUT_STATE: No other version of say is being tried: there is nothing to promote.",
  );
  await expect(
    orders.hold("say", "x"),
    "ROLLOUT_STATE: No other version of say is being tried: there is nothing to hold.",
  );
  await expect(
    orders.resume("say"),
    "ROLLOUT_STATE: say is neither held, pinned nor rolled back: there is nothing to resume.",
  );
  await expect(orders.rollback("say", { kind: "hard" }), "ROLLOUT_STATE: say has no earlier version to go back to.");
  await expect(
    orders.promote("sya", { to: "all" }),
    `UNKNOWN_TOOL: There is no tool file "sya" that is known; did you mean say?`,
  );
  await bench.introduce("bb", { blocked: "other traits" });
  await expect(
    orders.promote("say", { to: "next" }),
    "ROLLOUT_STATE: The new version of say can't be tried beside the stable one: roll it back, or promote it to all with --all.",
  );
  assert.equal((await orders.list("S_A-Y"))[0]?.tool, "say");
});

test("a refusal reaches the person as it is from a store on disk, too, and leaves nothing behind", async (t) => {
  const database = await openDatabase({ path: `${await temporaryFolder(t)}/store.db`, clock: systemClock });
  afterTest(t, () => database.close());
  const bench = openReleaseBench({}, createSqliteRolloutStore(database));
  await bench.introduce("aa");
  const sentence = "ROLLOUT_STATE: say has no earlier version to go back to.";
  assert.equal(await refusal(bench.orders.rollback("say", { kind: "soft" })), sentence);
  assert.deepEqual(bench.types(), ["live by file"]);
  await bench.start();
  assert.equal((await bench.orders.hold("say", "wait")).isHeld, true);
});

test("what is explained is what is known: the release, the judgement and whom it harmed [V11]", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa");
  assert.deepEqual((await bench.orders.explain("say")).lanes, { live: null, scheduled: null });
  await bench.start();
  for (let index = 0; index < 37; index++) {
    await bench.observe({ outcome: index === 5 ? "error" : "ok", conversationId: null });
    for (let more = 0; more < 9; more++) await bench.observe({ route: "stable", conversationId: null });
  }
  const { lanes, release, harm, view } = await bench.orders.explain("say");
  assert.deepEqual(release, bench.release());
  assert.equal(lanes.scheduled, null);
  assert.match(lanes.live!.reason, /^held: 37 of \d+ canary calls, 1 failed \(stable [\d.]+ % at the same time\)/);
  assert.deepEqual([harm?.harmed, harm?.calls[0]?.error], [1, "broken"]);
  assert.equal(view.percent, 10);
});

test("what is tried is compared with stable line by line, and not without end [V11]", async () => {
  const texts: Record<string, string> = {
    aa: "one\n",
    bb: "two\n",
    cc: `${"more\n".repeat(5000)}`,
    dd: "x".repeat(400_000),
  };
  const bench = openReleaseBench({}, undefined, (_, hash) => texts[hash] ?? null);
  await bench.introduce("aa");
  assert.equal(await bench.orders.diff("say"), null);
  await bench.introduce("bb");
  assert.equal(await bench.orders.diff("say"), "--- a/tools/say.js\n+++ b/tools/say.js\n@@ -1 +1 @@\n-one\n+two\n");
  await bench.introduce("cc");
  assert.match((await bench.orders.diff("say")) ?? "", /\n\[3005 more lines of the diff left out\]\n$/);
  assert.match((await bench.orders.diff("say", 80)) ?? "", /\n\[4925 more lines of the diff left out\]\n$/);
  await bench.introduce("dd");
  assert.match((await bench.orders.diff("say")) ?? "", /x… \[\d+ characters cut\]$/);
  await bench.introduce("ee");
  assert.equal(await bench.orders.diff("say"), null);
});

test("the sentence of a list is what the calls say by now, not what was said before them [V11]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  const sentence = async () => (await bench.orders.list("say"))[0]?.reason;
  assert.match((await sentence()) ?? "", /^Replayed: 3 of 3 pass/);
  for (let call = 0; call < 126; call++) await bench.observe({ route: call % 10 === 0 ? "canary" : "stable" });
  assert.equal(await sentence(), "held: 13 of 100 canary calls");
  bench.clock.advance(60_000);
  assert.equal(await sentence(), "held: 13 of 100 canary calls; about 7 minutes more");
});

test("why stable is pinned is said once [V11]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await bench.observe({ outcome: "fatal" });
  const [view] = await bench.orders.list("say");
  assert.equal(view?.reason, "rolled back: 1 fatal error in 1 canary call. Stable is pinned.");
});

interface Marking {
  readonly bench: ReleaseBench;
  /** Marks the call of a conversation as bad, or as undone. */
  readonly mark: (call: number, given?: Partial<Execution> & { readonly by?: "undo" }) => Promise<string>;
}

/** After 200 calls, one in ten of them on the canary, each in a conversation of its own. */
async function openMarking(): Promise<Marking> {
  const bench = openReleaseBench();
  await bench.start();
  for (let call = 0; call < 200; call++) {
    await bench.observe({ route: call % 10 === 0 ? "canary" : "stable", conversationId: `ses_${call}` });
  }
  const { stable, rollout } = bench.release();
  return {
    bench,
    async mark(call, { by, ...given } = {}) {
      const isCanary = call % 10 === 0;
      const execution = {
        id: `call_${call + 1}`,
        toolId: "say",
        version: `say@${isCanary ? rollout!.hash : stable.hash}`,
        route: isCanary ? "canary" : "stable",
        conversationId: `ses_${call}`,
        createdAt: rollout!.startedAt - 1,
        startedAt: bench.clock.now(),
        toolInput: {},
        state: "completed",
        result: { ok: true, output: "?" },
        ...given,
      } as unknown as Execution;
      if (by === "undo") return bench.orders.markUndone(execution);
      return (await bench.orders.markBad("say", execution)).counted;
    },
  };
}

test("results that a person marks as bad count like failures of the version that ran them, once each [V4]", async () => {
  const { bench, mark } = await openMarking();
  assert.equal(await mark(0), "counted");
  assert.equal(await mark(0), "already");
  const evidence = async () => (await bench.orders.explain("say")).lanes.live!.evidence.canary;
  assert.deepEqual(await evidence(), { calls: 20, failures: 1, errors: 0, timeouts: 0, wrong: 1, fatal: 0 });
  for (const call of [10, 20, 30, 40]) await mark(call);
  assert.match(bench.release().rollout!.reason, /^rolled back: 20 canary calls, [45] failed \(stable /);
  assert.equal((await bench.orders.feedback("say", 10))[0]?.errorType, "marked_bad");
  assert.equal(await mark(50), "not_tried");
});

test("an undo counts as a correction like feedback, in both versions, once for each conversation [V4]", async () => {
  const { bench, mark } = await openMarking();
  assert.equal(await mark(0, { by: "undo" }), "counted");
  assert.equal(await mark(0, { by: "undo" }), "already");
  assert.equal(await mark(0, { by: "undo", id: "call_other" }), "already");
  assert.equal(await mark(0), "already");
  assert.equal(await mark(1, { by: "undo" }), "counted");
  assert.equal(await mark(10), "counted");
  // The canary failed and stable answered: that was counted when it failed.
  assert.equal(await mark(20, { by: "undo", version: `say@${bench.release().stable.hash}` }), "already");
  assert.equal(await mark(30, { by: "undo", state: "failed" }), "not_tried");
  assert.equal(await mark(30, { by: "undo", startedAt: bench.release().rollout!.startedAt - 1 }), "not_tried");
  assert.equal(await mark(30, { by: "undo", toolId: "bash", version: "builtin" }), "not_tried");
  const { lanes, corrections, harm } = await bench.orders.explain("say");
  assert.deepEqual([lanes.live!.evidence.canary.wrong, lanes.live!.evidence.stable.wrong], [2, 1]);
  assert.deepEqual(corrections, { canary: { undo: 1, feedback: 1 }, stable: { undo: 1, feedback: 0 } });
  assert.deepEqual([harm?.harmed, harm?.calls.map(({ executionId }) => executionId)], [2, ["call_1", "call_11"]]);
  // What a person did not put into words is nothing to improve by.
  assert.deepEqual(
    (await bench.orders.feedback("say", 10)).map(({ executionId }) => executionId),
    ["call_11"],
  );
});

test("the view of a trial has the share of every step, and says that there is no canary call yet once stable had some", async () => {
  const bench = openReleaseBench();
  await bench.start();
  const look = async () => (await bench.orders.list("say"))[0]!;
  assert.deepEqual((await look()).stages, [10, 30, 60, 80, 100]);
  assert.equal((await look()).reason, "Replayed: 3 of 3 pass, none fails that passes on stable.");
  await bench.observe({ route: "stable" });
  assert.equal((await look()).reason, "held: no canary call yet");
  const without = openReleaseBench({ stages: [50, 100], holdback: { percent: 0, calls: 0, elapsedMs: 0 } });
  await without.start();
  assert.deepEqual((await without.orders.list("say"))[0]!.stages, [50, 100]);
});
