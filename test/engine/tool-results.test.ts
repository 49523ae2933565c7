import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool, ToolResult } from "../../src/core/tool.ts";
import { looseTool, setUpEngine } from "../support/engine.ts";

function returning(value: unknown): Tool {
  return looseTool({ name: "odd", run: () => value as Promise<ToolResult> });
}

const good: readonly (readonly [string, ToolResult, string, string | null, number])[] = [
  ["plain success", { ok: true, output: "x" }, "completed", null, 1],
  ["success with less shown than there was", { ok: true, output: "x", outputBytes: 5e6 }, "completed", null, 5e6],
  ["an empty output", { ok: true, output: "" }, "completed", null, 0],
  ["plain failure", { ok: false, error: "no" }, "failed", null, 0],
  [
    "failure with all it can say",
    { ok: false, error: "no", hint: "h", output: "äö", errorType: "exit_code" },
    "failed",
    "exit_code",
    4,
  ],
  ["a failure of a tool's own kind", { ok: false, error: "no", errorType: "quota" }, "failed", "quota", 0],
];
for (const [what, result, state, errorType, outputBytes] of good) {
  test(`${what} is kept whole [E1 E2]`, async () => {
    const { engine } = setUpEngine({ tools: [returning(Promise.resolve(result))] });
    const execution = await engine.call({ tool: "odd" });
    assert.deepEqual(execution.result, result);
    assert.deepEqual(
      [execution.state, execution.error, execution.errorType, execution.outputBytes, execution.runPhase],
      [state, result.ok ? null : "no", errorType, outputBytes, "returned"],
    );
  });
}

test("a tool in plain JavaScript may return without a promise [E1]", async () => {
  const { engine } = setUpEngine({ tools: [returning({ ok: true, output: "now" })] });
  assert.equal((await engine.call({ tool: "odd" })).result?.output, "now");
});

test("a call that threw has put out nothing [E1]", async () => {
  const { engine } = setUpEngine({ tools: [returning(Promise.reject(new Error("no")))] });
  const { state, result, outputBytes } = await engine.call({ tool: "odd" });
  assert.deepEqual([state, result, outputBytes], ["failed", null, 0]);
});

test("null counts as left out [E1]", async () => {
  const nulls = { output: null, hint: null, errorType: null, files: null, outputBytes: null };
  const { engine } = setUpEngine({ tools: [returning(Promise.resolve({ ok: false, error: "no", ...nulls }))] });
  const { state, error, errorType, outputBytes } = await engine.call({ tool: "odd" });
  assert.deepEqual([state, error, errorType, outputBytes], ["failed", "no", null, 0]);
});

const bad: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a text", "done"],
  ["an empty object", {}],
  ["success without output", { ok: true }],
  ["success with an object as output", { ok: true, output: { a: 1 } }],
  ["failure without error", { ok: false }],
  ["failure with a number as output", { ok: false, error: "no", output: 5 }],
  ["failure with an object as error", { ok: false, error: { message: "no" } }],
  ["failure with a number as error type", { ok: false, error: "no", errorType: 5 }],
  ["failure with a number as hint", { ok: false, error: "no", hint: 5 }],
  ["files that are no list", { ok: true, output: "", files: "a" }],
  ["files that are no texts", { ok: true, output: "", files: [5] }],
  ["bytes that are no number", { ok: true, output: "", outputBytes: "many" }],
  ["ok that is no boolean", { ok: 1, output: "x", error: "y" }],
  ["a function", () => undefined],
];
for (const [what, value] of bad) {
  test(`a tool that returns ${what} failed, with the shape it should have had [E1]`, async () => {
    const { engine, eventsOf } = setUpEngine({ tools: [returning(Promise.resolve(value))] });
    const execution = await engine.call({ tool: "odd" });
    assert.deepEqual(
      [execution.state, execution.errorType, execution.runPhase, execution.result],
      ["failed", "invalid_result", "returned", null],
    );
    assert.match(execution.error!, /expected \{ ok: true, output \} or \{ ok: false, error \}/);
    assert.deepEqual(engine.underWay(), []);
    await Promise.resolve();
    assert.equal(eventsOf("execution:settled").length, 1);
  });
}

const throws: readonly (readonly [string, unknown, string])[] = [
  ["an error", new Error("broken"), "broken"],
  ["a text", "broken", "broken"],
  ["nothing", undefined, "undefined"],
  ["an object without a prototype", Object.create(null), "something that has no text was thrown"],
];
for (const [what, thrown, error] of throws) {
  for (const when of ["at once", "later"] as const) {
    test(`a tool that throws ${what} ${when} failed with that as its error [E1]`, async () => {
      const tool = looseTool({
        name: "throws",
        run() {
          if (when === "at once") throw thrown; // oxlint-disable-line only-throw-error
          return Promise.reject(thrown); // oxlint-disable-line prefer-promise-reject-errors
        },
      });
      const { engine } = setUpEngine({ tools: [tool] });
      const execution = await engine.call({ tool: "throws" });
      assert.deepEqual(
        [execution.state, execution.error, execution.errorType, execution.runPhase, execution.result],
        ["failed", error, "threw", "threw", null],
      );
    });
  }
}

test("what a tool may ask of its context works taken apart, and says where it is [E9]", async () => {
  const seen: unknown[] = [];
  const tool = looseTool({
    name: "curious",
    async run(_input, context) {
      // oxlint-disable-next-line unbound-method
      const { progress, ask, stopped, signal, workdir, executionId, conversationId, env } = context;
      progress({ message: "half", done: 1, total: 2 });
      stopped({ proof: "marker", killed: [], survivors: [] });
      seen.push(await ask({ text: "?" }), signal.aborted, workdir, executionId, conversationId, env);
      return { ok: true, output: "" };
    },
  });
  const { engine, eventsOf } = setUpEngine({ tools: [tool], workdir: "/somewhere", env: { PATH: "/bin" } });
  const execution = await engine.call({ tool: "curious", conversationId: "c" });
  const nobody = { answered: false, reason: "nobody" };
  assert.deepEqual(seen, [nobody, false, "/somewhere", execution.id, "c", { PATH: "/bin" }]);
  assert.deepEqual(
    eventsOf("execution:progressed").map(({ id, progress }) => [id, progress]),
    [[execution.id, { message: "half", done: 1, total: 2 }]],
  );
});
