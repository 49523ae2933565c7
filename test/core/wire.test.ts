import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Execution, executionStates } from "../../src/core/call.ts";
import { stopProofs } from "../../src/core/process.ts";
import { executionFromWire, executionToWire, fromWire, toWire } from "../../src/core/wire.ts";
import { makeExecution } from "../contract/make-execution.ts";
import { count } from "../support/counts.ts";

const runs = { numRuns: count({ quick: 300, full: 20_000 }) };

test("an execution goes out as snake_case JSON, with its times in ISO-8601 and what is the tool's untouched [E2]", () => {
  const at = Date.UTC(2026, 10, 15, 20, 25, 36, 7);
  const execution = makeExecution({
    id: "call_0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee",
    toolInput: { filePath: "a", createdAt: 5, snake_case: { camelCase: 1 } },
    state: "failed",
    runPhase: "returned",
    result: { ok: false, error: "no", errorType: "exit_code", data: { exitCode: 2 }, files: ["a"], outputBytes: 3 },
    error: "no",
    errorType: "exit_code",
    createdAt: at,
    startedAt: at + 1,
    completedAt: at + 999,
    durationMs: 998.5,
    killed: [{ pid: 1, command: "x" }],
  });
  assert.deepEqual(executionToWire(execution), {
    id: "call_0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee",
    tool_name: "Read",
    tool_id: "read",
    tool_input: { filePath: "a", createdAt: 5, snake_case: { camelCase: 1 } },
    state: "failed",
    run_phase: "returned",
    result: { ok: false, error: "no", error_type: "exit_code", data: { exitCode: 2 }, files: ["a"], output_bytes: 3 },
    error: "no",
    error_type: "exit_code",
    note: null,
    created_at: "2026-11-15T20:25:36.007Z",
    started_at: "2026-11-15T20:25:36.008Z",
    completed_at: "2026-11-15T20:25:37.006Z",
    duration_ms: 998.5,
    attempt: 1,
    timeout_ms: 10_000,
    idle_ms: null,
    version: "builtin",
    route: "stable",
    canary_bucket: null,
    door: "agent",
    conversation_id: null,
    turn: null,
    parent_id: null,
    batch_id: null,
    output_bytes: 0,
    stop_cause: null,
    stop_proof: null,
    killed: [{ pid: 1, command: "x" }],
    survivors: [],
    owner: { pid: 4711, start_time: "123456", boot_id: "5f0c1d1e-0000-4000-8000-000000000001" },
    permission: null,
    sandbox: null,
  });
});

test("any execution comes back from JSON as it was [E2]", () => {
  fc.assert(
    fc.property(anyExecution(), (execution) => {
      const text = JSON.stringify(executionToWire(execution));
      assert.deepEqual(executionFromWire(JSON.parse(text)), execution);
    }),
    runs,
  );
});

test("the record spelt out and the general codec agree on every key [E2]", () => {
  fc.assert(
    fc.property(anyExecution(), (execution) => {
      assert.deepEqual(executionToWire(execution), toWire(execution));
    }),
    runs,
  );
});

test("any keys come back as they were: digits, capitals, underscores, __proto__ [E2]", () => {
  const odd = [
    "__proto__",
    "_proto_",
    "____proto____",
    "constructor",
    "toString",
    "sha256Hash",
    "x2Y",
    "a_b",
    "a__b",
    "_a",
    "A",
    "_",
    "__",
    "a_1",
  ];
  const key = fc
    .oneof(fc.constantFrom(...odd), fc.stringMatching(/^[a-zA-Z0-9_]{1,8}$/))
    .filter((text) => !isTime(text));
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
    object: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  }));
  fc.assert(
    fc.property(value, (given) => {
      const back = fromWire(JSON.parse(JSON.stringify(toWire(given))));
      assert.deepEqual(back, given);
    }),
    runs,
  );
  assert.deepEqual(toWire({ sha256Hash: 1, exitCode: 2 }), { sha256_hash: 1, exit_code: 2 });
});

test("a key of the tool's named __proto__ reaches nobody's prototype", () => {
  const wire = JSON.parse(
    '{"id":"call_1","state":"failed","__proto__":{"polluted":1},"tool_input":{"__proto__":{"polluted":1}}}',
  );
  const execution = executionFromWire(wire) as Execution & { polluted?: number };
  assert.equal(execution.polluted, undefined);
  assert.equal(Object.getPrototypeOf(execution), Object.prototype);
  assert.equal((execution.toolInput as { polluted?: number }).polluted, undefined);
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

test("any time of the calendar comes back to the millisecond, also that of an event [E2 E8]", () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (time) => {
      const wire = toWire({ at: time, startedAt: time }) as { at: string; started_at: string };
      assert.equal(wire.at, new Date(time).toISOString());
      assert.deepEqual(fromWire(wire), { at: time, startedAt: time });
    }),
    runs,
  );
  assert.deepEqual(toWire({ at: 1.9 }), { at: "1970-01-01T00:00:00.001Z" });
  assert.deepEqual(toWire({ createdAt: -0.5 }), { created_at: "1970-01-01T00:00:00.000Z" });
});

