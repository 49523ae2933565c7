import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { Execution } from "../../src/core/call.ts";
import type { ExecutionStore } from "../../src/core/stores.ts";
import { complete, makeExecution, owner } from "./make-execution.ts";

/** Every promise of the port `ExecutionStore`, for whatever keeps it. `open` gives an empty store and closes it after the test. */
export function executionStoreContract(name: string, open: (t: TestContext) => Promise<ExecutionStore>): void {
  describe(`${name} keeps the promises of an execution store`, () => {
    test("a record comes back whole by its id [E2 E5]", async (t) => {
      const store = await open(t);
      const executions = [
        makeExecution({ state: "pending", runPhase: "not_started", startedAt: null, owner: null, version: null }),
        makeExecution({ conversationId: "ses_1", turn: 3, parentId: "call_0", batchId: "run_1" }),
        complete(makeExecution(), {
          result: { ok: true, output: "one\ntwo", data: { rows: [1, null, "x"], nested_key: true }, files: ["a.txt"] },
        }),
        complete(makeExecution(), {
          state: "timeout",
          result: { ok: false, error: "too slow", hint: "ask for less", output: "some", errorType: "timeout" },
          error: "too slow",
          errorType: "timeout",
          note: "a note",
          stopCause: "idle",
          stopProof: "marker",
          killed: [{ pid: 7, command: "sleep 100" }],
          survivors: [{ pid: 8, command: "nobody stops me" }],
        }),
      ];
      await store.save(executions);
      for (const execution of executions) assert.deepEqual(await store.get(execution.id), execution);
      assert.equal(await store.get("call_unknown"), undefined);
    });

    test("saving again replaces what is under way", async (t) => {
      const store = await open(t);
      const pending = makeExecution({ state: "pending", runPhase: "not_started" });
      const running = {
        ...pending,
        state: "running" as const,
        toolId: "other",
        conversationId: "ses_late",
        attempt: 2,
      };
      await store.save([pending]);
      await store.save([running]);
      assert.deepEqual(await store.get(pending.id), running);
      assert.deepEqual(await store.list({ conversationId: "ses_late", limit: 9 }), [running]);
      assert.deepEqual(await store.list({ states: ["pending"], limit: 9 }), []);
    });

    test("a final record is never changed again, by any state [E1]", async (t) => {
      const store = await open(t);
      for (const state of ["completed", "failed", "cancelled", "timeout"] as const) {
        const final = complete(makeExecution(), { state });
        await store.save([final]);
        await store.save([{ ...final, state: "running", error: "rewritten" }]);
        await store.save([complete(final, { error: "rewritten", conversationId: "ses_other" })]);
        assert.deepEqual(await store.get(final.id), final);
      }
    });

    test("of one execution saved twice at once the later form counts, unless the earlier was final", async (t) => {
      const store = await open(t);
      const [running, other] = [makeExecution(), makeExecution()];
      await store.save([running, complete(running), complete(other), { ...other, error: "late" }]);
      assert.deepEqual(await store.list({ limit: 9 }), [complete(other), complete(running)]);
    });

    test("saving nothing, and saving at once, are savings too", async (t) => {
      const store = await open(t);
      const execution = makeExecution();
      await store.save([]);
      assert.equal(store.saveNow?.([execution]), true);
      assert.equal(store.saveNow?.([complete(execution)]), true);
      assert.deepEqual(await store.get(execution.id), complete(execution));
    });

    test("saves that nobody waited for happen in their order", async (t) => {
      const store = await open(t);
      const execution = makeExecution();
      const saves = Array.from({ length: 20 }, (_, attempt) => store.save([{ ...execution, attempt }]));
      saves.push(store.save([complete(execution, { attempt: 20 })]));
      await Promise.all(saves);
      assert.equal((await store.get(execution.id))?.attempt, 20);
    });

    test("the list is newest first, in pages, whatever order they were saved in [E5]", async (t) => {
      const store = await open(t);
      const executions = Array.from({ length: 25 }, () => makeExecution());
      const newest = executions.toReversed();
      await store.save(executions.slice(10));
      await store.save(executions.slice(0, 10));
      assert.deepEqual(await store.list({ limit: 10 }), newest.slice(0, 10));
      assert.deepEqual(await store.list({ limit: 10, beforeId: newest[9]!.id }), newest.slice(10, 20));
      assert.deepEqual(await store.list({ limit: 10, beforeId: newest[24]!.id }), []);
      assert.deepEqual(await store.list({ limit: 10, afterId: newest[3]!.id }), newest.slice(0, 3));
      assert.deepEqual(
        await store.list({ limit: 10, beforeId: newest[9]!.id, afterId: newest[12]!.id }),
        newest.slice(10, 12),
      );
      assert.deepEqual(await store.list({ limit: 1000 }), newest);
      assert.deepEqual(await store.list({ limit: Infinity }), newest);
      assert.deepEqual(await store.list({ limit: 0 }), []);
      assert.deepEqual(await store.list({ limit: -1 }), []);
    });

    test("the list can be narrowed to states, a tool and a conversation, and all of them together [E5]", async (t) => {
      const store = await open(t);
      const all = makeMixture();
      await store.save(all);
      const newest = all.toReversed();
      const statesToAsk = [undefined, [], ["running"], ["pending", "running"], ["failed", "failed"], ["completed"]];
      for (const states of [...statesToAsk, ["completed", "timeout", "running"]] as (
        | Execution["state"][]
        | undefined
      )[]) {
        for (const toolId of [undefined, "read", "nothing"]) {
          for (const conversationId of [undefined, "ses_1"]) {
            const expected = newest.filter(
              (each) =>
                (!states || states.includes(each.state)) &&
                (!toolId || each.toolId === toolId) &&
                (!conversationId || each.conversationId === conversationId),
            );
            const query = {
              ...(states && { states }),
              ...(toolId && { toolId }),
              ...(conversationId && { conversationId }),
            };
            const asked = JSON.stringify(query);
            assert.deepEqual(await store.list({ ...query, limit: 1000 }), expected, asked);
            assert.deepEqual(await store.list({ ...query, limit: 3 }), expected.slice(0, 3), asked);
            const beforeId = expected[2]?.id;
            const afterId = expected[4]?.id;
            if (afterId)
              assert.deepEqual(await store.list({ ...query, limit: 9, afterId }), expected.slice(0, 4), asked);
            if (beforeId)
              assert.deepEqual(await store.list({ ...query, limit: 4, beforeId }), expected.slice(3, 7), asked);
          }
        }
      }
    });

    test("a cancel is true for what is under way, false for what is unknown or final [E5]", async (t) => {
      const store = await open(t);
      const [pending, running] = [makeExecution({ state: "pending" }), makeExecution()];
      const final = complete(makeExecution());
      await store.save([pending, running, final]);
      assert.equal(await store.requestCancel(pending.id, "not needed"), true);
      assert.equal(await store.requestCancel(running.id, "too slow"), true);
      assert.equal(await store.requestCancel(final.id, "too late"), false);
      assert.equal(await store.requestCancel("call_unknown", "?"), false);
    });

    test("each request is handed to its owner, once, with the first reason [E5]", async (t) => {
      const store = await open(t);
      const others = [
        { ...owner, pid: owner.pid + 1 },
        { ...owner, startTime: "654321" },
        { ...owner, bootId: "another boot" },
      ];
      const [mine, later] = [makeExecution(), makeExecution()];
      const theirs = others.map((other) => makeExecution({ owner: other }));
      await store.save([mine, later, ...theirs, makeExecution({ owner: null })]);
      assert.deepEqual(await store.takeCancelRequests(owner), []);
      await store.requestCancel(mine.id, "first");
      await store.requestCancel(mine.id, "second");
      for (const { id } of theirs) await store.requestCancel(id, "for the other");
      assert.deepEqual(await store.takeCancelRequests(owner), [{ id: mine.id, reason: "first" }]);
      assert.deepEqual(await store.takeCancelRequests(owner), []);
      assert.equal(await store.requestCancel(mine.id, "third"), true);
      await store.requestCancel(later.id, "also");
      assert.deepEqual(await store.takeCancelRequests(owner), [{ id: later.id, reason: "also" }]);
      for (const [index, other] of others.entries()) {
        const expected = [{ id: theirs[index]!.id, reason: "for the other" }];
        assert.deepEqual(await store.takeCancelRequests(other), expected);
      }
    });

    test("a request outlives the step from pending to running, and ends with the execution [E5]", async (t) => {
      const store = await open(t);
      const [kept, ended] = [makeExecution({ state: "pending" }), makeExecution()];
      await store.save([kept, ended]);
      await store.requestCancel(kept.id, "stop");
      await store.requestCancel(ended.id, "stop");
      await store.save([{ ...kept, state: "running" }, complete(ended)]);
      assert.deepEqual(await store.takeCancelRequests(owner), [{ id: kept.id, reason: "stop" }]);
    });

    test("the revision stands still while nothing happens, and changes with a request", async (t) => {
      const store = await open(t);
      const execution = makeExecution();
      await store.save([execution]);
      const before = store.revision();
      assert.equal(store.revision(), before);
      await store.requestCancel(execution.id, "stop");
      assert.notEqual(store.revision(), before);
    });

    test("so many rows reach so far, and all of them no further than the end [D6]", async (t) => {
      const store = await open(t);
      const executions = [makeExecution(), makeExecution(), makeExecution(), makeExecution()];
      await store.save(executions);
      const [first, second, third, fourth] = executions.map(({ id }) => id);
      assert.deepEqual(await store.reach({ rows: 1 }), { lastId: fourth, behindId: third });
      assert.deepEqual(await store.reach({ rows: 2, beforeId: fourth! }), { lastId: second, behindId: first });
      assert.equal(await store.reach({ rows: 3, beforeId: fourth! }), undefined);
      assert.equal(await store.reach({ rows: 4 }), undefined);
      assert.equal(await store.reach({ rows: 9 }), undefined);
    });

    test("pruning removes what was completed before the time, and nothing else", async (t) => {
      const store = await open(t);
      const running = makeExecution({ completedAt: null });
      const old = Array.from({ length: 450 }, () => complete(makeExecution(), { completedAt: 1000 }));
      const atTheTime = complete(makeExecution(), { completedAt: 2000 });
      await store.save([running, ...old, atTheTime]);
      assert.equal(await store.prune(1000), 0);
      assert.equal(await store.countPrunable(2000), 450);
      assert.equal(await store.prune(2000), 450);
      assert.equal(await store.prune(2000), 0);
      assert.deepEqual(await store.list({ limit: 1000 }), [atTheTime, running]);
      await store.save([complete(running)]);
      assert.equal(await store.prune(Number.MAX_SAFE_INTEGER), 2);
      assert.deepEqual(await store.list({ limit: 1000 }), []);
    });

    test("an output over 64 KiB keeps its head and tail and says how much was cut [E2]", async (t) => {
      const store = await open(t);
      const output = `head ${"x".repeat(300_000)} tail`;
      const execution = complete(makeExecution(), {
        result: { ok: true, output, files: ["/outputs/whole.txt"] },
        outputBytes: output.length,
      });
      await store.save([execution]);
      const stored = await store.get(execution.id);
      const kept = stored?.result?.output ?? "";
      assert.ok(kept.length <= 65_536 && kept.length > 65_000);
      const [, cut] = /^head x+\n… \[(\d+) characters cut\] …\nx+ tail$/.exec(kept) ?? [];
      assert.equal(Number(cut), output.length - kept.replace(/\n… .* …\n/, "").length);
      assert.deepEqual(stored?.result?.files, ["/outputs/whole.txt"]);
      assert.equal(stored?.outputBytes, output.length);
    });

    test("whatever a tool was given or returned can be saved", async (t) => {
      const store = await open(t);
      for (const [odd, expected] of oddValues()) {
        const execution = complete(makeExecution({ toolInput: { odd } }), {
          result: { ok: true, output: "fine", data: odd },
        });
        await store.save([execution]);
        const stored = await store.get(execution.id);
        assert.deepEqual(stored?.toolInput, expected === undefined ? {} : { odd: expected });
        if (expected !== undefined) assert.deepEqual(stored?.result, { ok: true, output: "fine", data: expected });
      }
    });

    test("huge, deep and endless values are saved in a bounded form", async (t) => {
      const store = await open(t);
      let deep: unknown = "bottom";
      for (let level = 0; level < 50_000; level++) deep = [deep];
      const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]));
      const endless = {
        get again() {
          return Object.create(Object.prototype, Object.getOwnPropertyDescriptors(endless)) as unknown;
        },
      };
      let doubling: unknown[] = ["leaf"];
      for (let level = 0; level < 60; level++) doubling = [doubling, doubling];
      const long = "😀".repeat(1_000_000);
      for (const toolInput of [deep, wide, endless, doubling, long, [long, long, long], Array.from({ length: 1e6 })]) {
        const execution = complete(makeExecution({ toolInput }), { error: long, toolName: long, note: long });
        await store.save([execution]);
        const stored = await store.get(execution.id);
        const size = JSON.stringify(stored).length;
        assert.ok(size < 3_000_000, `${size}`);
        assert.ok(stored?.error?.isWellFormed());
      }
    });

    test("after close every call says that the store is closed", async (t) => {
      const store = await open(t);
      await store.save([makeExecution()]);
      await store.close();
      await store.close();
      const closed = { code: "STORE_CLOSED" };
      await assert.rejects(store.save([makeExecution()]), closed);
      await assert.rejects(store.get("call_1"), closed);
      await assert.rejects(store.list({ limit: 1 }), closed);
      await assert.rejects(store.requestCancel("call_1", "x"), closed);
      await assert.rejects(store.takeCancelRequests(owner), closed);
      await assert.rejects(store.prune(1), closed);
      assert.throws(() => store.revision(), closed);
      assert.throws(() => store.saveNow?.([makeExecution()]), closed);
    });
  });
}

