import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, test } from "node:test";
import { defaultJournalSettings } from "../../../src/records/audit-log/log-entry.ts";
import { createJournalLedger, createLedger } from "../../../src/records/ledger.ts";
import { createMemoryStore } from "../../../src/records/memory/memory-call-store.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { complete, makeExecution } from "../../contract/make-execution.ts";
import { openPlace, type LogPlace } from "./support.ts";

const settings = { ...defaultJournalSettings, fsync: "never" } as const;

/** Without what differs each time. */
function said(place: LogPlace): Record<string, unknown>[] {
  return place.entries().map((entry) => {
    const kept = { ...entry };
    for (const key of ["v", "writer", "seq", "prev", "after", "at", "hash", "pid"]) delete kept[key];
    return kept;
  });
}

test("the intent of a call with effects is in the file before it runs, its outcome before it is told [D4 V8 P11]", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ settings });
  const ledger = createJournalLedger(journal);
  const call = makeExecution({
    id: "call_1",
    toolName: "Bash",
    toolId: "bash",
    toolInput: { command: "rm -r build" },
    conversationId: "ses_1",
    turn: 2,
    batchId: "run_1",
    permission: {
      decision: "allow",
      by: "person",
      rule: null,
      who: "kim",
      dangers: ["delete.recursive"],
      reasons: ["rm -r"],
    },
  });
  assert.equal(ledger.opened(call, "never"), undefined);
  const permission = { decision: "allow", by: "person", rule: null, who: "kim" };
  const names = { tool_name: "bash", asked_for: "Bash", tool_version: "builtin", route: "stable" };
  const intent = [
    { type: "opened" },
    {
      type: "decision",
      id: "call_1",
      tool_name: "bash",
      conversation_id: "ses_1",
      ...permission,
      dangers: ["delete.recursive"],
      reasons: ["rm -r"],
    },
    {
      type: "tool_call",
      id: "call_1",
      ...names,
      input: { command: "rm -r build" },
      conversation_id: "ses_1",
      door: "agent",
      turn: 2,
      run: "run_1",
      attempt: 1,
      timeout_ms: 10_000,
      permission,
    },
  ];
  assert.deepEqual(said(place), intent);

  const output = `${"o".repeat(3000)}`;
  const sandbox = { kind: "bwrap", profile: "normal", network: false } as const;
  assert.equal(
    ledger.settled(
      complete(call, { result: { ok: true, output, files: ["a.txt"] }, sandbox, durationMs: 4.250_123_456_789 }),
      "never",
    ),
    undefined,
  );
  assert.deepEqual(said(place), [
    ...intent,
    {
      type: "tool_result",
      id: "call_1",
      ...names,
      latency_ms: 4.25,
      status: "ok",
      error_type: null,
      canary_bucket: null,
      state: "completed",
      run_phase: "returned",
      conversation_id: "ses_1",
      output_bytes: 4,
      summary: "o".repeat(200),
      sandbox,
      permission,
    },
    {
      type: "audit",
      id: "call_1",
      conversation_id: "ses_1",
      door: "agent",
      tool: "bash",
      input: { command: "rm -r build" },
      output: `${"o".repeat(500)}… [2500 characters cut]`,
      files: ["a.txt"],
      success: true,
    },
    {
      type: "workflow",
      id: "call_1",
      conversation_id: "ses_1",
      run: "run_1",
      turn: 2,
      tool: "bash",
      output: `${"o".repeat(2000)}… [1000 characters cut]`,
      files: ["a.txt"],
      success: true,
    },
  ]);
  await journal.close();
  assert.equal((await place.verify()).ok, true);
});

