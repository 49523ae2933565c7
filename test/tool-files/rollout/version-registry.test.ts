import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "../../../src/records/sqlite/database.ts";
import { createSqliteRolloutStore } from "../../../src/records/sqlite/sqlite-rollout-store.ts";
import type { RolledBack } from "../../../src/tool-files/rollout/release/tool-release.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { afterTest } from "../../support/after-test.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { allPassed, me, openReleaseBench, somebody, type ReleaseBench } from "./release-bench.ts";

async function rollBack({ store, controller, release, clock }: ReleaseBench, given: Partial<RolledBack> = {}) {
  const entry: RolledBack = { at: clock.now(), who: null, reason: "bad", kind: "soft", by: "rule", ...given };
  await store.change((transaction) => controller.rollBack(transaction, release(), entry));
}

function inUse({ release }: ReleaseBench): string {
  const { stable, rollout } = release();
  return `${stable.hash}${rollout ? ` + ${rollout.hash} ${rollout.status}` : ""}`;
}

test("the first content of a tool is stable, whoever wrote it [V1]", async () => {
  for (const origin of ["person", "agent"] as const) {
    const bench = openReleaseBench();
    const release = await bench.introduce("aa", { origin });
    assert.deepEqual(release, {
      v: 1,
      tool: "say",
      fileName: "say.js",
      fileHash: "aa",
      stable: { hash: "aa", origin, since: bench.clock.now() },
      earlier: [],
      pinned: null,
      out: {},
      rollout: null,
    });
    assert.deepEqual(bench.types(), ["live by file"]);
  }
});

test("in mode off an edit of a person is live at once, and what it replaces is remembered [V1]", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa", { mode: "off" });
  await bench.introduce("bb", { mode: "off" });
  assert.equal(inUse(bench), "bb");
  assert.deepEqual(
    bench.release().earlier.map(({ hash }) => hash),
    ["aa"],
  );
  assert.deepEqual(bench.types(), ["live by file", "live by file"]);
});

test("in canary mode an edit is tried, from the first stage of its policy [V1]", async () => {
  const bench = openReleaseBench({ stages: [7, 100] });
  await bench.introduce("aa");
  await bench.introduce("bb");
  const { rollout, fileHash } = bench.release();
  assert.equal(inUse(bench), "aa + bb replaying");
  assert.deepEqual([rollout?.lanes.live.percent, rollout?.lanes.scheduled.percent, fileHash], [7, 7, "bb"]);
  assert.deepEqual(bench.types(), ["live by file", "started by file"]);
});

test("what an agent or improve made is tried also in mode off [V1]", async () => {
  for (const [origin, isInFile] of [
    ["agent", true],
    ["improve", false],
  ] as const) {
    const bench = openReleaseBench();
    await bench.introduce("aa", { mode: "off" });
    await bench.introduce("bb", { mode: "off", origin, isInFile });
    assert.equal(inUse(bench), "aa + bb replaying");
    assert.equal(bench.release().fileHash, isInFile ? "bb" : "aa");
  }
});

test("a file that goes back to what is stable withdraws the canary, and nothing of it is left [V1]", async () => {
  const bench = openReleaseBench();
  const id = await bench.start();
  await bench.observe({ conversationId: "ses_1" });
  assert.notDeepEqual(bench.store.listDocuments(`rollout/${id}/`), []);
  await bench.introduce("aa");
  assert.equal(inUse(bench), "aa");
  assert.deepEqual(bench.store.listDocuments("rollout/"), []);
  assert.equal(bench.store.findMark(id, "live:ses_1"), undefined);
  assert.equal(bench.types().at(-1), "withdrawn by file");
});

test("what improve made goes on when the file is looked at, and yields to an edit [V1]", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa");
  await bench.introduce("im", { origin: "improve", isInFile: false });
  await bench.introduce("aa");
  assert.equal(inUse(bench), "aa + im replaying");
  await bench.introduce("cc");
  assert.equal(inUse(bench), "aa + cc replaying");
});

test("a newer content takes the place of the canary [V1]", async () => {
  const bench = openReleaseBench();
  const first = await bench.start();
  await bench.introduce("cc");
  assert.equal(inUse(bench), "aa + cc replaying");
  assert.notEqual(bench.release().rollout?.id, first);
  assert.deepEqual(bench.types().slice(-2), ["withdrawn by file", "started by file"]);
});