function makeMixture(): Execution[] {
  const states = [
    "completed",
    "failed",
    "running",
    "completed",
    "cancelled",
    "pending",
    "timeout",
    "completed",
  ] as const;
  return Array.from({ length: 120 }, (_, index) =>
    makeExecution({
      state: states[index % states.length]!,
      toolId: index % 3 === 0 ? "read" : index % 7 === 0 ? null : "bash",
      conversationId: index % 5 === 0 ? "ses_1" : index % 2 === 0 ? "ses_2" : null,
    }),
  );
}

/** What came in, and what may be expected back. */
function oddValues(): [unknown, unknown][] {
  const cycle: Record<string, unknown> = { name: "cycle" };
  cycle["self"] = cycle;
  const shared = { shared: true };
  const throwing = {
    kept: 1,
    get broken(): never {
      throw new Error("no");
    },
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  return [
    [undefined, undefined],
    [null, null],
    [
      [undefined, 1],
      [null, 1],
    ],
    [{ a: undefined, b: 1 }, { b: 1 }],
    [123_456_789_012_345_678_901n, "123456789012345678901"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [-0, 0],
    [cycle, { name: "cycle", self: "[circular]" }],
    [
      [shared, shared],
      [{ shared: true }, { shared: true }],
    ],
    [() => 1, "[function]"],
    [Symbol("x"), "[symbol]"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Date(Number.NaN), "[invalid date]"],
    [new Map([["key", new Set([1])]]), [["key", [1]]]],
    [/a+/g, "/a+/g"],
    [
      [Object(1), Object("boxed"), Object(false), Object(1n)],
      [1, "boxed", false, {}],
    ],
    [new Uint8Array(5), "[5 bytes]"],
    [Buffer.from("hello"), "[5 bytes]"],
    [new URL("https://example.com/x"), "https://example.com/x"],
    [new TypeError("wrong"), { name: "TypeError", message: "wrong" }],
    [throwing, { kept: 1, broken: "[unreadable: no]" }],
    [{ toJSON: () => "own form" }, "own form"],
    [{ toJSON: "just a key" }, { toJSON: "just a key" }],
    [{ toJSON: () => Object.assign(Object.create(null), { toJSON: 1n }) as unknown }, { toJSON: "1" }],
    ["lone \ud800 surrogate, \u0000 and \u2028", "lone \ud800 surrogate, \u0000 and \u2028"],
    [
      JSON.parse('{"__proto__":{"polluted":true},"a_b":1,"aB":2}'),
      JSON.parse('{"__proto__":{"polluted":true},"a_b":1,"aB":2}'),
    ],
    [Object.assign(Object.create(null), { bare: 1 }), { bare: 1 }],
    [revoked.proxy, "[unreadable: Cannot perform 'IsArray' on a proxy that has been revoked]"],
  ];
}
