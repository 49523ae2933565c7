import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { canary, stillClock, failsThreeInTen, listen, openToolMachine, shouting, talk } from "./tool-machine.ts";

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

async function readLog(workdir: string): Promise<Line[]> {
  const text = await readFile(join(workdir, ".deckhand", "logs", "chat_log.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

test("an edit goes out 10, 30, 60, 80, 100; a bad one is gone before it hurts many, and who was hurt is known [V1 V4 V5 V6 V8 V11]", async (t) => {
  const traits = { idempotent: false, risk: "low" };
  const machine = await openToolMachine(t, { "shout.js": shouting("", { traits }) });
  const runtime = await machine.open(canary, { clock: stillClock });
  const heard = listen(runtime);
  await talk(runtime, { name: "before", most: 40, until: () => false });

  await machine.save("shout.js", shouting("/* better */", { traits }));
  await talk(runtime, { name: "good", most: 6000, until: () => heard.at(-1)?.change === "promoted" });
  assert.deepEqual(
    heard.map(({ change, reason }) => /^(advanced|promoted) to \d+ %/.exec(reason)?.[0] ?? change),
    ["started", "replayed", "advanced to 30 %", "advanced to 60 %", "advanced to 80 %", "promoted to 100 %"],
  );
  for (const { reason } of heard.slice(2, 5)) {
    assert.match(
      reason,
      /: [\d,]+ canary calls, 0 failed \(stable [\d.]+ % at the same time\); as good as stable is [\d,.]+/,
    );
  }
  const next = await runtime.call("shout", { text: "a" }, { conversationId: "ses_next" });
  assert.deepEqual([next.route, next.canaryBucket], ["stable", null]);
  const promoted = next.version;

  heard.length = 0;
  const bad = shouting(failsThreeInTen, { traits });
  await machine.save("shout.js", bad);
  await talk(runtime, { name: "bad", most: 3000, until: () => heard.at(-1)?.change === "rolled_back" });
  assert.match(heard.at(-1)!.reason, /^rolled back: \d+ canary calls, \d+ failed \(stable [\d.]+ % at the same time\)/);
  const after = await runtime.call("shout", { text: "bad 1" }, { conversationId: "ses_bad_1" });
  assert.deepEqual([after.state, after.version, after.route], ["completed", promoted, "stable"]);
  assert.equal(await readFile(join(machine.folder, "shout.js"), "utf8"), bad);

  const rollouts = await runtime.rollouts();
  const { harm, release } = await rollouts.explain("shout");
  const version = `shout@${release.rollout!.hash.slice(0, 12)}`;
  const all = await runtime.list({ toolId: "shout", limit: 10_000 });
  const tried = all.filter((each) => each.route === "canary" && each.version === version).length;
  assert.ok(tried >= 4 && tried <= 60, `${tried} canary calls`);
  const failed = await runtime.list({ toolId: "shout", states: ["failed"], limit: 100 });
  assert.equal(harm?.harmed, failed.length);
  assert.equal(harm.saved, 0);
  assert.deepEqual(
    new Set(harm.calls.map(({ executionId }) => executionId)),
    new Set(failed.map(({ id }) => id).slice(-20)),
  );
  assert.equal(
    failed.every(({ route }) => route === "canary"),
    true,
  );
  // Nobody is failed twice.
  assert.equal(new Set(failed.map(({ conversationId }) => conversationId)).size, failed.length);

  const feedback = await rollouts.feedback("shout", 100);
  assert.deepEqual(
    feedback.map(({ count, route, signature }) => [count, route, typeof signature]),
    [[failed.length, "canary", "string"]],
  );
  await runtime.close();

  const status = (await machine.json(["rollout", "status", "shout"])) as Line;
  const explained = (await machine.json(["rollout", "explain", "shout"])) as { view: Line; harm: { harmed: number } };
  const [last] = (await machine.json(["rollout", "history", "shout"])) as Line[];
  assert.deepEqual([status["status"], status["stable"], status["canary"]], ["rolled_back", promoted, version]);
  assert.deepEqual(explained.view, status);
  assert.deepEqual([last?.type, last?.["version"], last?.["reason"]], ["rolled_back", version, status["reason"]]);
  assert.equal(explained.harm.harmed, failed.length);

  const lines = await readLog(machine.workdir);
  const outcomes = lines.filter(
    ({ type, route }) => (type === "tool_result" || type === "tool_error") && route === "canary",
  );
  assert.ok(outcomes.length > 500);
  for (const line of outcomes) {
    const { tool_name, tool_version, latency_ms, status: state, canary_bucket: bucket } = line;
    assert.equal(tool_name, "shout");
    assert.match(String(tool_version), /^shout@[0-9a-f]{12}$/);
    assert.equal(typeof latency_ms, "number");
    assert.ok(Number.isInteger(bucket) && (bucket as number) >= 0 && (bucket as number) < 10_000);
    assert.equal(state, line.type === "tool_result" ? "ok" : "error");
    assert.equal(line["error_type"], state === "ok" ? null : "threw");
  }
  const changes = lines.filter(({ type }) => type === "rollout").map(({ change }) => change);
  assert.deepEqual(changes, [
    "live",
    "started",
    "replayed",
    "advanced",
    "advanced",
    "advanced",
    "promoted",
    "started",
    "replayed",
    "rolled_back",
  ]);
  const verified = await machine.run(["log", "verify"]);
  assert.equal(verified.code, 0, verified.stderr + verified.stdout);
});

test("a tool that may be repeated harms nobody: stable answers what the canary fails [V5 V9]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(canary, { clock: stillClock });
  const heard = listen(runtime);
  await talk(runtime, { name: "before", most: 10, until: () => false });
  // The inputs recorded so far pass on it.
  await machine.save("shout.js", shouting(`if (!input.text.startsWith("before")) { ${failsThreeInTen} }`));
  await talk(runtime, { name: "bad", most: 3000, until: () => heard.at(-1)?.change === "rolled_back" });
  assert.match(heard.at(-1)!.reason, /^rolled back: \d+ canary calls, \d+ failed/);
  const all = await runtime.list({ toolId: "shout", limit: 5000 });
  assert.deepEqual(new Set(all.map(({ state }) => state)), new Set(["completed"]));
  const { harm } = await (await runtime.rollouts()).explain("shout");
  assert.equal(harm?.harmed, 0);
  assert.ok(harm.saved >= 4, `${harm.saved}`);
  const [feedback] = await (await runtime.rollouts()).feedback("shout", 10);
  assert.deepEqual([feedback?.count, feedback?.route], [harm.saved, "canary"]);
  // Given to the canary, answered by stable: the record says both.
  const [stable] = await (await runtime.rollouts()).list("shout");
  const answered = all.filter(({ route, version }) => route === "canary" && version === stable?.stable);
  assert.equal(answered.length, harm.saved);
});

test("a canary that fails what was recorded is gone before anybody gets it [V10]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(canary);
  const heard = listen(runtime);
  await talk(runtime, { name: "before", most: 20, until: () => false });
  await machine.save("shout.js", shouting(failsThreeInTen));
  await talk(runtime, { name: "after", most: 50, until: () => false });
  assert.deepEqual(
    heard.map(({ change }) => change),
    ["started", "replayed", "rolled_back"],
  );
  assert.match(
    heard.at(-1)!.reason,
    /^Rolled back before anybody got it: \d+ of 20 replayed calls pass on stable and fail here/,
  );
  const all = await runtime.list({ toolId: "shout", limit: 100 });
  assert.deepEqual(new Set(all.map(({ route, state }) => `${route} ${state}`)), new Set(["stable completed"]));
});
