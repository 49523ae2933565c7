import assert from "node:assert/strict";
import { test } from "node:test";
import { assess, createRolloutState, observeCall, rolloutPolicy, type Assessment } from "deckhand/rollout";
import { shouting, failsThreeInTen, openTrial, type Trial } from "./004-rollout-support.ts";
import { wholeFile, type Json } from "./seed-support.ts";

// Source document 004, section 13: a good and a bad version under the default rules.

interface Good extends Trial {
  /** `rollout explain --json` in the middle of it. */
  readonly explained: Json;
  /** What `deckhand rollout explain` prints then. */
  readonly text: string;
}

let good: Promise<Good> | undefined;
let bad: Promise<Trial> | undefined;

/** A version that is as good as the one before, from the first share to everybody. */
async function runGood(): Promise<Good> {
  // The holdback is shorter than usual; all else is as it is without settings.
  const trial = await openTrial(wholeFile, shouting(""), { low: { holdback_calls: 50 } });
  await trial.talk("before", 40);
  await trial.command.save("shout.js", shouting("/* better */"));
  // One conversation in ten gets it, by chance: among thirty there may be none.
  await trial.talk("first", 2000, (calls) => calls >= 120 && trial.routes.has("canary"));
  const explained = await trial.command.json(["rollout", "explain", "shout"]);
  const text = (await trial.command.run(["rollout", "explain", "shout"])).stdout;
  await trial.talk("rest", 6000, () => trial.last() === "promoted");
  return { ...trial, explained, text };
}

/** A version that fails three inputs in ten. */
async function runBad(): Promise<Trial> {
  const trial = await openTrial(wholeFile);
  await trial.talk("before", 20);
  await trial.command.save("shout.js", shouting(failsThreeInTen));
  await trial.talk("bad", 3000, () => trial.last() === "rolled_back");
  return trial;
}

const openGood = (): Promise<Good> => (good ??= runGood());
const openBad = (): Promise<Trial> => (bad ??= runBad());

test("4-49 a new version gets a part of the calls first", async () => {
  const { runtime, explained } = await openGood();
  assert.deepEqual([explained.view.status, explained.view.stages[0]], ["running", 10]);
  const all = await runtime.list({ toolId: "shout", limit: 10_000 });
  const routes = new Set(all.map(({ route }) => route));
  assert.deepEqual(routes, new Set(["stable", "canary"]));
});

test("4-50 a bad version reaches few: only its own share fails, and of a read-only tool nobody gets it at all", async (t) => {
  const { runtime } = await openBad();
  const failed = await runtime.list({ toolId: "shout", states: ["failed"], limit: 1000 });
  assert.ok(failed.length <= 30, `${failed.length} calls failed`);
  assert.ok(failed.every(({ route }) => route === "canary"));
  const readOnly = { traits: { read_only: true } };
  const other = await openTrial(t, shouting("", readOnly));
  await other.talk("before", 20);
  await other.command.save("shout.js", shouting(failsThreeInTen, readOnly));
  await other.talk("after", 40);
  assert.match(other.heard.at(-1)!.reason, /^Rolled back before anybody got it/);
  const all = await other.runtime.list({ toolId: "shout", limit: 100 });
  assert.deepEqual(new Set(all.map(({ route, state }) => `${route} ${state}`)), new Set(["stable completed"]));
});

test("4-51 the shares are 10, 30, 60, then everybody, but for a small holdback", async () => {
  const { heard, explained } = await openGood();
  assert.deepEqual(explained.view.stages, [10, 30, 60, 80, 100]);
  const steps = heard.flatMap(({ reason }) => /^(?:advanced|promoted) to (\d+) %/.exec(reason)?.[1] ?? []);
  assert.deepEqual([steps[0], steps[1], steps[3], steps.length], ["30", "60", "100", 4]);
  assert.ok(Number(steps[2]) >= 80 && Number(steps[2]) < 100, steps[2]);
});

test("4-52 each stage has at least 100 calls of the new version before the next; the number is a setting", async () => {
  const { heard } = await openGood();
  const counts = heard.flatMap(({ reason }) => /^advanced to \d+ %: ([\d,]+) canary calls/.exec(reason)?.[1] ?? []);
  assert.equal(counts.length, 3);
  let before = 0;
  for (const calls of counts.map((each) => Number(each.replaceAll(",", "")))) {
    assert.ok(calls - before >= 100, counts.join(" "));
    before = calls;
  }
  assert.equal(rolloutPolicy("live", "low").limits.stageCalls, 100);
});

