import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Runtime, RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import { inMode } from "../process/support.ts";
import { runHere } from "../schedule/schedule-bench.ts";
import { until } from "../support/runtime.ts";
import { openToolBench, say, saying, type ToolBench } from "./support.ts";

/** An agent's command that runs until the file `go` is there. */
async function whileAgentRuns(bench: ToolBench, runtime: Runtime, work: (id: string) => Promise<void>): Promise<void> {
  const command = "touch began; while [ ! -e go ]; do sleep 0.05; done";
  const call = runtime.call("bash", { command }, { door: "agent" });
  await until("the command runs", () => runtime.get(call.id).then((found) => found?.state === "running"));
  await work(call.id);
  await writeFile(join(bench.home, "go"), "");
  const { state, error } = await call;
  assert.equal(state, "completed", error ?? "");
}

function config(sandbox: "off" | "require"): RuntimeConfig {
  return { settings: { sandbox, permissions: { allow: ["*"] } } };
}

test(
  "a command in a sandbox can't change a tool file, and an edit by the person meanwhile is live at once [C11]",
  inMode("require"),
  async (t) => {
    const bench = await openToolBench(t, { "say.ts": saying("before") });
    const runtime = await bench.open(config("require"));
    const command = "echo // >> tools/say.ts || mv tools away || touch tools/new.ts";
    const { state } = await runtime.call("bash", { command }, { door: "agent" });
    assert.equal(state, "failed");
    await whileAgentRuns(bench, runtime, async () => {
      await bench.save("say.ts", saying("edited"));
      assert.equal(await say(runtime), "edited");
    });
    assert.equal(await say(runtime), "edited");
    assert.deepEqual(createTrust(bench.home, bench.env).quarantined(), []);
  },
);

test("without a sandbox an edit while an agent's command runs is held with what is known, and jobs run the version before [C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("before") });
  const runtime = await bench.open(config("off"));
  const schedule = await runtime.schedule();
  await schedule.add({ name: "mine", every: "1h", tool: "say", input: {} }, { by: "kim" });
  assert.equal(await say(runtime), "before");
  await whileAgentRuns(bench, runtime, async (id) => {
    await bench.save("say.ts", saying("edited"));
    assert.equal(await say(runtime), "before");
    const [waiting] = createTrust(bench.home, bench.env).quarantined();
    assert.equal(waiting?.reason, `It changed while call ${id} (bash) was running without a sandbox`);
    const run = await runHere(schedule, "mine");
    assert.deepEqual([run.state, run.reason], ["succeeded", null]);
  });
  const [status] = runtime.customTools().files;
  assert.deepEqual([status?.state, status?.isCurrent], ["quarantined", false]);
  assert.equal((await runHere(schedule, "mine")).state, "succeeded");
  bench.trust();
  await (await runtime.rollouts()).list("say");
  // An edit after the command has ended is the person's own.
  await bench.save("say.ts", saying("later"));
  assert.equal(await say(runtime), "later");
});

test("a call that began after the change is not blamed for it [C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("before") });
  const runtime = await bench.open(config("off"));
  assert.equal(await say(runtime), "before");
  await bench.save("say.ts", saying("edited"));
  await whileAgentRuns(bench, runtime, async () => {
    assert.equal(await say(runtime), "edited");
  });
  assert.equal(await say(runtime), "edited");
});

test("what a background process without a sandbox writes between two calls is held, also for the next program [C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("before") });
  const runtime = await bench.open(config("off"));
  assert.equal(await say(runtime), "before");
  await writeFile(join(bench.home, "evil.txt"), saying("evil"));
  const command = "while [ ! -e go ]; do sleep 0.05; done; cp evil.txt tools/say.ts; touch done; sleep 600";
  const started = await runtime.call("bash", { command, background: true }, { door: "agent" });
  assert.equal(started.state, "completed", started.error ?? "");
  await writeFile(join(bench.home, "go"), "");
  await until("the background process has written", () => existsSync(join(bench.home, "done")));
  assert.equal(await say(runtime), "before");
  await runtime.close();
  const later = await bench.open(config("off"));
  assert.equal(await say(later), "before");
  const [waiting] = createTrust(bench.home, bench.env).quarantined();
  assert.equal(waiting?.executionId, started.id);
  assert.match(waiting.diff, /-.*"before"[^]*\+.*"evil"/);
});

test("a trusted file whose tool says something else of itself is held until that is approved [C11]", async (t) => {
  const changing = { traits: { read_only: false, risk: "high" } };
  const bench = await openToolBench(t, { "say.ts": saying("before", changing) });
  const runtime = await bench.open(config("off"));
  assert.equal(await say(runtime), "before");
  await bench.save("say.ts", saying("edited", changing));
  assert.equal(await say(runtime), "edited");
  await bench.save("say.ts", saying("claims", { traits: { read_only: true } }));
  assert.equal(await say(runtime), "edited");
  const [status] = runtime.customTools().files;
  assert.equal(
    status?.problem?.message,
    "Its traits changed: read_only: false → true, risk: high → low, idempotent: false → true, replay: never → safe.",
  );
  await runtime.close();
  const later = await bench.open(config("off"));
  assert.equal(await say(later), "edited");
  bench.trust();
  assert.equal(await say(later), "claims");
  await bench.save("say.ts", saying("once more", { traits: { read_only: true } }));
  assert.equal(await say(later), "once more");
});

test("the mode plan does not believe a tool file that says it only reads, unless a rule allows the tool [C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("said") });
  const plan = await bench.open({ settings: { permissions: { mode: "plan" } } });
  const refused = await plan.call("say", {}, { door: "agent" });
  assert.equal(refused.state, "cancelled");
  assert.match(refused.error ?? "", /that say only reads is its own claim/);
  const named = await bench.open({ settings: { permissions: { mode: "plan", allow: ["say"] } } });
  assert.equal((await named.call("say", {}, { door: "agent" })).state, "completed");
});

test("what an agent of a task writes is held [C11]", async (t) => {
  const bench = await openToolBench(t, { "say.ts": saying("before") });
  await writeFile(join(bench.home, "evil.txt"), saying("evil"));
  const { settings } = config("off");
  const runtime = await bench.open({ settings: { ...settings, agents: { shell: { command: ["sh", "-s"] } } } });
  assert.equal(await say(runtime), "before");
  const tasks = await runtime.tasks();
  const { id } = await tasks.start({ agent: "shell", door: "mcp", message: "cp evil.txt tools/say.ts; echo done" });
  await until("its end", async () => (await tasks.wait(id, 1000)).completedAt !== null, 60_000);
  assert.equal(await say(runtime), "before");
  const [waiting] = createTrust(bench.home, bench.env).quarantined();
  assert.equal(waiting?.reason, `It changed while task ${id} was running without a sandbox`);
});
