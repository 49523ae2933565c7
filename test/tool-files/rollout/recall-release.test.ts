import assert from "node:assert/strict";
import { test } from "node:test";
import type { Content } from "../../../src/tool-files/rollout/release/release-steps.ts";
import type { ToolRelease } from "../../../src/tool-files/rollout/release/tool-release.ts";
import { recallRelease } from "../../../src/tool-files/rollout/service/recall-damaged.ts";
import { openReleaseBench, type ReleaseBench } from "./release-bench.ts";

const content: Content = { tool: "say", fileName: "say.js", hash: "zz", origin: "person" };

function recall(bench: ReleaseBench, fullHash = (beginning: string): string | undefined => beginning) {
  return recallRelease(bench.store.listEvents({ tool: "say", limit: 5000 }), content, fullHash);
}

/** What counts for whoever calls the tool. */
function essence(release: ToolRelease | undefined) {
  return (
    release && {
      stable: release.stable,
      earlier: release.earlier.map(({ hash }) => hash),
      out: Object.keys(release.out).toSorted(),
      pinned: release.pinned,
    }
  );
}

const steps: Readonly<Record<string, (bench: ReleaseBench) => Promise<unknown>>> = {
  "what is tried is promoted": (bench) => bench.orders.promote("say", { to: "all" }),
  "another content is saved": (bench) => bench.introduce("cccc"),
  "what is tried is rolled back": (bench) => bench.orders.rollback("say", { kind: "soft" }),
  "it is resumed": (bench) => bench.orders.resume("say"),
  "it is rolled back for good": (bench) => bench.orders.rollback("say", { kind: "hard" }),
  "the pin ends": (bench) => bench.orders.resume("say"),
  "it is promoted after all": (bench) => bench.orders.promote("say", { to: "all" }),
  "what was stable before comes back": (bench) => bench.orders.rollback("say", { kind: "hard" }),
  "an agent writes one": (bench) => bench.introduce("dddd", { origin: "agent" }),
  "the pin ends, and it is looked at": async (bench) => {
    await bench.orders.resume("say");
    await bench.introduce("eeee", { origin: "agent" });
  },
  "that is promoted": (bench) => bench.orders.promote("say", { to: "all" }),
  "a content of the window comes back": (bench) => bench.introduce("aaaa"),
  "a person goes further back": (bench) => bench.orders.rollback("say", { kind: "soft", to: "bbbb" }),
  "and to what was rolled back by that": (bench) => bench.orders.rollback("say", { kind: "hard", to: "eeee" }),
};

test("the history alone tells what is stable, what was before, what stays out and what is pinned [V1 V5]", async () => {
  const bench = openReleaseBench();
  assert.equal(recall(bench), undefined);
  await bench.start("aaaa", "bbbb");
  for (const [step, take] of Object.entries(steps)) {
    bench.clock.advance(1000);
    await take(bench);
    assert.deepEqual(essence(recall(bench)), essence(bench.release()), step);
  }
});

test("what is not there any more is not recalled; without the stable one, nothing is [V1]", async () => {
  const bench = openReleaseBench();
  await bench.start("aaaa", "bbbb");
  await bench.orders.rollback("say", { kind: "soft" });
  await bench.introduce("cccc", { mode: "off" });
  const without = (gone: string) => (hash: string) => (hash === gone ? undefined : `${hash}00`);
  assert.deepEqual(essence(recall(bench, without("aaaa"))), {
    ...essence(bench.release()),
    stable: { ...bench.release().stable, hash: "cccc00" },
    earlier: [],
    out: ["bbbb00"],
  });
  assert.equal(recall(bench, without("cccc")), undefined);
});
