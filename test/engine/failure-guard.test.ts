import assert from "node:assert/strict";
import { test } from "node:test";
import { callSignature, createFailureGuard } from "../../src/engine/failure-guard.ts";
import { looseTool, setUpEngine } from "../support/engine.ts";
import { failing, fixing, series, workbench } from "./guard-bench.ts";

test("a call that failed three times in a row is not run again, and the model is told why [P6]", async () => {
  const bench = workbench();
  const executions = await series(bench, [failing, failing, failing, failing, failing]);
  assert.equal(bench.runs(), 3);
  assert.deepEqual(
    executions.map(({ state, errorType, attempt, runPhase }) => [state, errorType, attempt, runPhase]),
    [
      ["failed", null, 1, "returned"],
      ["failed", null, 2, "returned"],
      ["failed", null, 3, "returned"],
      ["failed", "repeated_failure", 4, "not_started"],
      ["failed", "repeated_failure", 4, "not_started"],
    ],
  );
  assert.equal(executions[3]!.error, "Not run again: this same call failed 3/3 times in a row. Last error: red");
  assert.equal(bench.engine.statistics(null).blockedRepeats, 2);
});

test("edit → test → edit → test never trips it [P6]", async () => {
  const bench = workbench();
  const calls = Array.from({ length: 20 }, (_, at) => [failing, { tool: "edit", input: { n: at } }]).flat();
  const executions = await series(bench, calls);
  assert.ok(executions.every(({ errorType }) => errorType !== "repeated_failure"));
  assert.equal(bench.runs(), 40);
});

test("two failures, a fix, and the count starts again [P6]", async () => {
  const bench = workbench();
  const executions = await series(bench, [failing, failing, fixing, failing, failing, failing, failing]);
  assert.deepEqual(
    executions.map(({ attempt }) => attempt),
    [1, 2, 1, 1, 2, 3, 4],
  );
  assert.equal(executions.at(-1)!.errorType, "repeated_failure");
});

for (const [what, between] of [
  ["a successful call that only read", { tool: "look", input: {} }],
  ["a successful read-only call", { tool: "test", input: {} }],
  ["a failed edit", { tool: "edit", input: { fails: "no" } }],
  ["the failure of another call", { tool: "test", input: { fails: "other" } }],
] as const) {
  test(`${what} in between changes nothing for the guard [P6]`, async () => {
    const bench = workbench();
    const executions = await series(bench, [failing, between, failing, between, failing, failing]);
    assert.equal(executions.at(-1)!.errorType, "repeated_failure");
  });
}

test("a shell command that succeeded may have changed anything, so the count starts again [P6]", async () => {
  const bench = workbench();
  const executions = await series(bench, [failing, failing, failing, { tool: "bash", input: {} }, failing]);
  assert.equal(executions.at(-1)!.errorType, null);
});

test("the success of the call itself ends its own row [P6]", async () => {
  let fails = true;
  const flaky = looseTool({
    name: "flaky",
    traits: { readOnly: true },
    run: () => Promise.resolve(fails ? { ok: false, error: "flake" } : { ok: true, output: "ok" }),
  });
  const bench = setUpEngine({ tools: [flaky] });
  await series(bench, [{ tool: "flaky" }, { tool: "flaky" }]);
  fails = false;
  await series(bench, [{ tool: "flaky" }]);
  fails = true;
  const executions = await series(bench, [{ tool: "flaky" }, { tool: "flaky" }, { tool: "flaky" }, { tool: "flaky" }]);
  assert.deepEqual(
    executions.map(({ errorType }) => errorType),
    [null, null, null, "repeated_failure"],
  );
  assert.equal(bench.engine.statistics(null).recoveries, 1);
});

test("unknown tools and invalid input count [P6]", async () => {
  const bench = workbench();
  const unknown = { tool: "nope", input: { a: 1 } };
  const invalid = { tool: "strict", input: { path: 5 } };
  const executions = await series(bench, [unknown, unknown, unknown, unknown, invalid, invalid, invalid, invalid]);
  assert.deepEqual(
    executions.map(({ errorType }) => errorType),
    [
      ["unknown_tool", "unknown_tool", "unknown_tool", "repeated_failure"],
      ["invalid_input", "invalid_input", "invalid_input", "repeated_failure"],
    ].flat(),
  );
  assert.match(executions[3]!.error!, /3\/3 times in a row\. Last error: Unknown tool: nope$/);
  const text = { tool: "strict", inputText: "{" };
  assert.equal((await series(bench, [text, text, text, text])).at(-1)!.errorType, "repeated_failure");
});

test("refusals, cancels and calls that could not be recorded do not count [P6]", async () => {
  let answer: "deny" | "store" | "cancel" | "run" = "deny";
  const bench = workbench({
    permit: () => (answer === "deny" ? { decision: "deny", reason: "no", by: "rule" } : { decision: "allow" }),
  });
  bench.ledger.opened = () => (answer === "store" ? Promise.reject(new Error("full")) : undefined);
  for (answer of ["deny", "store"] as const) await series(bench, [failing, failing, failing, failing]);
  answer = "cancel";
  for (let left = 4; left > 0; left--) {
    const call = bench.engine.call(failing);
    bench.engine.cancel(call.id, "no");
    assert.equal((await call).state, "cancelled");
  }
  answer = "run";
  const executions = await series(bench, [failing, failing, failing, failing]);
  assert.deepEqual(
    executions.map(({ errorType }) => errorType),
    [null, null, null, "repeated_failure"],
  );
});

