import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { RolloutStore } from "../../src/core/stores.ts";
import { makeEvent, makeFeedback } from "./make-rollout-records.ts";

/** The part of the contract of `RolloutStore` that is about events and failures. */
export function rolloutHistoryContract(open: (t: TestContext) => Promise<RolloutStore>): void {
  test("events come back whole, newest first, by tool and page by page", async (t) => {
    const store = await open(t);
    const events = ["a", "b", "a", "a"].map((tool, index) =>
      makeEvent({ tool, at: 1000 - index, by: "person", who: "kim", reason: `reason ${index} \ud83d` }),
    );
    for (const event of events) await store.change((rollouts) => rollouts.addEvent(event));
    const all = store.listEvents({ limit: 9 });
    assert.deepEqual(all, events.map((event, index) => ({ ...event, id: index + 1 })).reverse());
    const ids = (query: Parameters<RolloutStore["listEvents"]>[0]) => store.listEvents(query).map(({ id }) => id);
    assert.deepEqual(ids({ limit: 2 }), [4, 3]);
    assert.deepEqual(ids({ limit: 2, beforeId: 3 }), [2, 1]);
    assert.deepEqual(ids({ tool: "a", limit: 2 }), [4, 3]);
    assert.deepEqual(ids({ tool: "a", limit: 2, beforeId: 3 }), [1]);
    assert.deepEqual(ids({ tool: "c", limit: 2 }), []);
    for (const limit of [0, -1, Number.NaN, 0.9]) assert.deepEqual(ids({ limit }), []);
    for (const limit of [4.5, Infinity, Number.MAX_VALUE]) assert.deepEqual(ids({ limit }), [4, 3, 2, 1]);
  });

  test("figures of an event may be any JSON", async (t) => {
    const store = await open(t);
    const many = [null, 3, "text", [], { a_b: { cD: [{ startedAt: 5, input: { a_b: 1 } }] } }];
    for (const figures of many) await store.change((rollouts) => rollouts.addEvent(makeEvent({ figures })));
    const read = store.listEvents({ limit: 9 }).map(({ figures }) => figures);
    assert.deepEqual(read.reverse(), many);
  });

  test("5000 events of each tool are kept, the newest ones", async (t) => {
    const store = await open(t);
    await store.change((rollouts) => {
      rollouts.addEvent(makeEvent({ tool: "other" }));
      for (let index = 0; index < 5002; index++) rollouts.addEvent(makeEvent({ figures: index }));
    });
    const kept = store.listEvents({ tool: "echo", limit: 9999 });
    assert.equal(kept.length, 5000);
    assert.deepEqual([kept[0]?.figures, kept.at(-1)?.figures], [5001, 2]);
    assert.equal(store.listEvents({ tool: "other", limit: 9 }).length, 1);
  });

  test("failures with one signature are one row that counts, with the latest of them as the example [V6]", async (t) => {
    const store = await open(t);
    const first = makeFeedback({ lastAt: 50 });
    const second = makeFeedback({
      lastAt: 40,
      route: "stable",
      executionId: "call_2",
      input: [1],
      error: "no /b",
      log: "",
    });
    await store.change((rollouts) => rollouts.addFeedback(first));
    assert.deepEqual(store.listFeedback({ tool: "echo", limit: 9 }), [{ ...first, count: 1, firstAt: 50 }]);
    await store.change((rollouts) => rollouts.addFeedback(second));
    assert.deepEqual(store.listFeedback({ tool: "echo", limit: 9 }), [{ ...second, count: 2, firstAt: 50 }]);
  });

  test("the most frequent failures come first, then those seen last, by tool and version [V6]", async (t) => {
    const store = await open(t);
    const add = (signature: string, given: Parameters<typeof makeFeedback>[0] = {}): Promise<void> =>
      store.change((rollouts) => rollouts.addFeedback(makeFeedback({ signature, ...given })));
    await add("b");
    await add("a");
    await add("a", { tool: "other" });
    await add("a", { version: "echo@2" });
    await add("c");
    await add("b", { errorType: null });
    const list = (query: Omit<Parameters<RolloutStore["listFeedback"]>[0], "tool">): string[] =>
      store.listFeedback({ tool: "echo", ...query }).map(({ version, signature }) => `${signature} ${version}`);
    assert.deepEqual(list({ limit: 9 }), ["b echo@1a2b3c", "c echo@1a2b3c", "a echo@2", "a echo@1a2b3c"]);
    assert.deepEqual(list({ limit: 2 }), ["b echo@1a2b3c", "c echo@1a2b3c"]);
    assert.deepEqual(list({ limit: 9, version: "echo@2" }), ["a echo@2"]);
    assert.deepEqual(list({ limit: 9, version: "echo@3" }), []);
  });

  test("200 failures of each tool are kept, and those not seen for the longest time go, whatever the clock says", async (t) => {
    const store = await open(t);
    await store.change((rollouts) => {
      rollouts.addFeedback(makeFeedback({ tool: "other" }));
      for (let index = 0; index < 200; index++) {
        rollouts.addFeedback(makeFeedback({ signature: `${index}`, lastAt: 1000 - index }));
      }
      rollouts.addFeedback(makeFeedback({ signature: "0", lastAt: 1 }));
      rollouts.addFeedback(makeFeedback({ signature: "new", lastAt: 0 }));
    });
    const kept = store.listFeedback({ tool: "echo", limit: 999 }).map(({ signature }) => signature);
    assert.equal(kept.length, 200);
    assert.deepEqual(kept.slice(0, 3), ["0", "new", "199"]);
    assert.equal(kept.includes("1"), false);
    assert.equal(store.listFeedback({ tool: "other", limit: 9 }).length, 1);
  });

  test("a failure is kept whatever the tool was given and printed, in bounded size [V6]", async (t) => {
    const store = await open(t);
    const input: Record<string, unknown> = { text: "x".repeat(1_000_000), run: () => 1 };
    input["self"] = input;
    const long = "y".repeat(1_000_000);
    const given = makeFeedback({ input, error: long, errorType: long, log: long });
    await store.change((rollouts) => rollouts.addFeedback(given));
    const [kept] = store.listFeedback({ tool: "echo", limit: 1 });
    assert.ok(JSON.stringify(kept).length < 400_000);
    assert.equal((kept?.input as typeof input | undefined)?.["self"], "[circular]");
    assert.match(kept?.log ?? "", /characters cut/);
  });
}
