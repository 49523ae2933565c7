import assert from "node:assert/strict";
import { test } from "node:test";
import { openReleaseBench, type ReleaseBench } from "./release-bench.ts";

/** Four contents that were stable one after the other; the last one is, and another one is tried. */
async function openLongRelease(): Promise<ReleaseBench> {
  const bench = openReleaseBench();
  for (const hash of ["a1b2c3d4", "1234aaaa", "1234bbbb", "cccccccc"]) await bench.introduce(hash, { mode: "off" });
  await bench.start("", "dddddddd");
  return bench;
}

function inUse(bench: ReleaseBench) {
  const { stable, rollout, out, pinned } = bench.release();
  return { stable: stable.hash, tried: rollout?.status, out: Object.keys(out).toSorted(), pinned: pinned?.reason };
}

for (const said of ["a1b2", "A1B2C3", "say@a1b2c3d4", "1", "#1"]) {
  test(`a person goes back to what was stable once, by "${said}": all after it stays out [V5]`, async () => {
    const bench = await openLongRelease();
    const view = await bench.orders.rollback("say", { kind: "soft", reason: "it was better", to: said });
    assert.equal(view.stable, "say@a1b2c3d4");
    const out = ["1234aaaa", "1234bbbb", "cccccccc", "dddddddd"];
    assert.deepEqual(inUse(bench), { stable: "a1b2c3d4", tried: "rolled_back", out, pinned: undefined });
    const told = bench.events().slice(-2);
    assert.deepEqual(
      told.map(({ type, version, reason, who }) => [type, version, reason, who]),
      [
        ["rolled_back", "say@dddddddd", "it was better", "kim"],
        ["rolled_back", "say@cccccccc", "it was better", "kim"],
      ],
    );
  });
}

test("what was rolled back on the way may be named as well, and a hard one pins it [V5]", async () => {
  const bench = await openLongRelease();
  await bench.orders.rollback("say", { kind: "soft", to: "a1b2" });
  await bench.orders.rollback("say", { kind: "hard", reason: "enough", to: "1234b" });
  assert.deepEqual(inUse(bench), {
    stable: "1234bbbb",
    tried: "rolled_back",
    out: ["1234aaaa", "a1b2c3d4", "cccccccc", "dddddddd"],
    pinned: "enough",
  });
});

test("back to what is stable ends what is tried; where nothing is tried there is nothing to do [V5]", async () => {
  const bench = await openLongRelease();
  await bench.orders.rollback("say", { kind: "soft", to: "cccc" });
  const after = { stable: "cccccccc", tried: "rolled_back", out: ["dddddddd"], pinned: undefined };
  assert.deepEqual(inUse(bench), after);
  await bench.introduce("cccccccc");
  await assert.rejects(bench.orders.rollback("say", { kind: "soft", to: "cccc" }), {
    code: "ROLLOUT_STATE",
    message: "say@cccccccc is stable already, and nothing else is being tried.",
  });
});

const there = "There are cccccccc (now), 1234bbbb, 1234aaaa, a1b2c3d4.";
for (const [said, message] of [
  ["1234", '"1234" may be say@1234bbbb or say@1234aaaa: say more of it.'],
  ...["a1", "ffff", "dddd", "99", "", "#", "a1b2c3d4e5"].map(
    (each) =>
      [
        each,
        `No version of say that was stable is "${each}": expected at least 4 characters of its hash, or its number in \`deckhand rollout history say\`. ${there}`,
      ] as const,
  ),
] as const) {
  test(`a version that is none is refused with what there is: "${said}" [V5]`, async () => {
    const bench = await openLongRelease();
    const before = bench.release();
    await assert.rejects(bench.orders.rollback("say", { kind: "soft", to: said }), {
      code: "VERSION_UNKNOWN",
      message,
    });
    assert.deepEqual(bench.release(), before);
  });
}
