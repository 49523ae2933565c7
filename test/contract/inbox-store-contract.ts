import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { InboxEntry, InboxStore, Settlement } from "../../src/core/approval.ts";
import { createId } from "../../src/core/ids.ts";

let now = Date.UTC(2026, 0, 1);

export function makeEntry(given: Partial<InboxEntry> = {}): InboxEntry {
  now += 1;
  return {
    id: createId("ask", now),
    kind: "question",
    state: "waiting",
    executionId: "call_1",
    conversationId: null,
    origin: { door: "schedule", toolName: "ask_user", jobName: "nightly" },
    createdAt: now,
    question: { text: "Which one?", options: ["a", "b"], multiple: true },
    approval: null,
    settledAt: null,
    settlement: null,
    owner: { pid: 4711, startTime: "1", bootId: "b" },
    ...given,
  };
}

const settlement: Settlement = {
  state: "answered",
  who: "kim",
  answer: { answered: true, text: "a, b", selected: ["a", "b"] },
  scope: null,
  reason: null,
};

/** Every promise of `InboxStore`, for each implementation. */
export function inboxStoreContract(name: string, open: (t: TestContext) => Promise<InboxStore>): void {
  describe(`inbox store: ${name}`, () => {
    test("an entry comes back as it was added [L7]", async (t) => {
      const store = await open(t);
      const question = makeEntry();
      const approval = makeEntry({
        kind: "approval",
        question: null,
        conversationId: "ses_1",
        origin: null,
        approval: {
          executionId: "call_1",
          conversationId: "ses_1",
          toolId: "write",
          title: "Write a.txt",
          detail: null,
          preview: { text: "Create a.txt", diff: "+a" },
          reasons: ["because"],
          isDanger: false,
          scopes: ["once", "always"],
          rules: ["write(a.txt)"],
        },
      });
      await store.add(question);
      await store.add(approval);
      assert.deepEqual(await store.get(question.id), question);
      assert.deepEqual(await store.get(approval.id), approval);
      assert.equal(await store.get("ask_unknown"), undefined);
    });

    test("the newest come first, by state [L7]", async (t) => {
      const store = await open(t);
      const entries = [makeEntry(), makeEntry(), makeEntry()];
      for (const entry of entries) await store.add(entry);
      await store.settle(entries[1]!.id, settlement, 5);
      const ids = async (query: Parameters<InboxStore["list"]>[0]) => (await store.list(query)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 2 }), [entries[2]!.id, entries[1]!.id]);
      assert.deepEqual(await ids({ limit: 9, states: ["waiting"] }), [entries[2]!.id, entries[0]!.id]);
      assert.deepEqual(await ids({ limit: 9, states: ["answered", "denied"] }), [entries[1]!.id]);
    });

    test("page after page, each state in order, until there are no more [L7]", async (t) => {
      const store = await open(t);
      const entries = [makeEntry(), makeEntry(), makeEntry(), makeEntry(), makeEntry()];
      for (const entry of entries) await store.add(entry);
      const [first, second, third, fourth, fifth] = entries.map(({ id }) => id);
      await store.settle(second!, settlement, 5);
      await store.settle(fourth!, { ...settlement, state: "denied" }, 5);
      const ids = async (query: Parameters<InboxStore["list"]>[0]) => (await store.list(query)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 2, beforeId: fourth! }), [third, second]);
      assert.deepEqual(await ids({ limit: 2, beforeId: second! }), [first]);
      assert.deepEqual(await ids({ limit: 2, states: ["waiting"], beforeId: fifth! }), [third, first]);
      const both = ["answered", "denied", "answered"] as const;
      assert.deepEqual(await ids({ limit: 1, states: both }), [fourth]);
      assert.deepEqual(await ids({ limit: 9, states: both, beforeId: fourth! }), [second]);
      assert.deepEqual(await ids({ limit: 9, states: both, beforeId: first! }), []);
    });

    test("what was settled before a time is pruned, and what waits never is [D4]", async (t) => {
      const store = await open(t);
      const [old, late, waiting] = [makeEntry(), makeEntry(), makeEntry()];
      for (const entry of [old, late, waiting]) await store.add(entry);
      await store.settle(old.id, settlement, 10);
      await store.settle(late.id, { ...settlement, state: "withdrawn" }, 20);
      assert.deepEqual([await store.countPrunable(10), await store.prune(10)], [0, 0]);
      assert.deepEqual([await store.countPrunable(20), await store.prune(20), await store.prune(20)], [1, 1, 0]);
      assert.deepEqual(
        (await store.list({ limit: 9 })).map(({ id }) => id),
        [waiting.id, late.id],
      );
      assert.deepEqual([await store.countPrunable(Infinity), await store.prune(Infinity)], [1, 1]);
      assert.deepEqual(await store.get(waiting.id), waiting);
    });

    test("hundreds are pruned at once, and two who do it at once get them all [D4]", async (t) => {
      const store = await open(t);
      const entries = Array.from({ length: 450 }, () => makeEntry());
      await Promise.all(entries.map((entry) => store.add(entry)));
      await Promise.all(entries.map(({ id }) => store.settle(id, settlement, 10)));
      const [first, second] = await Promise.all([store.prune(20), store.prune(20)]);
      assert.equal(first + second, 450);
      assert.deepEqual(await store.list({ limit: 9 }), []);
    });

    test("the first to settle an entry wins, and the rest learn so [L7]", async (t) => {
      const store = await open(t);
      const entry = makeEntry();
      await store.add(entry);
      const before = store.revision();
      const denied: Settlement = { ...settlement, state: "denied", who: "lee" };
      const firsts = await Promise.all([store.settle(entry.id, settlement, 7), store.settle(entry.id, denied, 8)]);
      const [first, at] = firsts[0] ? [settlement, 7] : [denied, 8];
      assert.equal(firsts[1], !firsts[0]);
      assert.deepEqual(await store.get(entry.id), { ...entry, state: first.state, settledAt: at, settlement: first });
      assert.notEqual(store.revision(), before);
      assert.equal(await store.settle("ask_unknown", settlement, 9), false);
    });
  });
}
