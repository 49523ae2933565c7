import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { warnOfWork } from "../../src/schedule/jobs/warn-of-job.ts";
import { isolatedEnvironment, until } from "../support/runtime.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { mended, recordCalls, replying } from "../tool-files/improve/improve-bench.ts";
import { openScheduled, runHere, untilEnded } from "./schedule-bench.ts";

const agents = { helper: { command: ["sh", "-s"] as [string, ...string[]] } };
const bash = (command: string) => ({ calls: [{ tool: "bash", input: { command } }] });

test("a prompt is a new session for each run; its grant lets calls through, others wait in the inbox [D1] [L7]", async (t) => {
  const { schedule, runtime, home } = await openScheduled(t);
  await writeFile(
    join(home, "script.json"),
    JSON.stringify({ turns: [bash("touch allowed.txt"), bash("touch other.txt"), "All done."] }),
  );
  await schedule.add(
    { name: "p", every: "1d", prompt: "Tidy up.", model: "script:script.json", allow: ["bash(touch allowed.txt)"] },
    { by: "kim" },
  );
  const asked: string[] = [];
  runtime.on("inbox:added", ({ id }) => {
    asked.push(id);
    void runtime.inbox.decide(id, { allow: false, reason: "not that" }, "kim");
  });
  const [first, second] = [await runHere(schedule, "p"), await runHere(schedule, "p")];
  assert.deepEqual([first.state, first.summary], ["succeeded", "All done."]);
  assert.notEqual(first.sessionId, null);
  assert.notEqual(first.sessionId, second.sessionId);
  assert.equal(asked.length, 2);
  assert.deepEqual([existsSync(join(home, "allowed.txt")), existsSync(join(home, "other.txt"))], [true, false]);
  const calls = await runtime.list({ conversationId: first.sessionId!, limit: 10 });
  assert.deepEqual(
    new Set(calls.map(({ state, permission }) => `${state} by ${permission?.by}`)),
    new Set(["completed by grant", "cancelled by person"]),
  );
});

test("a question of a prompt names its job, tool and conversation [D1] [L7]", async (t) => {
  const { schedule, runtime, home } = await openScheduled(t);
  const question = { calls: [{ tool: "ask_user", input: { question: "Which?" } }] };
  await writeFile(join(home, "script.json"), JSON.stringify({ turns: [question, "All done."] }));
  await schedule.add({ name: "p", every: "1d", prompt: "Ask.", model: "script:script.json" }, { by: "kim" });
  runtime.on("inbox:added", ({ id }) => void runtime.inbox.answer(id, { text: "this" }, "kim"));
  const run = await runHere(schedule, "p");
  const [entry] = await runtime.inbox.list();
  assert.equal(entry!.conversationId, run.sessionId);
  assert.deepEqual(entry!.origin, { door: "agent", toolName: "ask_user", jobName: "p" });
});

test("a background agent goes on when the daemon is closed, is adopted by the next one, and ran once [D1] [T6]", async (t) => {
  const home = await temporaryFolder(t);
  const first = await openScheduled(t, { home, settings: { agents } });
  const message = "echo began >> began.txt; until [ -e go ]; do sleep 0.05; done; echo finished";
  await first.schedule.add({ name: "a", every: "1d", agent: "helper", message }, { by: "kim" });
  await first.schedule.start();
  const ordered = await first.schedule.runNow("a", { by: "kim" });
  await until("it runs", () => existsSync(join(home, "began.txt")), 30_000);
  await until("its task is noted", async () => (await first.schedule.getRun(ordered.id))?.taskId ?? undefined);
  await first.runtime.close();

  const second = await openScheduled(t, { home, settings: { agents } });
  const left = await second.schedule.getRun(ordered.id);
  assert.deepEqual([left?.state, left?.owner], ["running", null]);
  await second.schedule.start();
  await writeFile(join(home, "go"), "");
  const ended = await untilEnded(second.schedule, ordered.id);
  assert.deepEqual([ended.state, ended.summary, ended.attempt], ["succeeded", "finished", 1]);
  assert.equal(readFileSync(join(home, "began.txt"), "utf8"), "began\n");
  const [task, ...others] = await (await second.runtime.tasks()).list({ limit: 10 });
  assert.deepEqual([task?.id, task?.door, others], [ended.taskId, "schedule", []]);
});

test("a background agent whose job was removed while no daemon was there is stopped by the next one [D1] [T6]", async (t) => {
  const home = await temporaryFolder(t);
  const first = await openScheduled(t, { home, settings: { agents } });
  const message = "echo began >> began.txt; until [ -e go ]; do sleep 0.05; done; echo finished";
  await first.schedule.add({ name: "a", every: "1d", agent: "helper", message }, { by: "kim" });
  await first.schedule.start();
  const { id } = await first.schedule.runNow("a", { by: "kim" });
  await until("it runs", () => existsSync(join(home, "began.txt")), 30_000);
  await until("its task is noted", async () => (await first.schedule.getRun(id))?.taskId ?? undefined);
  await first.runtime.close();

  const second = await openScheduled(t, { home, settings: { agents } });
  await second.schedule.remove("a", { by: "kim" });
  await second.schedule.start();
  const ended = await untilEnded(second.schedule, id);
  assert.deepEqual([ended.state, ended.reason], ["cancelled", "The job was removed by kim."]);
  const [task] = await (await second.runtime.tasks()).list({ limit: 10 });
  assert.deepEqual([task?.id, task?.state], [ended.taskId, "cancelled"]);
});

