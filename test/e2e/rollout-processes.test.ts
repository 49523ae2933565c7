import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Runtime } from "../../src/runtime/create-runtime.ts";
import type { Settings } from "../../src/config/settings.ts";
import { until } from "../support/runtime.ts";
import { openToolMachine, shouting, type ToolMachine } from "./tool-machine.ts";

/** Nearly everybody gets the canary at once. */
const nearlyAll: Settings = { rollout: { mode: "canary", low: { stages: [99, 100] } } };

function shout(runtime: Runtime, text: string, conversationId = "ses_1") {
  return runtime.call("shout", { text }, { conversationId });
}

/** A canary that nearly everybody gets; the conversations that do. */
async function startCanary(machine: ToolMachine, runtime: Runtime, content: string): Promise<string> {
  await shout(runtime, "a");
  await machine.save("shout.js", content);
  for (let index = 0; index < 100; index++) {
    const { route } = await shout(runtime, "a", `ses_${index}`);
    if (route === "canary") return `ses_${index}`;
  }
  throw new Error("Nobody got the canary.");
}

test("version and route are in the record before the call runs: a process that is killed leaves them there [V2]", async (t) => {
  const traits = { idempotent: false, risk: "low" };
  const waits = `if (input.text === "wait") return new Promise(() => setInterval(() => {}, 1000));`;
  const machine = await openToolMachine(t, { "shout.js": shouting(waits, { traits }) });
  const runtime = await machine.open(nearlyAll);
  await startCanary(machine, runtime, shouting(`/* new */ ${waits}`, { traits }));
  const [view] = await (await runtime.rollouts()).list("shout");
  const { child, ended } = machine.start(["tool", "shout", JSON.stringify({ text: "wait" })]);
  const row = await until("the call is in the records", async () => {
    const [found] = await runtime.list({ toolId: "shout", states: ["running"], limit: 1 });
    return found;
  });
  child.kill("SIGKILL");
  await ended;
  const left = await runtime.get(row.id);
  assert.equal(left?.state, "running");
  // One in a hundred goes to stable.
  assert.equal(left.version, left.route === "canary" ? view?.canary : view?.stable);
  assert.ok(Number.isInteger(left.canaryBucket));
  const next = await machine.open(nearlyAll);
  const lost = await next.get(row.id);
  assert.deepEqual([lost?.state, lost?.version, lost?.route], ["failed", left.version, left.route]);
});

test("a person's order counts from the next call on, in every process [V5]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("") });
  const runtime = await machine.open(nearlyAll);
  const conversation = await startCanary(machine, runtime, shouting("/* new */"));
  const canary = (await shout(runtime, "b", conversation)).version;

  const back = await machine.run(["rollout", "rollback", "shout", "--reason", "not today"]);
  assert.equal(back.code, 0, back.stderr);
  const stable = await shout(runtime, "b", conversation);
  assert.deepEqual([stable.route, stable.version === canary], ["stable", false]);
  // Saved once more, and in a new process: it stays out.
  await machine.save("shout.js", shouting("/* new */"));
  assert.equal((await shout(runtime, "c", conversation)).version, stable.version);
  const started = await machine.run(["tool", "shout", JSON.stringify({ text: "d" })]);
  assert.deepEqual([started.code, started.stdout], [0, "D\n"]);
  const [latest] = await runtime.list({ limit: 1 });
  assert.equal(latest?.version, stable.version);

  const all = await machine.run(["rollout", "promote", "shout", "--all"]);
  assert.equal(all.code, 0, all.stderr);
  assert.deepEqual([(await shout(runtime, "e")).version, (await shout(runtime, "e")).route], [canary, "stable"]);
});

test("promoted to everybody while calls run: each ends on the version it began with [V5 C10]", async (t) => {
  const slow = `await new Promise((resolve) => setTimeout(resolve, 30));`;
  const text = (word: string): string =>
    shouting(`/* ${word} */`).replace("(input, context) => {", `async (input, context) => { ${slow}`);
  const machine = await openToolMachine(t, { "shout.js": text("old") });
  const runtime = await machine.open(nearlyAll);
  await startCanary(machine, runtime, text("new"));
  const before = Array.from({ length: 20 }, (_, index) => shout(runtime, "x", `ses_many_${index}`));
  const view = await (await runtime.rollouts()).promote("shout", { to: "all" });
  const after = Array.from({ length: 20 }, (_, index) => shout(runtime, "x", `ses_many_${index}`));
  const ended = await Promise.all([...before, ...after]);
  assert.deepEqual(new Set(ended.map(({ state }) => state)), new Set(["completed"]));
  assert.deepEqual(
    new Set(ended.slice(20).map(({ version, route }) => `${version} ${route}`)),
    new Set([`${view.stable} stable`]),
  );
});

test("what is told of tool files agrees with what calls take, also before anything was called [V1]", async (t) => {
  const machine = await openToolMachine(t, { "shout.js": shouting("", { description: "Old words." }) });
  const looked = await machine.run(["tools"]);
  assert.deepEqual([looked.code, looked.stderr], [0, ""]);
  const runtime = await machine.open(nearlyAll);
  await startCanary(machine, runtime, shouting("/* new */", { description: "New words." }));
  const [{ stable } = {}] = await (await runtime.rollouts()).list("shout");
  const shown = (await machine.json(["tools", "shout"])) as Record<string, unknown>;
  assert.deepEqual(
    [shown["version"], shown["description"], shown["state"], shown["release"]],
    [stable, "Old words.", "loaded", "tried"],
  );
  const { stderr } = await machine.run(["tools"]);
  assert.match(
    stderr,
    /tools\/shout\.js: what it has now is being tried on a part of the calls; shout@[0-9a-f]{12} is stable/,
  );
  await (await runtime.rollouts()).rollback("shout", { kind: "soft" });
  assert.match((await machine.run(["tools"])).stderr, /what it has now was rolled back; shout@[0-9a-f]{12} is stable/);
});

const script = ["a", "b", "c"].map((text) => ["tool", "shout", JSON.stringify({ text })]);

test("where rollouts are off nothing is said or recorded of them: calls are as they are where none is tried [V1]", async (t) => {
  const outputs: string[] = [];
  for (const mode of ["off", "canary"]) {
    const machine = await openToolMachine(t, { "shout.js": shouting("") });
    const said: string[] = [];
    for (const args of [...script, ["tool", "shout", '{"text":7}']]) {
      const { code, stdout, stderr } = await machine.run(args, { env: { DECKHAND_ROLLOUT_MODE: mode } });
      said.push(`${code} ${stdout} ${stderr}`);
    }
    const calls = (await machine.json(["calls", "list"])) as Record<string, unknown>[];
    const log = await readFile(join(machine.workdir, ".deckhand", "logs", "chat_log.jsonl"), "utf8");
    const lines = log
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(
      lines.some(({ type }) => type === "rollout"),
      mode === "canary",
    );
    said.push(JSON.stringify(calls.map(withoutAccidents)));
    said.push(JSON.stringify(lines.filter(({ type }) => type !== "rollout").map(withoutAccidents)));
    outputs.push(said.join("\n"));
  }
  assert.equal(outputs[0], outputs[1]);
});

/** What differs from one run to the next: ids, times, processes and the chain. */
function withoutAccidents(record: Record<string, unknown>): Record<string, unknown> {
  const accidents = /^(?:id|at|hash|prev|seq|after|writer|owner|.*_at|.*_ms|.*_id|pid)$/;
  return Object.fromEntries(Object.entries(record).filter(([key]) => !accidents.test(key)));
}