test("a content that was stable a short while ago comes back without stages; an older one does not [V5]", async () => {
  const bench = openReleaseBench();
  for (const hash of ["aa", "bb", "cc", "dd"]) await bench.introduce(hash, { mode: "off" });
  await bench.introduce("bb", { window: 2 });
  assert.equal(inUse(bench), "bb");
  await bench.introduce("aa", { window: 2 });
  assert.equal(inUse(bench), "bb + aa replaying");
  await bench.introduce("dd", { window: 0 });
  assert.equal(inUse(bench), "bb + dd replaying");
});

test("a content that was rolled back stays out, in either mode, however often it is saved [V5]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await rollBack(bench);
  assert.equal(inUse(bench), "aa + bb rolled_back");
  for (const mode of ["canary", "off"] as const) {
    await bench.introduce("bb", { mode });
    assert.equal(bench.release().stable.hash, "aa");
    await bench.introduce("aa", { mode });
    await bench.introduce("bb", { mode });
    assert.equal(inUse(bench), "aa");
  }
  await bench.introduce("cc");
  assert.equal(inUse(bench), "aa + cc replaying");
  await bench.introduce("bb");
  assert.equal(inUse(bench), "aa");
});

test("what a rule pinned ends with a person's edit; what a person pinned does not [V5]", async () => {
  for (const by of ["rule", "person"] as const) {
    const bench = openReleaseBench();
    await bench.start();
    await rollBack(bench, { kind: "hard", by });
    assert.equal(bench.release().pinned?.by, by);
    await bench.introduce("cc", { origin: "agent" });
    assert.equal(inUse(bench), "aa");
    await bench.introduce("dd", { origin: "improve", isInFile: false });
    assert.equal(inUse(bench), "aa");
    await bench.introduce("ee", { mode: "off" });
    assert.equal(inUse(bench), by === "rule" ? "ee" : "aa");
    assert.equal(bench.release().pinned === null, by === "rule");
  }
});

test("a content that can't run beside the stable one waits for a person, with its reason", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa");
  await bench.introduce("bb", { blocked: "Its traits are others." });
  assert.equal(inUse(bench), "aa + bb blocked");
  assert.equal(bench.release().rollout?.reason, "Its traits are others.");
  assert.equal(await bench.registry.claimReplay("say", me, () => false), undefined);
});

test("terms that were made for another stable content change nothing", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa");
  const before = bench.release();
  assert.equal(await bench.introduce("bb", { against: "zz" }), undefined);
  assert.equal(await bench.introduce("bb", { against: null }), undefined);
  assert.deepEqual(bench.release(), before);
  assert.deepEqual(bench.types(), ["live by file"]);
});

test("a stable content whose copy is gone is replaced by the one before, else by what the file has", async () => {
  const bench = openReleaseBench();
  for (const hash of ["aa", "bb"]) await bench.introduce(hash, { mode: "off" });
  await bench.introduce("cc", { standIn: { hash: "aa" } });
  assert.equal(inUse(bench), "aa + cc replaying");
  assert.match(bench.events().at(-2)!.reason, /copy of say@bb is gone/);
  await bench.introduce("dd", { standIn: { hash: null } });
  assert.equal(inUse(bench), "dd");
});

test("a content that was rolled back does not come back because the stable one is gone [V5]", async () => {
  const bench = openReleaseBench();
  await bench.start();
  await rollBack(bench);
  await bench.introduce("bb", { standIn: { hash: null } });
  assert.equal(bench.release().stable.hash, "aa");
});

test("two processes that find the same content at once start one rollout [V1]", async (t) => {
  const path = `${await temporaryFolder(t)}/store.db`;
  const benches: ReleaseBench[] = [];
  for (let index = 0; index < 2; index++) {
    const database = await openDatabase({ path, clock: systemClock });
    afterTest(t, () => database.close());
    benches.push(openReleaseBench({}, createSqliteRolloutStore(database)));
  }
  const [one, other] = benches as [ReleaseBench, ReleaseBench];
  await one.introduce("aa");
  const both = await Promise.all([one.introduce("bb"), other.introduce("bb")]);
  assert.equal(both[0]?.rollout?.id, both[1]?.rollout?.id);
  const claims = await Promise.all(
    [one, other].map(({ registry }, index) => registry.claimReplay("say", index === 0 ? me : somebody, () => true)),
  );
  assert.equal(claims.filter(Boolean).length, 1);
  assert.deepEqual(other.types(), ["live by file", "started by file"]);
  assert.equal(one.registry.find("say")?.rollout?.hash, "bb");
  assert.equal(other.registry.find("say")?.rollout?.hash, "bb");
});