test("a number that is no time goes out as it is", () => {
  const given = { createdAt: 1e17, startedAt: null, format: 5, completedAt: Number.MAX_VALUE };
  assert.deepEqual(toWire(given), { created_at: 1e17, started_at: null, format: 5, completed_at: Number.MAX_VALUE });
  assert.deepEqual(fromWire(toWire(given)), given);
});

test("what is undefined is left out", () => {
  assert.deepEqual(toWire({ toolName: undefined, data: undefined, kept: null }), { kept: null });
  assert.equal(executionToWire(makeExecution({ toolInput: undefined })).tool_input, null);
});

test("a record of an older version gets the keys it lacks [E2]", () => {
  const old = executionFromWire({ id: "call_1", state: "completed", created_at: "2026-01-01T00:00:00.000Z" });
  const expected = Object.keys(makeExecution()).sort();
  assert.deepEqual(Object.keys(old).sort(), expected);
  assert.deepEqual([old.createdAt, old.error, old.killed, old.attempt], [Date.UTC(2026, 0, 1), null, [], 1]);
});

test("what is no execution, and a time that is none, are refused with a sentence [E2]", () => {
  for (const wire of [
    null,
    [],
    "call_1",
    {},
    { id: "call_1" },
    { id: 5, state: "failed" },
    { id: "call_1", state: "Running" },
  ]) {
    assert.throws(() => executionFromWire(wire), {
      code: "WIRE_INVALID",
      message:
        "Expected an execution: a JSON object with at least an id and a state (pending, running, completed, failed, cancelled, timeout).",
    });
  }
  for (const text of [
    "5",
    "yesterday",
    "2026-01-01",
    "2026-13-01T00:00:00Z",
    "May 5 2026 10:00",
    "2026-01-01T00:00:00",
    "",
  ]) {
    assert.throws(() => executionFromWire({ id: "call_1", state: "failed", created_at: text }), {
      code: "WIRE_INVALID",
      message: `Expected an ISO-8601 time in created_at, got "${text}".`,
    });
  }
  assert.equal(
    executionFromWire({ id: "c", state: "failed", created_at: "2026-01-01T01:00:00+01:00" }).createdAt,
    Date.UTC(2026, 0, 1),
  );
});

function isTime(key: string): boolean {
  return (
    key === "at" ||
    key.endsWith("At") ||
    key.endsWith("_at") ||
    ["toolInput", "data", "input", "inputSchema"].includes(key)
  );
}

function anyExecution(): fc.Arbitrary<Execution> {
  const plain = { noNullPrototype: true } as const;
  const text = fc.string({ unit: "binary" });
  const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
  const time = fc.integer({ min: 0, max: 4e12 });
  const amount = fc.oneof(fc.nat(), fc.double({ min: 0.001, max: 1e9, noNaN: true }));
  const notes = fc.array(fc.record({ pid: fc.nat(), command: text }, plain), { maxLength: 3 });
  const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value))); // no -0
  const more = { data: json, files: fc.array(text, { maxLength: 3 }), outputBytes: fc.nat() };
  const result = fc.oneof(
    fc.record({ ok: fc.constant(true as const), output: text, ...more }, { requiredKeys: ["ok", "output"], ...plain }),
    fc.record(
      { ok: fc.constant(false as const), error: text, hint: text, output: text, errorType: text, ...more },
      { requiredKeys: ["ok", "error"], ...plain },
    ),
  );
  const keys = {
    id: text,
    toolName: text,
    toolId: orNull(text),
    toolInput: json,
    state: fc.constantFrom(...executionStates),
    runPhase: fc.constantFrom("not_started", "started", "returned", "threw"),
    result: orNull(result),
    error: orNull(text),
    errorType: orNull(text),
    note: orNull(text),
    createdAt: time,
    startedAt: orNull(time),
    completedAt: orNull(time),
    durationMs: orNull(amount),
    attempt: fc.nat(),
    timeoutMs: orNull(amount),
    idleMs: orNull(amount),
    version: orNull(text),
    route: orNull(fc.constantFrom("stable", "canary")),
    canaryBucket: orNull(fc.integer({ min: 0, max: 9999 })),
    door: orNull(fc.constantFrom("library", "cli", "agent", "chat", "mcp", "daemon", "schedule")),
    conversationId: orNull(text),
    turn: orNull(fc.nat()),
    parentId: orNull(text),
    batchId: orNull(text),
    outputBytes: fc.nat(),
    stopCause: orNull(fc.constantFrom("cancel", "wall", "idle")),
    stopProof: orNull(fc.constantFrom(...stopProofs)),
    killed: notes,
    survivors: notes,
    owner: orNull(fc.record({ pid: fc.nat(), startTime: text, bootId: text }, plain)),
    permission: orNull(
      fc.record(
        {
          decision: fc.constantFrom("allow", "deny"),
          by: fc.constantFrom("mode", "rule", "grant", "person", "order", "hook"),
          rule: orNull(text),
          who: orNull(text),
          dangers: fc.array(text, { maxLength: 3 }),
          reasons: fc.array(text, { maxLength: 3 }),
        },
        plain,
      ),
    ),
    sandbox: orNull(
      fc.record(
        {
          kind: fc.constantFrom("bwrap", "seatbelt", "none"),
          profile: orNull(fc.constantFrom("normal", "strict")),
          network: fc.boolean(),
        },
        plain,
      ),
    ),
  };
  return fc.record(keys, plain);
}
