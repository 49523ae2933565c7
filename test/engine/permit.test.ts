import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import type { PermitDecision, PermitRequest } from "../../src/core/approval.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import type { Tool } from "../../src/core/tool.ts";
import { createLatch, createRecordingLedger, setUpEngine, settleDown } from "../support/engine.ts";

let ran: unknown[] = [];
const tool = defineTool({
  name: "act",
  description: "Acts.",
  input: z.object({ path: z.string(), depth: z.number().default(1) }),
  run(input) {
    ran.push(input);
    return Promise.resolve({ ok: true, output: "acted" });
  },
});
const call = { tool: "act", input: { path: "a" } };

type Answer = PermitDecision | Promise<PermitDecision>;

const refusals: readonly (readonly [string, () => Answer, string, string])[] = [
  ["a person says no", () => ({ decision: "deny", reason: "x", by: "person" }), "User denied permission", "denied"],
  ["a rule says no", () => ({ decision: "deny", reason: "outside", by: "rule" }), "Refused: outside", "denied"],
  [
    "a hook says no",
    () => Promise.resolve({ decision: "deny", reason: "late", by: "hook" }),
    "Refused: late",
    "denied",
  ],
  [
    "the check throws",
    () => {
      throw new Error("boom");
    },
    "Not run: the permission check broke (boom)",
    "denied",
  ],
  [
    "the check rejects",
    () => Promise.reject(new Error("boom")),
    "Not run: the permission check broke (boom)",
    "denied",
  ],
  ["the check says nothing", () => undefined as never, "Not run: the permission check gave no decision", "denied"],
  [
    "the check promises nothing",
    () => Promise.resolve(undefined as never),
    "Not run: the permission check gave no decision",
    "denied",
  ],
  [
    "the check says something else",
    () => ({ decision: "ALLOW" }) as never,
    "Not run: the permission check gave no decision",
    "denied",
  ],
];
for (const [what, permit, error, errorType] of refusals) {
  test(`when ${what}, the tool is not run and the call is cancelled [E1]`, async () => {
    ran = [];
    const { engine, ledger } = setUpEngine({ tools: [tool], permit });
    const execution = await engine.call(call);
    assert.deepEqual(
      [execution.state, execution.error, execution.errorType, execution.runPhase, execution.stopCause],
      ["cancelled", error, errorType, "not_started", null],
    );
    assert.deepEqual(ran, []);
    assert.equal(ledger.openedWith.length, 0);
    assert.equal(ledger.settledWith.length, 1);
  });
}

test("a decision from another kind of promise is waited for [E1]", async () => {
  ran = [];
  const like = ["th", "en"].join("");
  const deny: PermitDecision = { decision: "deny", reason: "no", by: "rule" };
  const answer = { [like]: (resolve: (decision: PermitDecision) => void) => resolve(deny) };
  const { engine } = setUpEngine({ tools: [tool], permit: () => answer as never });
  assert.equal((await engine.call(call)).error, "Refused: no");
  assert.deepEqual(ran, []);
});

test("an input that permission changed is checked again and is what runs [E6]", async () => {
  ran = [];
  const { engine } = setUpEngine({
    tools: [tool],
    permit: () => ({ decision: "allow", input: { path: "b", stray: true } }),
  });
  const execution = await engine.call(call);
  assert.deepEqual(ran, [{ path: "b", depth: 1 }]);
  assert.deepEqual(execution.toolInput, { path: "b", stray: true });
});

test("an input that permission spoiled is told as invalid and does not run [E6]", async () => {
  ran = [];
  const { engine } = setUpEngine({ tools: [tool], permit: () => ({ decision: "allow", input: { path: 5 } }) });
  const { state, error, errorType, runPhase } = await engine.call(call);
  assert.deepEqual(
    [state, error, errorType, runPhase],
    ["failed", "Wrong parameters: path: expected string, got the number 5", "invalid_input", "not_started"],
  );
  assert.deepEqual(ran, []);
});