test("a replay belongs to a process as long as it lives [V10]", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa");
  await bench.introduce("bb");
  const first = await bench.registry.claimReplay("say", somebody, () => false);
  assert.deepEqual(first?.owner, somebody);
  assert.equal(await bench.registry.claimReplay("say", me, (owner) => owner.pid === somebody.pid), undefined);
  const next = await bench.registry.claimReplay("say", me, () => false);
  assert.deepEqual([next?.id, next?.owner], [first?.id, me]);
});

test("a canary whose replay flips a case is rolled back before anybody got it; else it runs [V10]", async () => {
  const bench = openReleaseBench();
  await bench.introduce("aa");
  await bench.introduce("bb");
  const flips = [{ name: "call_7", input: { text: "x" }, error: "x is not allowed" }];
  const { id } = (await bench.registry.claimReplay("say", me, () => false))!;
  await bench.registry.endReplay("say", "roll_other", allPassed);
  assert.equal(inUse(bench), "aa + bb replaying");
  await bench.registry.endReplay("say", id, { cases: 3, passed: 2, flips, skipped: null });
  assert.equal(inUse(bench), "aa + bb rolled_back");
  assert.deepEqual(Object.keys(bench.release().out), ["bb"]);
  assert.deepEqual(bench.types().slice(-2), ["replayed by rule", "rolled_back by rule"]);
  assert.equal(
    bench.events().at(-1)?.reason,
    "Rolled back before anybody got it: 1 of 3 replayed calls pass on stable and fail here, the first (call_7): x is not allowed",
  );
  await bench.registry.endReplay("say", id, allPassed);
  assert.equal(inUse(bench), "aa + bb rolled_back");

  await bench.introduce("cc");
  const next = (await bench.registry.claimReplay("say", me, () => false))!;
  await bench.registry.endReplay("say", next.id, {
    cases: 0,
    passed: 0,
    flips: [],
    skipped: "The tool changes things.",
  });
  assert.equal(inUse(bench), "aa + cc running");
  assert.equal(bench.release().rollout?.reason, "Nothing could be replayed. The tool changes things.");
});

test("a damaged release begins again with what the file has, and harms no other tool", async () => {
  const damages: unknown[] = [null, 7, "text", [], {}, { v: 1, tool: "say" }];
  const whole = openReleaseBench();
  await whole.start();
  const release = whole.release();
  damages.push(
    { ...release, v: 2 },
    { ...release, out: null },
    { ...release, stable: "aa" },
    { ...release, tool: "other" },
  );
  damages.push({ ...release, rollout: {} }, { ...release, rollout: { ...release.rollout, lanes: { live: 3 } } });
  damages.push({ ...release, earlier: [1] }, { ...release, pinned: 3 }, { ...release, out: { bb: null } });
  for (const damage of damages) {
    const bench = openReleaseBench();
    await bench.store.change((transaction) => transaction.writeDocument("release/say", damage));
    assert.equal(bench.registry.find("say"), undefined, JSON.stringify(damage));
    assert.deepEqual(bench.registry.list(), []);
    await bench.introduce("cc");
    assert.equal(inUse(bench), "cc");
    const reason =
      "What was known of the tool's versions was damaged, and nothing else tells what was stable: the file's content is live.";
    assert.equal(bench.events().at(-1)?.reason, reason);
    assert.equal((await bench.orders.list("say"))[0]?.reason, reason);
    await bench.introduce("dd");
    assert.equal(inUse(bench), "cc + dd replaying");
    assert.equal(bench.release().damage, undefined);
  }
});

test("whoever asks sees at once what another process wrote", async (t) => {
  const path = `${await temporaryFolder(t)}/store.db`;
  const databases = [
    await openDatabase({ path, clock: systemClock }),
    await openDatabase({ path, clock: systemClock }),
  ];
  for (const database of databases) afterTest(t, () => database.close());
  const [one, other] = databases.map((database) => openReleaseBench({}, createSqliteRolloutStore(database)));
  assert.equal(other!.registry.find("say"), undefined);
  await one!.start();
  assert.equal(other!.registry.find("say")?.rollout?.status, "running");
  await rollBack(one!);
  assert.equal(other!.registry.find("say")?.rollout?.status, "rolled_back");
});
