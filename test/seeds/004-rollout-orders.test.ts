import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { rolloutPolicy } from "deckhand/rollout";
import { hasPython, lane } from "../support/require.ts";
import { echoPython } from "./004-support.ts";
import { half, openTrial, shouting, type Trial } from "./004-rollout-support.ts";

// Source document 004, section 13: limits, fatal errors, schedules, risk, and what a person orders.

const python = lane("python", hasPython());

/** A version is being tried on half of the conversations. */
async function openTried(t: TestContext, next = shouting("/* new */")): Promise<Trial> {
  const trial = await openTrial(t, shouting(""), half);
  await trial.talk("before", 4);
  await trial.command.save("shout.js", next);
  await trial.talk("first", 1);
  return trial;
}

test("4-58 at most 2 % more errors and 1 % more timeouts than stable at the same time; both are settings (differs)", async (t) => {
  const { errorRate, timeoutRate, rollbackRate } = rolloutPolicy("live", "low").limits;
  assert.deepEqual([errorRate, timeoutRate, rollbackRate], [0.02, 0.01, 0.05]);
  const trial = await openTrial(t, shouting(""), { low: { error_rate: 0.01, timeout_rate: 0.005 } });
  assert.equal((await trial.command.run(["rollout"])).code, 0);
  const wrong = openTrial(t, shouting(""), { low: { error_rate: 3 } });
  await assert.rejects(wrong, /rollout\.low\.error_rate/);
});

test("4-62 one fatal error takes a version back at once, and pins stable: permission or damaged data, thrown or returned", async (t) => {
  const fatal = [
    'throw Object.assign(new Error("no"), { code: "EACCES" });',
    'throw Object.assign(new Error("no"), { code: "EPERM" });',
    'class IndexCorruptError extends Error {} ; const error = new IndexCorruptError("no"); error.name = "IndexCorruptError"; throw error;',
    'return { ok: false, error: "no", error_type: "permission" };',
    'return { ok: false, error: "no", error_type: "data_corruption" };',
  ];
  for (const body of fatal) {
    const trial = await openTrial(t, shouting(""), half);
    await trial.talk("before", 4);
    await trial.command.save("shout.js", shouting(body));
    await trial.talk("after", 60, () => trial.last() === "rolled_back");
    assert.match(trial.heard.at(-1)!.reason, /1 fatal error/, body);
    const failed = await trial.runtime.list({ toolId: "shout", states: ["failed"], limit: 100 });
    assert.equal(failed.length, 1, body);
    assert.equal((await trial.command.json(["rollout", "status", "shout"])).is_pinned, true, body);
  }
});

test("4-62 a PermissionError in Python is fatal as well", python, async (t) => {
  const raising = echoPython.replace("    text = input", '    raise PermissionError("no")\n    text = input');
  const trial = await openTrial(t, shouting(""), half);
  const changing = (text: string): string => text.replace('{"read_only": True}', '{"risk": "low"}');
  await trial.command.save("echo_tool.py", changing(echoPython));
  await trial.runtime.call("echo_tool", { text: "x" });
  await trial.command.save("echo_tool.py", changing(raising));
  for (let index = 0; index < 60 && trial.last() !== "rolled_back"; index++) {
    await trial.runtime.call("echo_tool", { text: "x" }, { conversationId: `ses_${index}` });
  }
  assert.match(trial.heard.at(-1)!.reason, /1 fatal error/);
});

test("4-64 scheduled calls and live ones are judged apart", async (t) => {
  const trial = await openTried(t);
  for (let index = 0; index < 2; index++) {
    await trial.runtime.call("shout", { text: "a" }, { door: "schedule", conversationId: `job_${index}` });
  }
  const { lanes } = await trial.command.json(["rollout", "explain", "shout"]);
  assert.ok(lanes.live && lanes.scheduled);
  assert.match((await trial.command.run(["rollout", "explain", "shout"])).stdout, /^LIVE CALLS [^]*^SCHEDULED RUNS /m);
});

/** Scheduled calls of jobs, until so many of them got the new version. */
async function runJobs({ runtime }: Trial, wanted: number): Promise<void> {
  for (let index = 0, got = 0; index < 200 && got < wanted; index++) {
    const { route } = await runtime.call("shout", { text: "a" }, { door: "schedule", conversationId: `job_${index}` });
    if (route === "canary") got += 1;
  }
}