test("a call that was stopped tells why, and what is proven of its end [V8 D4]", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ settings: { ...settings, audit: false, workflow: false } });
  const ledger = createJournalLedger(journal);
  const call = makeExecution({ id: "call_1" });
  await ledger.opened(call, "never");
  const survivors = [{ pid: 7, command: "sleep 9" }];
  await ledger.settled(
    complete(call, {
      state: "timeout",
      result: null,
      error: "too slow",
      errorType: "timeout",
      stopCause: "wall",
      stopProof: "marker",
      survivors,
    }),
    "never",
  );
  await journal.close();
  const outcome = said(place).find(({ type }) => type === "tool_error")!;
  assert.deepEqual(
    ["status", "error_type", "error", "stop_cause", "stop_proof", "survivors"].map((key) => outcome[key]),
    ["error", "timeout", "too slow", "wall", "marker", survivors],
  );
});

test("audit and workflow lines can be switched off; calls without a conversation have no workflow line [P11]", async (t) => {
  for (const [audit, workflow, types] of [
    [true, true, ["audit", "workflow"]],
    [false, true, ["workflow"]],
    [true, false, ["audit"]],
    [false, false, []],
  ] as const) {
    const place = await openPlace(t);
    const journal = place.open({ settings: { ...settings, audit, workflow } });
    const ledger = createJournalLedger(journal);
    for (const conversationId of ["ses_1", null]) {
      const call = makeExecution({ conversationId });
      await ledger.opened(call, "never");
      await ledger.settled(complete(call), "never");
    }
    await journal.close();
    const rest = said(place)
      .map(({ type }) => type)
      .filter((type) => type === "audit" || type === "workflow");
    assert.deepEqual(rest, [...types, ...types.filter((type) => type === "audit")]);
  }
});

test("a safe call has the same lines, a little later; among many it is told in one", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ settings });
  const ledger = createJournalLedger(journal);
  const calls = Array.from({ length: 60 }, () => makeExecution());
  for (const call of calls) {
    assert.equal(ledger.opened(call, "safe"), undefined);
    assert.equal(ledger.settled(complete(call), "safe"), undefined);
  }
  const slow = makeExecution();
  void ledger.opened(slow, "safe");
  await ledger.flush();
  void ledger.settled(complete(slow), "safe");
  await journal.close();
  const linesOf = (id: string): unknown[] => said(place).filter((entry) => entry["id"] === id);
  assert.deepEqual(
    linesOf(calls[0]!.id).map((entry) => (entry as { type: string }).type),
    ["tool_call", "tool_result", "audit"],
  );
  assert.deepEqual(
    linesOf(slow.id).map((entry) => (entry as { type: string }).type),
    ["tool_call", "tool_result", "audit"],
  );
  const [one, ...more] = linesOf(calls[50]!.id) as Record<string, unknown>[];
  assert.deepEqual(more, []);
  assert.deepEqual(
    [one!["type"], one!["input"], one!["output"], one!["door"], one!["success"]],
    ["tool_result", { path: "notes.md" }, "done", "agent", true],
  );
  assert.equal(new Set(said(place).flatMap(({ id }) => (id === undefined ? [] : [id]))).size, 61);
});

test("where every line is synced, a call with effects waits for the disk", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ settings: { ...settings, fsync: "always" } });
  const ledger = createJournalLedger(journal);
  const call = makeExecution();
  const opened = ledger.opened(call, "never");
  assert.ok(opened instanceof Promise);
  await opened;
  assert.ok(ledger.settled(complete(call), "never") instanceof Promise);
  await journal.close();
  assert.deepEqual(
    said(place).map(({ type }) => type),
    ["opened", "tool_call", "tool_result", "audit", "closed"],
  );
});

test("a call that was refused before it could be opened tells its input and who refused it [D4]", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ settings });
  const ledger = createJournalLedger(journal);
  const permission = {
    decision: "deny",
    by: "rule",
    rule: "bash(rm *)",
    who: null,
    dangers: [],
    reasons: ["rm -rf /"],
  } as const;
  const call = makeExecution({ runPhase: "not_started", permission });
  await ledger.settled(
    { ...complete(call), state: "cancelled", error: "Refused", errorType: "denied", result: null },
    "never",
  );
  await journal.close();
  const [, decision, outcome] = said(place);
  assert.deepEqual(
    [decision!["type"], decision!["decision"], decision!["rule"], decision!["reasons"]],
    ["decision", "deny", "bash(rm *)", ["rm -rf /"]],
  );
  assert.deepEqual(
    [outcome!["type"], outcome!["error_type"], outcome!["input"]],
    ["tool_error", "denied", { path: "notes.md" }],
  );
});

