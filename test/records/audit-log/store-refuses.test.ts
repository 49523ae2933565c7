import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { RuntimeError } from "../../../src/core/errors.ts";
import type { JournalHead, JournalHeads } from "../../../src/core/stores.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { openPlace, type LogPlace } from "./support.ts";

const full = "The disk that holds the store is full.";

/** The store of a place, on a disk that can be filled; `busy`: another process writes, so nothing is done at once. */
function storeOf(place: LogPlace): JournalHeads & { state: "free" | "full" | "busy" } {
  const { heads } = place;
  const store = {
    ...heads,
    state: "free" as "free" | "full" | "busy",
    saveNow(head: JournalHead): boolean {
      if (store.state === "full") throw new RuntimeError("STORE_FULL", full);
      return store.state !== "busy" && heads.saveNow!(head);
    },
    async save(head: JournalHead): Promise<void> {
      if (store.state !== "free") throw new RuntimeError("STORE_FULL", full);
      await heads.save(head);
    },
  };
  return store;
}

for (const state of ["full", "busy"] as const) {
  test(`a writer that the store can't take (${state}) writes no line, and is refused with the reason [D4]`, async (t) => {
    const place = await openPlace(t);
    const heads = storeOf(place);
    heads.state = state;
    const journal = place.open({ heads });
    await assert.rejects(async () => journal.append({ type: "note", text: "one" }), { message: full });
    assert.equal(existsSync(place.file), false);

    heads.state = "free";
    await journal.append({ type: "note", text: "two" });
    await journal.close();
    const report = await place.verify();
    assert.deepEqual([report.problems, report.warnings.map(({ kind }) => kind)], [[], ["gap"]]);
    const lines = place.entries().map(({ type, text, lines, reason }) => [type, text ?? lines, reason]);
    assert.deepEqual(lines, [
      ["opened", undefined, undefined],
      ["gap", 1, full],
      ["note", "two", undefined],
      ["closed", undefined, undefined],
    ]);
  });

  test(`lines that wait while the store can't take their writer (${state}) are reported, and are a gap later [D4]`, async (t) => {
    const place = await openPlace(t);
    const heads = storeOf(place);
    heads.state = state;
    const journal = place.open({ heads });
    journal.appendBehind({ type: "note", id: "call_1", text: "one" });
    await journal.flush();
    assert.deepEqual(place.failures, [{ id: "call_1", error: full }]);
    assert.equal(existsSync(place.file), false);

    heads.state = "free";
    await journal.close();
    assert.deepEqual((await place.verify()).problems, []);
    const [, gap] = place.entries();
    assert.deepEqual([gap!["type"], gap!["lines"], gap!["ids"], gap!["reason"]], ["gap", 1, ["call_1"], full]);
  });
}

test("a known writer writes nothing on while the store can't be told how far it came [D4]", async (t) => {
  const place = await openPlace(t);
  const heads = storeOf(place);
  const clock = createManualClock();
  const killed = place.open({ heads, clock });
  await killed.append({ type: "note", text: "one" });
  heads.state = "full";
  clock.advance(60_000);
  await assert.rejects(async () => killed.append({ type: "note", text: "two" }), { message: full });
  // It is killed here: nothing says later how far it came.
  const report = await place.verify();
  assert.deepEqual(report.problems, []);
});

test("with on_failure continue the call goes on, and what its log lacks is reported [D4]", async (t) => {
  const place = await openPlace(t);
  const heads = storeOf(place);
  heads.state = "full";
  const settings = { ...place.open().settings, onFailure: "continue" } as const;
  const journal = place.open({ heads, settings });
  await journal.append({ type: "note", id: "call_1" });
  assert.deepEqual(place.failures, [{ id: "call_1", error: full }]);
  await journal.close();
  // Still full: there is no line of a writer that the store does not know.
  assert.equal(existsSync(place.file), false);
});