test("4-73 scheduled calls need runs, time and then a person's approval: without them they are held", async (t) => {
  const trial = await openTried(t);
  await runJobs(trial, 2);
  const { lanes } = await trial.command.json(["rollout", "explain", "shout"]);
  assert.deepEqual([lanes.scheduled.verdict, lanes.scheduled.cause], ["hold", "unproven"]);
});

test("4-74 a soft rollback: 0 % at once, and the version stays out", async (t) => {
  const trial = await openTried(t);
  assert.equal((await trial.command.run(["rollout", "rollback", "shout", "--reason", "odd"])).code, 0);
  const status = await trial.command.json(["rollout", "status", "shout"]);
  assert.deepEqual([status.status, status.percent, status.is_pinned], ["rolled_back", 0, false]);
  await trial.talk("after", 8);
  const all = await trial.runtime.list({ toolId: "shout", limit: 8 });
  assert.deepEqual(new Set(all.map(({ version }) => version)), new Set([status.stable]));
});

test("4-75 a hard rollback: stable is pinned, and nothing else gets out before it is resumed", async (t) => {
  const trial = await openTried(t);
  assert.equal((await trial.command.run(["rollout", "rollback", "shout", "--hard"])).code, 0);
  const { stable, is_pinned: isPinned } = await trial.command.json(["rollout", "status", "shout"]);
  assert.equal(isPinned, true);
  await trial.command.save("shout.js", shouting("/* another one */"));
  await trial.talk("after", 8);
  const all = await trial.runtime.list({ toolId: "shout", limit: 8 });
  assert.deepEqual(new Set(all.map(({ version }) => version)), new Set([stable]));
  assert.equal((await trial.command.run(["rollout", "resume", "shout"])).code, 0);
});

test("4-84 a tool of high risk goes 1, 5, 20, 50, 100, but for a small holdback", async (t) => {
  const high = { traits: { risk: "high" } };
  const trial = await openTrial(t, shouting("", high));
  await trial.talk("before", 4);
  await trial.command.save("shout.js", shouting("/* new */", high));
  await trial.talk("after", 1);
  const { stages, percent } = await trial.command.json(["rollout", "status", "shout"]);
  assert.deepEqual([stages, percent], [[1, 5, 20, 50, 80, 100], 1]);
  await trial.command.run(["rollout", "promote", "shout"]);
  assert.equal((await trial.command.json(["rollout", "status", "shout"])).percent, 5);
});

test("4-85 one of low risk begins with 10 %; a tool that says nothing of itself is of high risk", async (t) => {
  const trial = await openTrial(t);
  await trial.talk("before", 4);
  await trial.command.save("shout.js", shouting("/* new */"));
  await trial.talk("after", 1);
  assert.equal((await trial.command.json(["rollout", "status", "shout"])).percent, 10);
  const silent = await openTrial(t, shouting("", { traits: {} }));
  await silent.talk("before", 4);
  await silent.command.save("shout.js", shouting("/* new */", { traits: {} }));
  await silent.talk("after", 1);
  assert.equal((await silent.command.json(["rollout", "status", "shout"])).percent, 1);
});

test("4-86 scheduled calls need 3 runs and a day, of high risk 5: after the runs alone nothing advances", async (t) => {
  const trial = await openTried(t);
  await runJobs(trial, 6);
  const { lanes } = await trial.command.json(["rollout", "explain", "shout"]);
  assert.equal(lanes.scheduled.verdict, "hold");
  assert.deepEqual(
    trial.heard.filter(({ change }) => change === "advanced" || change === "promoted"),
    [],
  );
});

test("4-89 a version that no longer takes an input that was taken is blocked until a person decides", async (t) => {
  const schema = {
    input_schema: { type: "object", properties: { text: {}, kind: { type: "string" } }, required: ["text", "kind"] },
  };
  const trial = await openTried(t, shouting("", { traits: { risk: "low" }, ...schema }));
  const { status, reason } = await trial.command.json(["rollout", "status", "shout"]);
  assert.equal(status, "blocked");
  assert.match(reason, /is required now[^]*A person has to decide/);
});
