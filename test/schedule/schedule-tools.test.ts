import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import { until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openScheduled, runHere, untilEnded, writeTool } from "./schedule-bench.ts";

test("a job keeps its tool by the file, also when another file has the name by then [D1]", async (t) => {
  const { schedule, home, runtime } = await openScheduled(t);
  await writeTool(home, "zebra.ts", { name: "stripes", says: "from zebra.ts" });
  const job = await schedule.add({ name: "daily", every: "1d", tool: "stripes" }, { by: "kim" });
  assert.deepEqual(job.work, {
    kind: "tool",
    toolName: "stripes",
    toolRef: { kind: "custom_file", file: "tools/zebra.ts", toolName: "stripes", entrypoint: "run" },
    input: {},
  });
  const first = await runHere(schedule, "daily");
  assert.deepEqual([first.state, first.summary], ["succeeded", "from zebra.ts"]);
  const call = await runtime.get(first.executionId!);
  assert.deepEqual([call?.door, call?.conversationId, call?.permission?.by], ["schedule", job.id, "order"]);

  // Another one takes the name while this one is away.
  await rm(join(home, "tools", "zebra.ts"));
  await writeTool(home, "ant.ts", { name: "stripes", says: "from ant.ts" });
  await runtime.reloadTools();
  await writeTool(home, "zebra.ts", { name: "stripes", says: "from zebra.ts again" });
  await until(
    "the file is a tool again, and only its name is taken",
    async () => {
      await runtime.reloadTools();
      const zebra = runtime.customTools().files.find(({ file }) => file === "tools/zebra.ts");
      return zebra?.problem?.message === 'ant.ts already has a tool named "stripes".';
    },
    120_000,
  );
  assert.equal((await runtime.call("stripes")).result?.output, "from ant.ts");
  assert.equal((await runHere(schedule, "daily")).summary, "from zebra.ts again");
});

test("a job whose tool file is gone fails with a sentence, and is not tried again [D1]", async (t) => {
  const { schedule, home } = await openScheduled(t);
  await writeTool(home, "report.ts", { name: "report", says: "fine" });
  await schedule.add({ name: "r", every: "1d", file: "tools/report.ts", retries: 3, pause_after: 1 }, { by: "kim" });
  await rm(join(home, "tools", "report.ts"));
  const run = await runHere(schedule, "r");
  assert.deepEqual([run.state, run.attempt], ["failed", 1]);
  assert.equal(run.reason, "tools/report.ts, the file of the tool report, is gone: put it back, or remove the job.");
  assert.equal((await schedule.find("r")).paused?.by, "schedule");
});

test("a file that is no tool, or is not there, is refused with the tool file that is meant [D1]", async (t) => {
  const { schedule, home } = await openScheduled(t);
  await writeTool(home, "report.ts", { name: "report", says: "fine" });
  for (const file of ["tools/report.test.ts", "notes.md"]) await writeFile(join(home, file), "");
  const order = { name: "r", every: "1d" };
  for (const [file, told] of [
    ["report.ts", "There is no file report.ts: did you mean tools/report.ts?"],
    ["tools/report.test.ts", "tools/report.test.ts is no tool file: did you mean tools/report.ts?"],
    ["notes.md", 'notes.md is no tool file: those lie in the folder "tools".'],
  ] as const) {
    await assert.rejects(schedule.add({ ...order, file }, { by: "kim" }), { code: "JOB_INVALID", message: told });
  }
});

test("in safe mode a job of a tool file is skipped, is not paused for that, and runs again after it [D1] [D3]", async (t) => {
  const home = await temporaryFolder(t);
  const safe = await openScheduled(t, { home, safeMode: true });
  await writeTool(home, "report.ts", { name: "report", says: "fine" });
  const before = await openScheduled(t, { home });
  await before.schedule.add({ name: "r", every: "1d", file: "tools/report.ts", pause_after: 1 }, { by: "kim" });
  await before.schedule.add({ name: "i", every: "1d", improve: "report", pause_after: 1 }, { by: "kim" });
  await before.runtime.close();
  const reason = "Safe mode is on (DECKHAND_SAFE_MODE=1): tool files and tools of MCP servers are left out.";
  for (const name of ["r", "r", "i"]) {
    const run = await runHere(safe.schedule, name);
    assert.deepEqual([run.state, run.reason, run.attempt], ["skipped", reason, 1]);
    assert.equal((await safe.schedule.find(name)).paused, null);
  }
  assert.deepEqual(
    (await safe.schedule.list()).map(({ job, passedOver }) => [job.name, passedOver]),
    [
      ["i", 1],
      ["r", 2],
    ],
  );
  assert.doesNotMatch(JSON.stringify(safe.runtime.customTools().files), /bubblewrap|strict mode/);
  await safe.runtime.close();
  const after = await openScheduled(t, { home });
  assert.equal((await runHere(after.schedule, "r")).summary, "fine");
});

