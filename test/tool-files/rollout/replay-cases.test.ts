import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chooseCases } from "../../../src/tool-files/rollout/replay/choose-cases.ts";
import type { CaseRun, CaseRunner, ReplayCase } from "../../../src/tool-files/rollout/replay/replay-case.ts";
import { replayCases } from "../../../src/tool-files/rollout/replay/replay-cases.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

type Answer = "hang" | "ask" | { readonly output: string } | { readonly error: string };

/** A version that answers by input; one that hangs lets the time pass until it is stopped. */
function version(
  answers: Readonly<Record<string, Answer>>,
  clock: ManualClock,
  takesMs = 0,
): CaseRunner & { ran: string[] } {
  const ran: string[] = [];
  return {
    ran,
    prepare: () => Promise.resolve(),
    async run(input, signal): Promise<CaseRun> {
      const key = (input as { key: string }).key;
      ran.push(key);
      clock.advance(takesMs);
      const answer = answers[key] ?? { output: "fine" };
      if (answer === "ask") return { result: { ok: true, output: "" }, hasAsked: true };
      if (answer === "hang") {
        while (!signal.aborted) clock.advance(100);
        return { result: { ok: false, error: "stopped" }, hasAsked: false };
      }
      const isFine = "output" in answer;
      return { result: isFine ? { ok: true, ...answer } : { ok: false, ...answer }, hasAsked: false };
    },
  };
}

function cases(...keys: readonly string[]): ReplayCase[] {
  return keys.map((key) => ({ name: `case ${key}`, input: { key } }));
}

interface Play {
  readonly canary?: Readonly<Record<string, Answer>>;
  readonly stable?: Readonly<Record<string, Answer>>;
  readonly totalMs?: number;
  readonly takesMs?: number;
  readonly signal?: AbortSignal;
}

async function play(tried: readonly ReplayCase[], { canary = {}, stable = {}, ...how }: Play) {
  const clock = createManualClock();
  const onCanary = version(canary, clock, how.takesMs);
  const onStable = version(stable, clock);
  const { totalMs = 60_000, signal = new AbortController().signal } = how;
  const told: string[] = [];
  const report = await replayCases({
    onTried: (count, all) => void told.push(`${count}/${all}`),
    cases: tried,
    onCanary,
    onStable,
    limit: { clock, caseMs: 5000, totalMs, signal },
  });
  assert.equal(clock.waiting, 0);
  return { report, told, ranOnCanary: onCanary.ran, ranOnStable: onStable.ran };
}

describe("a replay [V10]", () => {
  test("of cases that all pass touches stable not at all", async () => {
    const { report, ranOnCanary, ranOnStable } = await play(cases("a", "b", "c"), {});
    assert.deepEqual(report, { cases: 3, passed: 3, flips: [], skipped: null });
    assert.deepEqual([ranOnCanary, ranOnStable], [["a", "b", "c"], []]);
  });

  test("tells before the first case and after each how far it is; nothing where there is none, or where it stops", async () => {
    const failing = { b: { error: "Oh no." } };
    assert.deepEqual((await play(cases("a", "b", "c"), { canary: failing })).told, ["0/3", "1/3", "2/3", "3/3"]);
    assert.deepEqual((await play([], {})).told, []);
    const stopped = AbortSignal.abort();
    assert.deepEqual((await play(cases("a"), { signal: stopped })).told, ["0/1"]);
  });

  test("holds against the canary what fails there and passes on stable now", async () => {
    const { report, ranOnStable } = await play(cases("a", "b"), { canary: { b: { error: "Oh no." } } });
    const flips = [{ name: "case b", input: { key: "b" }, error: "Oh no." }];
    assert.deepEqual(report, { cases: 2, passed: 1, flips, skipped: null });
    assert.deepEqual(ranOnStable, ["b"]);
  });

  test("holds nothing against it that fails on stable as well: the world changed", async () => {
    const gone = { b: { error: "There is no such file." } };
    const { report } = await play(cases("a", "b"), { canary: gone, stable: gone });
    assert.deepEqual(report, { cases: 2, passed: 1, flips: [], skipped: null });
  });

  test("tells a canary that hangs, also where the limit for all is no longer than that of a case", async () => {
    const { report } = await play(cases("a", "b"), { canary: { a: "hang" }, totalMs: 5000 });
    assert.deepEqual(report.flips, [{ name: "case a", input: { key: "a" }, error: "It took longer than 5 s." }]);
    assert.equal(report.skipped, "1 case was not tried: the limit of 5 s for all of them was reached.");
  });

  test("can't judge what needs a person or more time on both", async () => {
    const { report } = await play(cases("a", "b", "c"), {
      canary: { a: "ask", b: "hang" },
      stable: { a: "ask", b: "hang" },
    });
    const skipped = "2 cases could not be judged: they need a person, or more time than a case gets.";
    assert.deepEqual(report, { cases: 1, passed: 1, flips: [], skipped });
  });

  test("holds it against the canary that it asks a person, which stable does not", async () => {
    const { report } = await play(cases("a"), { canary: { a: "ask" } });
    assert.deepEqual(
      report.flips.map(({ error }) => error),
      ["It asks a person, which the stable version does not."],
    );
  });

  test("ends at the limit for all, and says how many were not tried", async () => {
    const { report, ranOnCanary } = await play(cases("a", "b", "c", "d"), { takesMs: 1000, totalMs: 2000 });
    const skipped = "2 cases were not tried: the limit of 2 s for all of them was reached.";
    assert.deepEqual(report, { cases: 2, passed: 2, flips: [], skipped });
    assert.deepEqual(ranOnCanary, ["a", "b"]);
  });

  test("ends when it is stopped", async () => {
    const { report } = await play(cases("a"), { signal: AbortSignal.abort() });
    assert.deepEqual(report, { cases: 0, passed: 0, flips: [], skipped: "1 case was not tried: it was stopped." });
  });
});