test("4-53 the error rate is compared with stable at the same time", async () => {
  const { text } = await openGood();
  assert.match(text, /LIVE CALLS +STABLE +CANARY/);
  assert.match(text, /^ +errors +0 % +0 %$/m);
});

test("4-54 so is the timeout rate", async () => {
  const { text } = await openGood();
  assert.match(text, /^ +timeouts +0 % +0 %$/m);
});

test("4-55 p50, p95 and p99 of both", async () => {
  const { text, explained } = await openGood();
  for (const name of ["p50", "p95", "p99"]) assert.match(text, new RegExp(`^ +${name} +\\S+.*ms +\\S+.*ms$`, "m"));
  const { last_calls: figures } = explained.figures.find(({ route }: Json) => route === "canary");
  assert.deepEqual(
    Object.keys(figures).filter((key) => key.startsWith("p")),
    ["p50", "p95", "p99"],
  );
});

test("4-56 wrong results count against a version: by their form, and where a person marks one; fixed cases keep it out", async (t) => {
  const { text } = await openGood();
  assert.match(text, /^ +retries +\d+ % +\d+ %$/m);
  const form = {
    traits: { risk: "low" },
    output_schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  };
  const shaped = await openTrial(t, shouting("return { n: 1 };", form), { low: { stages: [50, 100] } });
  await shaped.talk("before", 8);
  await shaped.command.save("shout.js", shouting('return "nonsense";', form));
  await shaped.talk("after", 400, () => shaped.last() === "rolled_back");
  const why = (await shaped.command.run(["rollout", "explain", "shout"])).stdout;
  assert.equal(shaped.last(), "rolled_back", why);
  const call = await shaped.runtime.call("shout", { text: "a" });
  const marked = await shaped.command.run(["rollout", "feedback", "shout", "--bad", call.id, "--reason", "wrong"]);
  assert.equal(marked.code, 0, marked.stderr);
  const cases = { traits: { read_only: true }, cases: [{ name: "loud", input: { text: "a" }, expect: "A" }] };
  const other = await openTrial(t, shouting("", cases));
  await other.talk("before", 4);
  await other.command.save("shout.js", shouting("return input.text;", cases));
  await other.talk("after", 8);
  assert.match(other.heard.at(-1)!.reason, /^Rolled back before anybody got it/);
});

test("4-57 the last 100 calls and the last 30 minutes are shown; the rule judges all since it began (differs)", async () => {
  const { text } = await openGood();
  assert.match(text, /^since it began /m);
  assert.match(text, /^last 100 calls /m);
  assert.match(text, /^last 30 minutes /m);
});

/** Half of the calls on each version; the new one takes this much longer. */
function assessLatency(stableMs: number, longerMs: number): Assessment {
  const policy = rolloutPolicy("live", "low");
  const history = { calls: 100, failures: 0, discordant: 0 };
  const state = createRolloutState({ now: 0, percent: 50, history, latency: policy.limits.latency });
  for (let call = 0; call < 800; call++) {
    const arm = call % 2 === 0 ? "canary" : "stable";
    const latencyMs = stableMs * (0.8 + ((call * 7) % 40) / 100) + (arm === "canary" ? longerMs : 0);
    observeCall(state, { arm, outcome: "ok", latencyMs, position: "first" });
  }
  return assess({ state, policy, now: 1000, look: "now" });
}

test("4-59 a p95 of 20 % above stable's is too slow, but for an allowance of 5 ms that the sentence names", () => {
  assert.deepEqual(rolloutPolicy("live", "low").limits.latency, { share: 0.2, milliseconds: 5 });
  for (const [stableMs, longerMs] of [
    [100, 30],
    [2, 7],
    [20, 20],
  ] as const) {
    const { verdict, cause } = assessLatency(stableMs, longerMs);
    assert.deepEqual([stableMs, verdict, cause], [stableMs, "rollback", "slower"]);
  }
  assert.match(assessLatency(20, 20).reason, /p95 \d+ ms, stable \d+ ms; .*\(up to 5 ms more does not count\)/);
  assert.equal(assessLatency(3, 1).verdict, "advance");
});

test("4-60 with few calls it is held, and the sentence says how many are missing", async () => {
  const { explained, text } = await openGood();
  assert.equal(explained.lanes.live.verdict, "hold");
  assert.match(text, /held: \d+ of \d+ canary calls/);
});

test("4-61 far more errors than stable: rolled back by itself, softly", async () => {
  const { heard, command } = await openBad();
  assert.match(heard.at(-1)!.reason, /^rolled back: \d+ canary calls, \d+ failed \(stable [\d.]+ % at the same time\)/);
  const status = await command.json(["rollout", "status", "shout"]);
  assert.deepEqual([status.status, status.percent, status.is_pinned], ["rolled_back", 0, false]);
});