test("what the grant denies is refused, for calls of this job only [D1]", async (t) => {
  const { schedule, runtime } = await openScheduled(t);
  const order = { every: "1d", tool: "bash", input: { command: "echo hello" } };
  await schedule.add({ ...order, name: "free" }, { by: "kim" });
  await schedule.add({ ...order, name: "bound", deny: ["bash(echo *)"], retries: 2 }, { by: "kim" });
  assert.equal((await runHere(schedule, "free")).summary?.trim(), "hello");
  const refused = await runHere(schedule, "bound");
  assert.deepEqual([refused.state, refused.attempt], ["failed", 1]);
  assert.match(refused.reason!, /deny bash\(echo \*\)/);
  assert.equal((await runtime.call("bash", { command: "echo hello" })).state, "completed");
});

/** The system's clock, with an eye on timers of one length. */
function watchTimers(delayMs: number): {
  readonly clock: Clock;
  readonly started: () => number;
  readonly ended: () => number;
} {
  let [started, ended] = [0, 0];
  return {
    started: () => started,
    ended: () => ended,
    clock: {
      ...systemClock,
      after(ms, callback) {
        const cancel = systemClock.after(ms, callback);
        // What is left of it counts as well.
        if (ms <= delayMs - 600_000 || ms > delayMs) return cancel;
        started += 1;
        return () => {
          ended += 1;
          cancel();
        };
      },
    },
  };
}

test("danger waits in the inbox whatever the grant says, and the time limit stands still meanwhile [D1] [L7] [G8]", async (t) => {
  const limit = watchTimers(1_234_567_000);
  const { schedule, runtime, home } = await openScheduled(t, { clock: limit.clock });
  const command = `rm -rf ${join(home, "old")}`;
  await schedule.add(
    { name: "tidy", every: "1d", tool: "bash", input: { command }, allow: ["bash"], timeout: "1234567s" },
    { by: "kim" },
  );
  const asked = Promise.withResolvers<string>();
  runtime.on("inbox:added", ({ id }) => asked.resolve(id));
  const running = runHere(schedule, "tidy");
  const id = await asked.promise;
  const entry = await runtime.inbox.get(id);
  assert.deepEqual([entry?.kind, entry?.approval?.isDanger], ["approval", true]);
  assert.deepEqual(entry?.origin, { door: "schedule", toolName: "bash", jobName: "tidy" });
  assert.deepEqual([limit.started(), limit.ended()], [1, 1]);
  assert.equal((await runtime.inbox.decide(id, { allow: true }, "kim")).ok, true);
  const run = await running;
  assert.deepEqual([run.state, run.reason], ["succeeded", null]);
  assert.deepEqual([limit.started(), limit.ended()], [2, 2]);
});

test("a question of a tool waits in the inbox, and its answer reaches the tool [D1] [L7]", async (t) => {
  const asks = defineTool({
    name: "asks",
    description: "Asks.",
    traits: { readOnly: true },
    input: z.object({}),
    async run(_, { ask }) {
      const answer = await ask({ text: "Which branch?" });
      return { ok: true, output: answer.answered ? answer.text : "nobody" };
    },
  });
  const { schedule, runtime } = await openScheduled(t, { tools: [asks] });
  await schedule.add({ name: "q", every: "1d", tool: "asks" }, { by: "kim" });
  runtime.on("inbox:added", ({ id }) => void runtime.inbox.answer(id, { text: "main" }, "kim"));
  assert.equal((await runHere(schedule, "q")).summary, "main");
  // Outside of a job nobody is asked here.
  assert.equal((await runtime.call("asks")).result?.output, "nobody");
});

