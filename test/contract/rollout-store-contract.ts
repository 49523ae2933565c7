import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { RolloutStore, RolloutTransaction } from "../../src/core/stores.ts";
import { makeEvent, makeFeedback } from "./make-rollout-records.ts";
import { rolloutHistoryContract } from "./rollout-history-contract.ts";

/** Texts that a file format or a database likes to take for something else. */
const oddNames = [
  "",
  " ",
  "a/../b",
  "%",
  "_",
  "\0",
  "a\0b",
  "\\",
  "\\u0000",
  "é",
  "😀",
  "\ud83d",
  "\udbff",
  "\u{10ffff}z",
];

/** Every promise of `RolloutStore`, for each implementation. */
export function rolloutStoreContract(name: string, open: (t: TestContext) => Promise<RolloutStore>): void {
  describe(`rollout store: ${name}`, () => {
    rolloutHistoryContract(open);

    test("a document comes back as it was written, and not as the same object", async (t) => {
      const store = await open(t);
      const document = { snake_case: 1, camelCase: [null, { startedAt: 5, "": "\0\ud83d" }], at: "soon" };
      await store.change((rollouts) => rollouts.writeDocument("release/echo", document));
      const read = store.readDocument("release/echo") as typeof document;
      assert.deepEqual(read, document);
      read.camelCase.length = 0;
      document.snake_case = 2;
      assert.deepEqual(store.readDocument("release/echo"), { ...document, snake_case: 1 });
      for (const value of [null, 0, "", false, []]) {
        await store.change((rollouts) => rollouts.writeDocument("release/echo", value));
        assert.deepEqual(store.readDocument("release/echo"), value);
      }
      assert.equal(store.readDocument("release"), undefined);
    });

    test("a document's name may be any text, and names are found by how they begin, sorted", async (t) => {
      const store = await open(t);
      await store.change((rollouts) => oddNames.forEach((each, index) => rollouts.writeDocument(each, index)));
      assert.deepEqual(
        oddNames.map((each) => store.readDocument(each)),
        oddNames.map((_, index) => index),
      );
      for (const prefix of [...oddNames, "a", "\\u", "nothing"]) {
        const expected = oddNames.filter((each) => each.startsWith(prefix)).sort();
        assert.deepEqual(store.listDocuments(prefix), expected, JSON.stringify(prefix));
      }
    });

    test("documents are removed by how their names begin", async (t) => {
      const store = await open(t);
      const names = ["a/1", "a/2", "a", "b/1", "A/1"];
      await store.change((rollouts) => {
        for (const each of names) rollouts.writeDocument(each, each);
        rollouts.removeDocuments("a/");
      });
      assert.deepEqual(store.listDocuments(""), ["A/1", "a", "b/1"]);
      await store.change((rollouts) => rollouts.removeDocuments(""));
      assert.deepEqual(store.listDocuments(""), []);
    });

    test("what is no JSON is refused as a document, and nothing of its change stays", async (t) => {
      const store = await open(t);
      const circular: unknown[] = [];
      circular.push(circular);
      for (const document of [undefined, () => 1, circular, 1n]) {
        const change = store.change((rollouts) => {
          rollouts.writeDocument("good", 1);
          rollouts.writeDocument("bad", document);
        });
        await assert.rejects(change, {
          code: "WIRE_INVALID",
          message: /^Expected the document "bad" as plain JSON, got a value .+: give .+\.$/,
        });
      }
      assert.deepEqual(store.listDocuments(""), []);
    });

    test("a conversation that failed stays so until its rollout is forgotten", async (t) => {
      const store = await open(t);
      const mark = (...args: Parameters<RolloutTransaction["mark"]>): Promise<void> =>
        store.change((rollouts) => rollouts.mark(...args));
      assert.equal(store.findMark("roll_1", "ses_1"), undefined);
      await mark("roll_1", "ses_1", "seen");
      assert.equal(store.findMark("roll_1", "ses_1"), "seen");
      await mark("roll_1", "ses_1", "failed");
      await mark("roll_1", "ses_1", "seen");
      await mark("roll_1", "\0", "failed");
      await mark("roll_1", "", "seen");
      await mark("roll_2", "ses_1", "seen");
      const found = () =>
        [
          ["roll_1", "ses_1"],
          ["roll_1", "\0"],
          ["roll_1", ""],
          ["roll_2", "ses_1"],
        ].map(([rollout = "", key = ""]) => store.findMark(rollout, key));
      assert.deepEqual(found(), ["failed", "failed", "seen", "seen"]);
      await store.change((rollouts) => rollouts.removeMarks("roll_1"));
      assert.deepEqual(found(), [undefined, undefined, undefined, "seen"]);
    });

    test("a change sees what it wrote itself, gives back what its work gave, and is a step of its own", async (t) => {
      const store = await open(t);
      const nested: Promise<void>[] = [];
      const seen = await store.change((rollouts) => {
        rollouts.writeDocument("a", 1);
        rollouts.mark("roll_1", "ses_1", "seen");
        nested.push(store.change((inner) => inner.writeDocument("a", [inner.readDocument("a")])));
        rollouts.writeDocument("a", 2);
        return [rollouts.readDocument("a"), rollouts.listDocuments(""), rollouts.findMark("roll_1", "ses_1")];
      });
      assert.deepEqual(seen, [2, ["a"], "seen"]);
      await Promise.all(nested);
      assert.deepEqual(store.readDocument("a"), [2]);
    });

    test("work that throws leaves nothing, and its error is what the change rejects with", async (t) => {
      const store = await open(t);
      await store.change((rollouts) => {
        writeAll(rollouts);
        rollouts.addFeedback(makeFeedback({ signature: "second" }));
      });
      const before = readAll(store);
      const revision = store.revision();
      const thrown = new Error("no");
      const failing = store.change((rollouts) => {
        writeAll(rollouts);
        rollouts.removeDocuments("");
        rollouts.writeDocument("new", 1);
        rollouts.removeMarks("roll_1");
        rollouts.mark("roll_1", "ses_2", "failed");
        rollouts.mark("roll_3", "ses_1", "seen");
        throw thrown;
      });
      await assert.rejects(failing, (error) => error === thrown);
      assert.deepEqual(readAll(store), before);
      assert.equal(store.findMark("roll_3", "ses_1"), undefined);
      await store.change((rollouts) => rollouts.addEvent(makeEvent()));
      assert.equal(store.listEvents({ limit: 1 })[0]?.id, 2);
      assert.notEqual(store.revision(), revision);
    });

    test("work that waits is refused, and leaves nothing", async (t) => {
      const store = await open(t);
      const waiting = store.change(async (rollouts) => {
        rollouts.writeDocument("a", 1);
        throw new Error("nobody waits for this");
      });
      await assert.rejects(waiting, /^TypeError: Expected work that is done at once, got a promise/);
      assert.equal(store.readDocument("a"), undefined);
    });

    test("the revision is another one after each change that wrote, and the same while nothing happens", async (t) => {
      const store = await open(t);
      const revisions = new Set([store.revision()]);
      const writes: ((rollouts: RolloutTransaction) => void)[] = [
        (rollouts) => rollouts.writeDocument("a", 1),
        (rollouts) => rollouts.mark("roll_1", "ses_1", "seen"),
        (rollouts) => rollouts.mark("roll_1", "ses_1", "failed"),
        (rollouts) => rollouts.addEvent(makeEvent()),
        (rollouts) => rollouts.addFeedback(makeFeedback()),
        (rollouts) => rollouts.removeDocuments("a"),
        (rollouts) => rollouts.removeMarks("roll_1"),
      ];
      for (const write of writes) {
        await store.change(write);
        revisions.add(store.revision());
      }
      assert.equal(revisions.size, writes.length + 1);
      const last = store.revision();
      await store.change((rollouts) => rollouts.removeMarks("roll_1"));
      await store.change((rollouts) => rollouts.readDocument("a"));
      assert.equal(store.revision(), last);
    });
  });
}

function writeAll(rollouts: RolloutTransaction): void {
  rollouts.writeDocument("a", rollouts.listDocuments("").length);
  rollouts.mark("roll_1", "ses_1", "seen");
  rollouts.addEvent(makeEvent());
  rollouts.addFeedback(makeFeedback());
}

function readAll(store: RolloutStore): unknown {
  return {
    names: store.listDocuments(""),
    document: store.readDocument("a"),
    marks: ["ses_1", "ses_2"].map((key) => store.findMark("roll_1", key)),
    events: store.listEvents({ limit: 99 }),
    feedback: store.listFeedback({ tool: "echo", limit: 99 }),
  };
}
