import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { findCall, followJournal, readStatistics } from "../../../src/records/audit-log/log-reader.ts";
import { filterOf, readLast } from "../../../src/records/audit-log/read-entries.ts";
import { createJournalLedger } from "../../../src/records/ledger.ts";
import { complete, makeExecution } from "../../contract/make-execution.ts";
import { until } from "../../support/runtime.ts";
import { openPlace } from "./support.ts";

const small = { audit: true, workflow: true, onFailure: "refuse", fsync: "never", maxBytes: 3000 } as const;

/** A clock by which every look at the file is due. */
function eagerClock(): { now(): number; monotonic(): number; after(): () => void } {
  let now = 0;
  return { now: () => Date.now(), monotonic: () => (now += 200), after: () => () => undefined };
}

test("the last lines come oldest first, from as many segments as it takes; what is no line is skipped", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ settings: small, clock: eagerClock() });
  for (let index = 0; index < 40; index++) {
    await journal.append({
      type: index % 2 === 0 ? "note" : "user_input",
      text: `${index}${"한".repeat(100)}`,
      conversationId: `ses_${index % 4}`,
    });
  }
  await journal.close();
  const texts = async (limit: number, query: Parameters<typeof filterOf>[0]): Promise<number[]> =>
    (await readLast(place.folder, limit, filterOf(query))).map(({ entry }) =>
      Number.parseInt(String(entry["text"]), 10),
    );
  assert.deepEqual(await texts(3, { types: ["note"] }), [34, 36, 38]);
  assert.deepEqual(await texts(2, { conversationId: "ses_1" }), [33, 37]);
  assert.deepEqual(await texts(0, {}), []);
  assert.equal((await texts(1000, { types: ["note", "user_input"] })).length, 40);
  writeFileSync(place.file, `no json\n{"half":\n\n[1]\n${place.lines().at(-1)!}`);
  assert.deepEqual(
    (await readLast(place.folder, 1, () => true)).map(({ entry }) => entry["type"]),
    ["closed"],
  );
});

test("a follower sees every line once, over rotated segments, and ends with its signal", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ settings: small, clock: eagerClock() });
  await journal.append({ type: "note", text: "before" });
  const enough = new AbortController();
  t.after(() => enough.abort());
  const seen: unknown[] = [];
  let isLooking = false;
  const following = (async () => {
    for await (const { entry } of followJournal(place.folder, enough.signal)) {
      if (entry["type"] === "user_input") isLooking = true;
      if (entry["type"] === "note") seen.push(entry["text"]);
      if (seen.length === 30) enough.abort();
    }
  })();
  // It begins where the file ends when it looks first.
  await until("the follower looks", async () => {
    await journal.append({ type: "user_input", text: "are you there?" });
    return isLooking;
  });
  for (let index = 0; index < 30; index++) {
    await journal.append({ type: "note", text: `${index}${"x".repeat(400)}` });
    if (index % 10 === 9) await until("the follower is near", () => seen.length > index - 10);
  }
  await following;
  await journal.close();
  assert.deepEqual(
    seen.map((text) => Number.parseInt(String(text), 10)),
    Array.from({ length: 30 }, (_, index) => index),
  );
});

test("a call is found by its id, a part of it, or a line by its writer and number", async (t) => {
  const place = await openPlace(t);
  const journal = place.open({ writer: "abcdef" });
  const ledger = createJournalLedger(journal);
  const calls = [makeExecution({ id: "call_019b-aaaa-1111" }), makeExecution({ id: "call_019b-bbbb-2222" })];
  for (const call of calls) {
    await ledger.opened(call, "never");
    await ledger.settled(complete(call), "never");
  }
  await journal.close();
  const whole = await findCall(place.folder, "call_019b-aaaa-1111");
  assert.deepEqual(
    [
      whole.kind,
      whole.kind === "call" && whole.entries.map(({ entry, line, isIntact }) => [entry["type"], line, isIntact]),
    ],
    [
      "call",
      [
        ["tool_call", 2, true],
        ["tool_result", 3, true],
        ["audit", 4, true],
      ],
    ],
  );
  assert.equal((await findCall(place.folder, "2222")).kind, "call");
  assert.deepEqual(await findCall(place.folder, "019b"), { kind: "several", ids: calls.map(({ id }) => id) });
  const line = await findCall(place.folder, "abc:3");
  assert.deepEqual(line.kind === "line" && line.entries.map(({ entry }) => entry["seq"]), [3]);
  assert.deepEqual(await findCall(place.folder, "nothing"), { kind: "none" });
  assert.deepEqual(await findCall(`${place.folder}/none`, "nothing"), { kind: "none" });
});

test("statistics count calls, errors, refusals and times by tool and by day [V8]", async (t) => {
  const place = await openPlace(t);
  let now = Date.UTC(2026, 0, 1, 12);
  const journal = place.open({ clock: { ...eagerClock(), now: () => now } });
  const ledger = createJournalLedger(journal);
  const none = { invalid: 0, blocked: 0, recovered: 0 };
  for (let index = 1; index <= 100; index++) {
    const call = makeExecution({ toolId: "bash", toolName: "bash" });
    await ledger.opened(call, "never");
    await ledger.settled(complete(call, { durationMs: index }), "never");
  }
  now += 24 * 60 * 60 * 1000;
  const denied = makeExecution({ toolId: null, toolName: "who" });
  await ledger.settled(complete(denied, { state: "cancelled", errorType: "denied", durationMs: null }), "never");
  await journal.close();
  assert.deepEqual(await readStatistics(place.folder), {
    tools: [
      { tool: "bash", calls: 100, ok: 100, errors: 0, refused: 0, ...none, p50Ms: 50, p95Ms: 95 },
      { tool: "who", calls: 1, ok: 0, errors: 1, refused: 1, ...none, p50Ms: null, p95Ms: null },
    ],
    consecutiveErrors: 1,
    longestErrorRow: 1,
    days: [
      { day: "2026-01-01", calls: 100, errors: 0, refused: 0 },
      { day: "2026-01-02", calls: 1, errors: 1, refused: 1 },
    ],
  });
  assert.equal((await readStatistics(place.folder, "2026-01-02")).tools.length, 1);
});