test("4-63 kinds of input are looked at apart", async () => {
  const { explained } = await openGood();
  const kinds = new Set(explained.figures.map(({ kind }: Json) => kind));
  assert.ok(kinds.has("all") && kinds.size > 1, [...kinds].join());
});

test("4-65 a version is tool_name@version_id, of its content", async () => {
  const { explained } = await openGood();
  assert.match(explained.view.stable, /^shout@[0-9a-f]{12}$/);
  assert.match(explained.view.canary, /^shout@[0-9a-f]{12}$/);
});

test("4-66 tool_call, tool_result and tool_error are in the log", async () => {
  const types = new Set((await (await openBad()).command.log()).map(({ type }) => type));
  for (const type of ["tool_call", "tool_result", "tool_error"]) assert.ok(types.has(type), type);
});

test("4-67 with latency, version and bucket", async () => {
  const lines = await (await openBad()).command.log();
  const line = lines.find(({ type, route }) => type === "tool_error" && route === "canary")!;
  assert.equal(typeof line["latency_ms"], "number");
  assert.match(String(line["tool_version"]), /^shout@/);
  assert.ok(Number.isInteger(line["canary_bucket"]));
});

test("4-68 stable, canary, share and state of each tool are in one list", async () => {
  const { command } = await openBad();
  const [status] = await command.json(["rollout"]);
  for (const key of ["tool", "stable", "canary", "percent", "status", "reason"]) assert.ok(key in status, key);
  assert.match((await command.run(["rollout"])).stdout, /shout/);
});

/** The calls right after the edit, in their order, by conversation. */
async function firstConversations(): Promise<Json[][]> {
  const { runtime } = await openGood();
  const all = await runtime.list({ toolId: "shout", limit: 10_000 });
  const first = all.filter(({ conversationId }) => conversationId?.startsWith("ses_first_")).toReversed();
  return Object.values(Object.groupBy(first, ({ conversationId }) => conversationId!)) as Json[][];
}

test("4-69 which version a call gets is decided by a hash of its conversation", async () => {
  const conversations = await firstConversations();
  const buckets = conversations.map((calls) => new Set(calls.map(({ canaryBucket }) => canaryBucket)));
  assert.ok(buckets.every(({ size }) => size === 1));
  assert.ok(new Set(buckets.map((each) => [...each][0])).size > 10);
});

test("4-72 a conversation keeps its version: a larger share only adds to those that have the new one", async () => {
  for (const calls of await firstConversations()) {
    const routes = calls.map(({ route }) => route).join(" ");
    assert.doesNotMatch(routes, /canary stable/, routes);
  }
});

test("4-70 success, failure and latency by version", async () => {
  const { explained } = await openGood();
  const { calls, failures } = explained.lanes.live.evidence.canary;
  assert.ok(calls > 0);
  assert.equal(failures, 0);
  assert.deepEqual(new Set(explained.figures.map(({ version }: Json) => version)).size, 2);
});

test("4-71 promoted, held or rolled back, each with a sentence that has the figures", async () => {
  const { heard } = await openGood();
  for (const { change, reason } of heard.filter((each) => /advanced|promoted/.test(each.change))) {
    assert.match(reason, /\d+ %/, change);
  }
  assert.match(heard.find(({ change }) => change === "advanced")!.reason, /[\d,]+ canary calls, 0 failed/);
});

test("4-76 failed inputs, errors and logs are kept as feedback", async () => {
  const { runtime } = await openBad();
  const [feedback] = await (await runtime.rollouts()).feedback("shout", 10);
  assert.ok(feedback!.count >= 1);
  assert.match(JSON.stringify(feedback), /no voice for/);
});

test("4-87 the log has tool_name, tool_version, route, latency_ms, status and error_type", async () => {
  const line = (await (await openBad()).command.log()).find(({ type }) => type === "tool_error")!;
  assert.deepEqual(
    [line["tool_name"], line["route"], line["status"], line["error_type"]],
    ["shout", "canary", "error", "threw"],
  );
});

test("4-88 the key of an event's kind is type (differs)", async () => {
  const [line] = await (await openBad()).command.log();
  assert.equal(typeof line!["type"], "string");
  assert.ok(!("event" in line!));
});

test("4-90 routing, figures and rollback are one set, and there is no A/B test: a good version gets everybody", async () => {
  const { command, explained } = await openGood();
  assert.equal((await command.json(["rollout", "status", "shout"])).stable, explained.view.canary);
});