test("what a person saves while a question waits is not taken for an agent's [D1] [L7]", async (t) => {
  const { schedule, home, runtime } = await openScheduled(t);
  await writeTool(home, "report.ts", { name: "report", says: "before" });
  await schedule.add({ name: "q", every: "1d", tool: "ask_user", input: { question: "Which?" } }, { by: "kim" });
  runtime.on("inbox:added", ({ id }) => {
    void writeTool(home, "report.ts", { name: "report", says: "after" }).then(() =>
      runtime.inbox.answer(id, { text: "this" }, "kim"),
    );
  });
  assert.equal((await runHere(schedule, "q")).state, "succeeded");
  await runtime.reloadTools();
  assert.deepEqual(
    runtime.customTools().files.map(({ file, state, problem }) => [file, state, problem]),
    [["tools/report.ts", "loaded", null]],
  );
  assert.equal((await runtime.call("report")).result?.output, "after");
});

test("what fails each time is run each time: nothing but the schedule stops it [D1]", async (t) => {
  let runs = 0;
  const breaks = defineTool({
    name: "breaks",
    description: "Breaks.",
    input: z.object({}),
    run: () => Promise.resolve({ ok: false, error: `broken ${++runs}` }),
  });
  const { schedule } = await openScheduled(t, { tools: [breaks] });
  await schedule.add({ name: "b", every: "1d", tool: "breaks", pause_after: 0 }, { by: "kim" });
  for (let n = 1; n <= 6; n++) assert.equal((await runHere(schedule, "b")).reason, `broken ${n}`);
});

test("closing in the middle of runs leaves rows that are true: cancelled, or due again, with its key, where twice is once [D1]", async (t) => {
  const started = new Map<string, string | undefined>();
  const waits = defineTool({
    name: "waits",
    description: "Waits for its signal.",
    input: z.object({ n: z.string() }),
    async run({ n }, { signal, idempotencyKey }) {
      started.set(n, idempotencyKey);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      return { ok: false, error: "stopped" };
    },
  });
  const { schedule, runtime, home } = await openScheduled(t, { tools: [waits] });
  const order = { every: "1d", tool: "waits" };
  await schedule.add({ ...order, name: "once", input: { n: "once" } }, { by: "kim" });
  await schedule.add({ ...order, name: "again", input: { n: "again" }, idempotent: true }, { by: "kim" });
  await schedule.start();
  assert.equal(await schedule.isServed(), "yes");
  const once = await schedule.runNow("once", { by: "kim" });
  const again = await schedule.runNow("again", { by: "kim" });
  await until("both run", () => started.size === 2);
  await runtime.close();

  const tellsKey = defineTool({
    name: "waits",
    description: "Tells its key.",
    input: z.object({ n: z.string() }),
    run: async (_, { idempotencyKey = "none" }) => ({ ok: true, output: idempotencyKey }),
  });
  const next = await openScheduled(t, { home, tools: [tellsKey] });
  assert.equal(await next.schedule.isServed(), "no");
  const [cancelled, due] = [await next.schedule.getRun(once.id), await next.schedule.getRun(again.id)];
  assert.deepEqual([cancelled?.state, cancelled?.reason], ["cancelled", "Deckhand was stopped."]);
  assert.deepEqual([due?.state, due?.owner], ["due", null]);
  assert.equal((await next.runtime.get(cancelled!.executionId!))?.state, "cancelled");
  await next.schedule.start();
  const key = `${again.jobId}:${again.dueAt}`;
  assert.deepEqual([started.get("again"), (await untilEnded(next.schedule, again.id)).summary], [key, key]);
  assert.equal(started.get("once"), `${once.jobId}:${once.dueAt}`);
  assert.equal((await next.runtime.call("waits", { n: "unscheduled" })).result?.output, "none");
  assert.equal((await next.schedule.getRun(once.id))?.state, "cancelled");
});

test("a cancel that comes while a run is ordered is not lost: nothing is begun [D1]", async (t) => {
  const { schedule, runtime } = await openScheduled(t);
  await schedule.add({ name: "c", every: "1d", tool: "bash", input: { command: "true" } }, { by: "kim" });
  const stop = new AbortController();
  const running = schedule.carryOut("c", { by: "kim", signal: stop.signal });
  stop.abort();
  const run = await running;
  assert.deepEqual([run.state, run.reason, run.startedAt], ["cancelled", "Cancelled by kim.", null]);
  assert.deepEqual(await runtime.list({ limit: 10 }), []);
});
