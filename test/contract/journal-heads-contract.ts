import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { JournalHead, JournalHeads } from "../../src/core/stores.ts";

function makeHead(given: Partial<JournalHead> = {}): JournalHead {
  return { writer: "a", seq: 1, hash: "0".repeat(64), segment: 1, bytes: 300, at: 1_767_225_600_000, ...given };
}

/** Every promise of the port `JournalHeads`. `open` gives one without heads and closes it after the test. */
export function journalHeadsContract(name: string, open: (t: TestContext) => Promise<JournalHeads>): void {
  describe(`${name} keeps the promises of journal heads`, () => {
    test("the head of a writer comes back whole, and moves on", async (t) => {
      const heads = await open(t);
      assert.deepEqual(await heads.list(), []);
      await heads.save(makeHead());
      assert.deepEqual(await heads.list(), [makeHead()]);
      const later = makeHead({ seq: 9, hash: "f".repeat(64), segment: 2, bytes: 10, at: 1_767_225_700_000 });
      await heads.save(later);
      assert.deepEqual(await heads.list(), [later]);
    });

    test("a head never goes back [D4]", async (t) => {
      const heads = await open(t);
      const newest = makeHead({ seq: 5 });
      await heads.save(newest);
      await heads.save(makeHead({ seq: 4, hash: "e".repeat(64) }));
      assert.deepEqual(await heads.list(), [newest]);
    });

    test("writers have heads of their own, oldest first, and can be forgotten", async (t) => {
      const heads = await open(t);
      const all = ["a", "b", "c"].map((writer, index) => makeHead({ writer, at: 3000 - index }));
      for (const head of all) await heads.save(head);
      assert.deepEqual(await heads.list(), all.toReversed());
      await heads.remove(["a", "c", "unknown"]);
      await heads.remove([]);
      assert.deepEqual(await heads.list(), [all[1]]);
    });

    test("what retention removed is remembered, oldest first [D4]", async (t) => {
      const heads = await open(t);
      assert.deepEqual(await heads.listPrunes(), []);
      const prunes = [
        { firstSegment: 1, lastSegment: 3, lastHash: "f".repeat(64), at: 1_767_225_600_000 },
        { firstSegment: 4, lastSegment: 4, lastHash: null, at: 5 },
      ];
      for (const prune of prunes) await heads.savePrune(prune);
      assert.deepEqual(await heads.listPrunes(), prunes);
    });

    test("what is saved at once is saved", async (t) => {
      const heads = await open(t);
      if (heads.saveNow?.(makeHead()) !== true) await heads.save(makeHead());
      assert.deepEqual(await heads.list(), [makeHead()]);
    });
  });
}