describe("a case of the spec [V10]", () => {
  const fixed = (more: Partial<ReplayCase>): ReplayCase[] => [{ name: "fixed", input: { key: "a" }, ...more }];
  for (const { name, expected, answer, isFlip } of [
    {
      name: "passes with the text",
      expected: { expect: "2 words" },
      answer: { output: "it has 2 words" },
      isFlip: false,
    },
    { name: "fails with another", expected: { expect: "2 words" }, answer: { output: "3 words" }, isFlip: true },
    {
      name: "passes with its error",
      expected: { expectError: "empty" },
      answer: { error: "It is empty." },
      isFlip: false,
    },
    { name: "fails with another error", expected: { expectError: "empty" }, answer: { error: "Boom" }, isFlip: true },
    { name: "fails without an error", expected: { expectError: "empty" }, answer: { output: "fine" }, isFlip: true },
  ]) {
    test(name, async () => {
      const right = expected.expectError === undefined ? { output: "2 words" } : { error: "empty" };
      const { report } = await play(fixed(expected), { canary: { a: answer }, stable: { a: right } });
      assert.equal(report.flips.length, isFlip ? 1 : 0);
      assert.equal(report.passed, isFlip ? 0 : 1);
    });
  }

  test("that stable does not pass either is no flip", async () => {
    const { report } = await play(fixed({ expect: "new" }), { canary: { a: { output: "old" } } });
    assert.deepEqual(report, { cases: 1, passed: 0, flips: [], skipped: null });
  });
});

describe("recorded inputs [V10]", () => {
  const recorded = (...inputs: readonly unknown[]) =>
    inputs.map((input, index) => ({ executionId: `call_${index}`, input }));

  test("are the newest, each once, also where keys stand in another order, and not those of a fixed case", () => {
    const chosen = chooseCases({
      fixed: [{ name: "one", input: { a: 1 } }],
      recorded: recorded({ a: 2, b: 1 }, { a: 1 }, { b: 1, a: 2 }, { a: 3 }, { a: 4 }),
      traits: { readOnly: true },
      most: 2,
    });
    assert.deepEqual(chosen.recorded, [
      { name: "call_0", input: { a: 2, b: 1 } },
      { name: "call_3", input: { a: 3 } },
    ]);
    assert.equal(chosen.skipped, null);
  });

  test("of a tool that changes things are never run again", () => {
    const fixed = [{ name: "one", input: {} }];
    const chosen = chooseCases({ fixed, recorded: recorded({ a: 1 }), traits: { readOnly: false }, most: 9 });
    assert.deepEqual(chosen, {
      fixed,
      recorded: [],
      skipped:
        "Recorded calls were not tried: the tool changes things, and an old order is not to be carried out again.",
    });
  });

  test("with masked secrets, or cut, are left out, and that is said", () => {
    const inputs = [
      { key: "[MASKED:api-key:0a1b2c]" },
      { text: "ab… [70000 characters cut]" },
      { list: ["[3 more items cut]"] },
    ];
    const chosen = chooseCases({
      fixed: [],
      recorded: recorded(...inputs, { a: 1 }),
      traits: { readOnly: true },
      most: 9,
    });
    assert.deepEqual(chosen.recorded, [{ name: "call_3", input: { a: 1 } }]);
    assert.equal(chosen.skipped, "3 recorded inputs were left out: their secrets are masked, or they were cut.");
  });
});
