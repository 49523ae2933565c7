import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Tool, ToolContext, ToolResult } from "../../../src/core/tool.ts";
import type { Trial } from "../../../src/tool-files/rollout/release/tool-release.ts";
import { tryVersion } from "../../../src/tool-files/rollout/service/rollout-router.ts";
import { createManualClock } from "../../support/manual-clock.ts";

type Answer = ToolResult | Error;

const fine = (output: string): ToolResult => ({ ok: true, output });
const broken: ToolResult = { ok: false, error: "broken", errorType: "exit_code", output: "so far" };

interface Played {
  readonly result: ToolResult | string;
  readonly trial: Trial | undefined;
  /** Which versions ran, in turn. */
  readonly ran: readonly string[];
  /** What the record was told. */
  readonly told: readonly string[];
}

async function play(
  answers: { readonly canary: Answer; readonly stable?: Answer },
  given: { verifies?: boolean; isEntered?: boolean; startMs?: number; abortDuring?: "canary" | "stable" } = {},
): Promise<Played> {
  const clock = createManualClock();
  const ran: string[] = [];
  const told: string[] = [];
  const stop = new AbortController();
  let trial: Trial | undefined;
  const version = (name: "canary" | "stable", answer: Answer): Tool => ({
    name: "say",
    description: "",
    inputSchema: {},
    traits: { readOnly: true, risk: "low", idempotent: true, category: "", offeredIn: [], replay: "safe" },
    version: `say@${name}`,
    check: (input) => ({ ok: true, input }),
    async run(_input, context) {
      ran.push(name);
      if (given.startMs !== undefined) {
        clock.advance(given.startMs);
        context.began?.();
      }
      clock.advance(name === "canary" ? 40 : 1000);
      if (given.isEntered === false) context.notEntered?.();
      if (given.abortDuring === name) stop.abort();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const tried = tryVersion({
    tool: version("canary", answers.canary),
    stable: version("stable", answers.stable ?? fine("from stable")),
    verifies: given.verifies ?? true,
    clock,
    note: (_id, noted) => (trial = noted),
  });
  const context = {
    executionId: "call_1",
    signal: stop.signal,
    ranAs: (name: string) => void told.push(`ran as ${name}`),
    notEntered: () => void told.push("not entered"),
  } as Partial<ToolContext> as ToolContext;
  const result = await tried.run({}, context).catch((thrown: unknown) => `threw ${String(thrown)}`);
  return { result, trial, ran, told };
}

test("a call that succeeds runs once, and is timed [V9]", async () => {
  assert.deepEqual(await play({ canary: fine("from canary") }), {
    result: fine("from canary"),
    trial: { latencyMs: 40, failure: null, onStable: null },
    ran: ["canary"],
    told: [],
  });
});

test("the start of its process is not held against a version [V3]", async () => {
  const { trial } = await play({ canary: fine("done") }, { startMs: 300 });
  assert.equal(trial?.latencyMs, 40);
});

test("a failed call is answered by stable; what the canary said and how long it took is kept [V9]", async () => {
  assert.deepEqual(await play({ canary: broken }), {
    result: fine("from stable"),
    trial: { latencyMs: 40, failure: { error: "broken", errorType: "exit_code", output: "so far" }, onStable: "ok" },
    ran: ["canary", "stable"],
    told: ["ran as say@stable"],
  });
  const threw = await play({ canary: new Error("no") });
  assert.deepEqual([threw.result, threw.trial?.failure?.errorType], [fine("from stable"), "threw"]);
});

test("where both fail, stable's failure is the answer, and it is known that both did [V9]", async () => {
  const other: ToolResult = { ok: false, error: "stable is broken, too" };
  const { result, trial } = await play({ canary: broken, stable: other });
  assert.deepEqual([result, trial?.onStable], [other, "failed"]);
  assert.equal((await play({ canary: broken, stable: new Error("no") })).result, "threw Error: no");
});

test("what may not be repeated is not [V9]", async () => {
  const { result, trial, ran } = await play({ canary: broken }, { verifies: false });
  assert.deepEqual([result, trial?.onStable, ran], [broken, null, ["canary"]]);
  const threw = await play({ canary: new Error("no") }, { verifies: false });
  assert.deepEqual([threw.result, threw.ran], ["threw Error: no", ["canary"]]);
});

test("a call that was stopped is not run again, and stopping stable says nothing about it [V9]", async () => {
  assert.deepEqual((await play({ canary: broken }, { abortDuring: "canary" })).ran, ["canary"]);
  const { trial, ran } = await play({ canary: broken, stable: broken }, { abortDuring: "stable" });
  assert.deepEqual([ran, trial?.onStable], [["canary", "stable"], null]);
});

test("a canary that could not even be entered says so only where nothing else was [V9]", async () => {
  assert.deepEqual((await play({ canary: broken }, { isEntered: false, verifies: false })).told, ["not entered"]);
  assert.deepEqual((await play({ canary: broken }, { isEntered: false })).told, ["ran as say@stable", "not entered"]);
});

/** What a trial notes of a result, with the form that the tool promises and the tool that judges it. */
async function judged(output: string, verdict?: ToolResult | Error | "hangs" | "not entered"): Promise<string | null> {
  const clock = createManualClock();
  const traits = {
    readOnly: true,
    risk: "low",
    idempotent: true,
    category: "",
    offeredIn: [],
    replay: "safe",
  } as const;
  const make = (name: string, run: Tool["run"]): Tool => ({
    name,
    description: "",
    inputSchema: {},
    traits,
    version: `${name}@1`,
    check: (input) => ({ ok: true, input }),
    run,
  });
  const judge = make("judge_it", async (_input, { signal, notEntered }) => {
    if (verdict === "hangs") {
      // Its limit is over as soon as it waits.
      queueMicrotask(() => clock.advance(10_000));
      await once(signal, "abort");
      return { ok: false, error: "It was stopped." };
    }
    if (verdict === "not entered") {
      notEntered?.();
      return { ok: false, error: "There is no room.", errorType: "crashed" };
    }
    if (verdict instanceof Error) throw verdict;
    return verdict ?? fine("good");
  });
  const checkOutput = (text: string): string | null => (text.startsWith("{") ? null : "The output is not JSON.");
  const tool: Tool = make("say", async () => fine(output));
  let trial: Trial | undefined;
  const tried = tryVersion({
    tool,
    stable: tool,
    verifies: false,
    checkOutput,
    judge,
    clock,
    note: (_id, noted) => void (trial = noted),
  });
  const reports: string[] = [];
  const context = {
    executionId: "call_1",
    signal: new AbortController().signal,
    notEntered: () => void reports.push("not entered"),
  } as Partial<ToolContext> as ToolContext;
  assert.deepEqual(await tried.run({}, context), fine(output));
  assert.deepEqual(reports, []);
  assert.equal(clock.waiting, 0);
  return trial?.wrong ?? null;
}

test("a result of another form, or that its judge calls bad, is noted; what is returned stays the same [V4]", async () => {
  assert.equal(await judged("{}"), null);
  assert.equal(await judged("text"), "The output is not JSON.");
  assert.equal(await judged("{}", { ok: false, error: "not polite" }), "Judged bad by judge_it: not polite");
  assert.equal(await judged("{}", new Error("the judge broke")), null);
  assert.equal(await judged("{}", "hangs"), null);
  assert.equal(await judged("{}", "not entered"), null);
});