test("while a person is asked the call is pending, noted as waiting, and can be cancelled [E1 E5]", async () => {
  const asked = createLatch();
  let request: PermitRequest | undefined;
  const { engine, ledger } = setUpEngine({
    tools: [tool],
    permit(given) {
      request = given;
      return asked.opened.then(() => ({ decision: "allow" }));
    },
  });
  const running = engine.call(call);
  await settleDown();
  assert.equal(engine.get(running.id)?.state, "pending");
  assert.deepEqual(
    ledger.waitingFor.map(({ id, state }) => [id, state]),
    [[running.id, "pending"]],
  );
  assert.deepEqual(
    [request?.tool.name, request?.input, request?.signal.aborted],
    ["act", { path: "a", depth: 1 }, false],
  );
  assert.equal(engine.cancel(running.id, "no patience"), true);
  const { state, error } = await running;
  assert.deepEqual([state, error], ["cancelled", "no patience"]);
  assert.equal(request?.signal.aborted, true);
  asked.open();
  await settleDown();
  assert.equal(ledger.openedWith.length, 0);
});

test("a question that fails after its call was cancelled troubles nobody [E8]", async () => {
  const asked = createLatch();
  const { engine } = setUpEngine({
    tools: [tool],
    permit: () => asked.opened.then(() => Promise.reject(new Error("too late"))),
  });
  const running = engine.call(call);
  await settleDown();
  engine.cancel(running.id, "no");
  await running;
  asked.open();
  await settleDown();
});

test("a ledger that breaks on noting a waiting call is told about, and the call goes on [E8]", async () => {
  const ledger = createRecordingLedger();
  ledger.waiting = () => {
    throw new Error("disk full");
  };
  const { engine, eventsOf } = setUpEngine({
    tools: [tool],
    ledger,
    permit: () => Promise.resolve({ decision: "allow" }),
  });
  assert.equal((await engine.call(call)).state, "completed");
  assert.deepEqual(
    eventsOf("ledger:failed").map(({ error }) => error),
    ["disk full"],
  );
});

test("a route that throws or routes nowhere fails the call before it runs [E1]", async () => {
  ran = [];
  for (const route of [
    () => {
      throw new Error("no stable version");
    },
    () => undefined as never,
    () => ({ tool: undefined as never, route: "stable" as const }),
  ]) {
    const { engine } = setUpEngine({ tools: [tool], route });
    const { state, error, errorType, runPhase } = await engine.call(call);
    assert.deepEqual([state, errorType, runPhase], ["failed", "threw", "not_started"]);
    assert.match(error!, /^Not run: no version of act could be chosen \(/);
  }
  assert.deepEqual(ran, []);
});

test("the version and route that were chosen are in the record and run the call [E2]", async () => {
  const canary: Tool = {
    ...tool,
    version: "act@123",
    run: () => Promise.resolve({ ok: true, output: "canary" }),
    timeoutMs: 77,
  };
  const { engine, eventsOf } = setUpEngine({ tools: [tool], route: () => ({ tool: canary, route: "canary" }) });
  const { result, version, route, timeoutMs } = await engine.call(call);
  assert.deepEqual([result?.output, version, route, timeoutMs], ["canary", "act@123", "canary", 77]);
  const [started] = eventsOf("execution:started");
  assert.deepEqual([started?.version, started?.route, started?.timeoutMs], ["act@123", "canary", 77]);
});

test("a tool that breaks when asked for its limits fails that call before it runs [E3]", async () => {
  const limits = (): never => {
    throw new Error("no idea");
  };
  const { engine } = setUpEngine({ tools: [{ ...tool, limits }] });
  const { state, error, runPhase } = await engine.call(call);
  assert.deepEqual(
    [state, error, runPhase],
    ["failed", "Not run: act broke when asked for its time limits (no idea)", "not_started"],
  );
});