test("timeouts and throws count [P6]", async () => {
  const hangs = looseTool({ name: "hangs", stopMs: 1, run: () => new Promise(() => undefined) });
  const throws = looseTool({ name: "throws", run: () => Promise.reject(new Error("broken")) });
  const bench = setUpEngine({ tools: [hangs, throws], limits: { maxRetry: 1 } });
  for (const [tool, errorType] of [
    ["hangs", "timeout"],
    ["throws", "threw"],
  ] as const) {
    const call = { tool, timeoutMs: 1 };
    const executions = await series(bench, [call, call]);
    assert.deepEqual(
      executions.map((execution) => execution.errorType),
      [errorType, "repeated_failure"],
    );
  }
});

test("the same call is the same by any alias and any order of keys [P6]", async () => {
  const bench = workbench();
  const executions = await series(bench, [
    { tool: "bash", input: { fails: "x", a: { p: 1, q: [1, { r: 2, s: 3 }] } } },
    { tool: "Bash", input: { a: { q: [1, { s: 3, r: 2 }], p: 1 }, fails: "x" } },
    { tool: "run_shell", input: { fails: "x", a: { p: 1, q: [1, { r: 2, s: 3 }] } } },
    { tool: "bash", input: { fails: "x", a: { p: 1, q: [{ r: 2, s: 3 }, 1] } } },
    { tool: "RUN_SHELL", input: { a: { p: 1, q: [1, { r: 2, s: 3 }] }, fails: "x" } },
  ]);
  assert.deepEqual(
    executions.map(({ attempt, errorType }) => [attempt, errorType]),
    [
      [1, null],
      [2, null],
      [3, null],
      [1, null],
      [4, "repeated_failure"],
    ],
  );
});

test("a call that a hook changes is still the call that was asked for, alone and in a batch [P6]", async () => {
  for (const inBatch of [false, true]) {
    let asked = 0;
    const bench = workbench({
      permit: () => ({ decision: "allow", input: { fails: "hooked", asked: (asked += 1) } }),
    });
    const errorTypes: (string | null)[] = [];
    for (let left = 4; left > 0; left--) {
      if (inBatch) {
        const batch = bench.engine.openBatch({});
        batch.add({ tool: "test", input: { n: 1 } });
        errorTypes.push((await batch.end())[0]!.errorType);
      } else errorTypes.push((await bench.engine.call({ tool: "test", input: { n: 1 } })).errorType);
    }
    assert.deepEqual(errorTypes, [null, null, null, "repeated_failure"]);
  }
});

test("each conversation has its own guard and its own counts [P6 P7]", async () => {
  const bench = workbench();
  const inConversation = (conversationId: string) => ({ ...failing, conversationId });
  await series(bench, [failing, failing, failing, ...["a", "a", "a", "a", "b"].map(inConversation)]);
  assert.equal(bench.engine.statistics("a").blockedRepeats, 1);
  assert.equal(bench.engine.statistics("b").blockedRepeats, 0);
  assert.equal(bench.engine.statistics(null).blockedRepeats, 0);
  assert.equal(bench.engine.statistics("b").calls, 1);
  assert.equal(bench.engine.statistics("never seen").calls, 0);
});

test("maxRetry 0 switches the guard and its note off [P6]", async () => {
  const bench = workbench({ limits: { maxRetry: 0 } });
  const executions = await series(
    bench,
    Array.from({ length: 12 }, () => failing),
  );
  assert.equal(bench.runs(), 12);
  assert.ok(executions.every(({ errorType, note }) => errorType === null && note === null));
});

test("after more than maxRetry errors in a row the result carries a note, cut at 500 [P6]", async () => {
  const bench = workbench();
  const calls = Array.from({ length: 5 }, (_, at) => ({ tool: "test", input: { fails: `${at}${"x".repeat(600)}` } }));
  const executions = await series(bench, calls);
  assert.deepEqual(
    executions.map(({ note }) => note?.slice(0, 25) ?? null),
    [null, null, null, "[FAILED after retries] 3x", "[FAILED after retries] 4x"],
  );
  assert.equal(executions[3]!.note, `[FAILED after retries] 3${"x".repeat(499)}… [101 characters cut]`);
  const [fixed, failedAgain] = await series(bench, [fixing, failing]);
  assert.deepEqual([fixed!.note, failedAgain!.note], [null, null]);
});

test("the guard keeps neither whole files nor whole outputs, and no more than a thousand calls [P6]", () => {
  const guard = createFailureGuard();
  const huge = "x".repeat(1_000_000);
  const signature = callSignature("write", { path: "a", content: huge });
  assert.ok(signature.length < 300);
  assert.notEqual(signature, callSignature("write", { path: "a", content: `${huge}y` }));
  assert.equal(signature, callSignature("write", { content: huge, path: "a" }));
  guard.failed(signature, huge);
  assert.ok(guard.failuresOf(() => signature).lastError.length < 600);
  for (let at = 0; at < 1000; at++) guard.failed(`other ${at}`, "no");
  assert.equal(guard.failuresOf(() => signature).count, 0);
  assert.equal(guard.failuresOf(() => "other 0").count, 1);
});

test("inputs that can't be written down are never the same call [P6]", async () => {
  const cyclic: Record<string, unknown> = { fails: "x" };
  cyclic["self"] = cyclic;
  const bench = workbench();
  const hostile = {
    fails: "x",
    toJSON() {
      throw new Error("no");
    },
  };
  for (const input of [cyclic, { fails: "x", big: 10n }, hostile]) {
    const executions = await series(
      bench,
      Array.from({ length: 5 }, () => ({ tool: "test", input })),
    );
    assert.ok(executions.every(({ errorType, attempt }) => errorType === null && attempt === 1));
  }
});