describe("a log that can't be written", () => {
  /** A folder where the file should be: fails for root as well. */
  async function blocked(t: Parameters<typeof openPlace>[0]): Promise<LogPlace> {
    const place = await openPlace(t);
    writeFileSync(place.folder, "in the way");
    return place;
  }

  test("refuses calls with effects by default, and lets safe ones run [D4]", async (t) => {
    const place = await blocked(t);
    const journal = place.open({ settings });
    const ledger = createJournalLedger(journal);
    const refused = ledger.opened(makeExecution(), "check");
    await assert.rejects(refused!, {
      code: "LOG_UNWRITABLE",
      message: `The log ${place.file} can't be written: it, or a part of its path, is not what it has to be: a file in a folder. Move that away, or set log.on_failure to "continue" to work without it.`,
    });
    assert.deepEqual(place.failures, []);
    const safe = makeExecution();
    assert.equal(ledger.opened(safe, "safe"), undefined);
    assert.equal(ledger.settled(complete(safe), "safe"), undefined);
    await ledger.flush();
    assert.deepEqual(
      place.failures.map(({ id }) => id),
      [safe.id],
    );
    await journal.close();
  });

  test("goes on where that is configured, tells so, and the next line says how many were lost [D4]", async (t) => {
    const place = await blocked(t);
    const journal = place.open({ settings: { ...settings, onFailure: "continue" } });
    const ledger = createJournalLedger(journal);
    const call = makeExecution();
    assert.equal(ledger.opened(call, "never"), undefined);
    assert.deepEqual(
      place.failures.map(({ id }) => id),
      [call.id],
    );
    rmSync(place.folder);
    mkdirSync(dirname(place.folder), { recursive: true });
    assert.equal(ledger.settled(complete(call), "never"), undefined);
    await journal.close();
    const [opened, gap, outcome] = said(place);
    assert.deepEqual(
      [opened!["type"], gap!["type"], gap!["lines"], gap!["ids"], outcome!["type"]],
      ["opened", "gap", 1, [call.id], "tool_result"],
    );
    const report = await place.verify();
    assert.deepEqual([report.ok, report.warnings.map(({ kind }) => kind)], [true, ["gap"]]);
  });

  test("and a store that can: both have to have it before a call with effects runs", async (t) => {
    const place = await blocked(t);
    const journal = place.open({ settings });
    const store = createMemoryStore();
    const ledger = createLedger({ store, journal, clock: systemClock, onFailed: () => undefined, problem: null });
    const call = makeExecution();
    await assert.rejects(async () => ledger.opened(call, "never"), { code: "LOG_UNWRITABLE" });
    rmSync(place.folder);
    assert.equal(ledger.opened(call, "never"), undefined);
    assert.equal((await store.get(call.id))?.state, "running");
    assert.equal(ledger.settled(complete(call), "never"), undefined);
    await store.close();
    const other = makeExecution();
    await assert.rejects(async () => ledger.opened(other, "never"), { code: "STORE_CLOSED" });
    await journal.close();
  });
});

for (const workflow of [true, false]) {
  test(`a call of a conversation has a line of its workflow: ${workflow} [D4]`, async (t) => {
    const place = await openPlace(t);
    const journal = place.open({ settings: { ...place.open().settings, workflow } });
    const ledger = createJournalLedger(journal);
    const call = makeExecution({ conversationId: "ses_1" });
    await ledger.opened(call, "never");
    await ledger.settled(complete(call), "never");
    await journal.close();
    const found = place.entries().filter(({ type }) => type === "workflow");
    assert.equal(found.length, workflow ? 1 : 0);
    if (workflow) assert.equal(found[0]!["conversation_id"], "ses_1");
  });
}