test("an agent that fails is another task at the next try [D1]", async (t) => {
  const { schedule, runtime } = await openScheduled(t, { settings: { agents } });
  await schedule.add({ name: "f", every: "1d", agent: "helper", message: "exit 3", retries: 1 }, { by: "kim" });
  // Where nobody is there to try it again, the first try is its end.
  const only = await runHere(schedule, "f");
  assert.deepEqual([only.state, only.attempt], ["failed", 1]);
  await schedule.start();
  const { id, jobId, dueAt } = await schedule.runNow("f", { by: "kim" });
  await until("it is to be tried again", async () => (await schedule.getRun(id))?.attempt === 2);
  const [task] = await (await runtime.tasks()).list({ limit: 10 });
  assert.deepEqual([task?.state, task?.order.idempotencyKey], ["failed", `schedule:${jobId}:${dueAt}`]);
});

test("a job whose agent is not installed fails with how to install it, and is not tried again [D1]", async (t) => {
  const gone = { command: ["no-such-agent"] as [string, ...string[]], install: "npm install -g no-such-agent" };
  const { schedule, runtime } = await openScheduled(t, { settings: { agents: { ...agents, gone } } });
  const job = await schedule.add({ name: "g", every: "1d", agent: "gone", message: "hi", retries: 3 }, { by: "kim" });
  assert.deepEqual(await warnOfWork(runtime, job.work), [
    'The agent "gone" is not installed here: its runs fail until it is. To install it: npm install -g no-such-agent',
  ]);
  const there = await schedule.add({ name: "h", every: "1d", agent: "helper", message: "true" }, { by: "kim" });
  assert.deepEqual(await warnOfWork(runtime, there.work), []);
  await schedule.start();
  const { id } = await schedule.runNow("g", { by: "kim" });
  const ended = await untilEnded(schedule, id);
  assert.deepEqual([ended.state, ended.attempt], ["failed", 1]);
  assert.match(ended.reason!, /^The agent "gone" is not installed: .* To install it: npm install -g no-such-agent$/);
});

test("improve as a job: what passed waits for a person, with its diff, before it is tried [D1] [L7]", async (t) => {
  const home = await temporaryFolder(t);
  await recordCalls({ workdir: home, env: isolatedEnvironment(home) });
  await writeFile(join(home, "script.json"), JSON.stringify({ turns: [replying(mended)] }));
  const { schedule, runtime } = await openScheduled(t, {
    home,
    settings: { model: { name: "script:script.json" }, permissions: { allow: ["*"] } },
  });
  await schedule.add({ name: "better", cron: "@weekly", improve: "initials" }, { by: "kim" });
  const asked = Promise.withResolvers<string>();
  runtime.on("inbox:added", ({ id }) => asked.resolve(id));
  const running = runHere(schedule, "better");
  const entry = await runtime.inbox.get(await asked.promise);
  assert.deepEqual(entry!.origin, { door: "schedule", toolName: null, jobName: "better" });
  assert.match(entry!.approval!.title, /^Begin to try a new version of initials/);
  assert.match(entry!.approval!.preview!.diff!, /style = "upper"/);
  await runtime.inbox.decide(entry!.id, { allow: false }, "kim");
  const declined = await running;
  assert.deepEqual([declined.state, declined.attempt], ["failed", 1]);
  assert.match(declined.reason!, /declined/);
});

test("improve as a job that is allowed to try: what passed is tried at once, and nobody is asked [D1] [L7]", async (t) => {
  const home = await temporaryFolder(t);
  await recordCalls({ workdir: home, env: isolatedEnvironment(home) });
  await writeFile(join(home, "script.json"), JSON.stringify({ turns: [replying(mended)] }));
  const { schedule, runtime } = await openScheduled(t, {
    home,
    settings: { model: { name: "script:script.json" }, permissions: { allow: ["*"] } },
  });
  await schedule.add({ name: "better", cron: "@weekly", improve: "initials", allow: ["improve"] }, { by: "kim" });
  const run = await runHere(schedule, "better");
  assert.deepEqual([run.state, run.reason], ["succeeded", null]);
  assert.match(run.summary!, /initials@[0-9a-f]+/);
  assert.deepEqual(await runtime.inbox.list(), []);
  const [tried] = await (await runtime.rollouts()).list();
  assert.deepEqual([tried?.tool, tried?.status], ["initials", "running"]);
});
