import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { locateFolders } from "../../../src/config/folders.ts";
import { openDatabase } from "../../../src/records/sqlite/database.ts";
import { createSqliteScheduleStore } from "../../../src/records/sqlite/sqlite-schedule-store.ts";
import { afterTest } from "../../support/after-test.ts";
import { isolatedEnvironment, openRuntime, until } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { openApi, steady } from "./open-api.ts";

const nightly = {
  name: "nightly",
  cron: "30 3 * * *",
  time_zone: "Asia/Seoul",
  tool: "bash",
  input: { command: "echo done" },
  allow: ["bash(echo *)"],
};

test("a job is added, listed and shown with its next times, as the command line prints it [D1] [D6]", async (t) => {
  const api = openApi(t, await openRuntime(t));
  const { status, body: answer } = await api.post("/api/jobs", nightly);
  const { warnings, ...added } = answer;
  assert.deepEqual([status, warnings], [200, []]);
  const plain = {
    id: "job_ID",
    name: "nightly",
    work: { kind: "tool", tool_name: "bash", tool_ref: null, input: { command: "echo done" } },
    when: { cron: "30 3 * * *", time_zone: "Asia/Seoul" },
    overlap: "skip",
    missed: { mode: "last", max: 10, window_ms: 604_800_000 },
    jitter_ms: 60_000,
    deadline_ms: null,
    timeout_ms: 3_600_000,
    retries: 0,
    pause_after_failures: 3,
    is_idempotent: false,
    paused: null,
    grant: { allow: ["bash(echo *)"], deny: [] },
    created_at: "TIME",
    planned_until_at: "TIME",
    next_at: "TIME",
    counted_from_at: "TIME",
    version: 1,
  };
  assert.deepEqual(steady(added), plain);
  assert.deepEqual((await api.get("/api/jobs")).body, {
    items: [{ ...added, last_run: null, passed_over: 0 }],
    next: null,
  });
  const { body } = await api.get("/api/jobs/nightly");
  assert.deepEqual({ ...body, next: [], runs: [] }, { ...added, next: [], runs: [] });
  assert.deepEqual([body.next.length, body.runs], [10, []]);
  assert.equal(body.next[0].at, added.next_at);
  assert.match(body.next[0].local, /^\d{4}-\d\d-\d\d 03:30:00 \+09:00$/);
});

test("what would keep a job from doing its work is in the answer to who adds it, and the job is kept [D1] [D6]", async (t) => {
  const home = await temporaryFolder(t);
  const runtime = await openRuntime(t, {
    home,
    env: { ...isolatedEnvironment(home), OLLAMA_HOST: "http://127.0.0.1:9" },
  });
  const api = openApi(t, runtime);
  const added = await api.post("/api/jobs", { name: "ask", every: "1d", prompt: "hi", allow: ["bahs"] });
  assert.deepEqual(
    [added.status, added.body.name, added.body.warnings],
    [
      200,
      "ask",
      [
        'The rule "bahs" is about no tool that is here: there is none named "bahs". Did you mean bash?',
        "Its runs fail as things are: There is no model to ask: name one in the job, or in model.name of the settings.",
      ],
    ],
  );
  assert.equal((await api.get("/api/jobs/ask")).status, 200);
});

test("a run whose process is gone is lost for who asks, in the list, the job and its history [D1] [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const { body: job } = await api.post("/api/jobs", nightly);
  const { body: run } = await api.post("/api/jobs/nightly/run");
  const { database } = locateFolders(runtime.workdir, isolatedEnvironment(runtime.workdir));
  const opened = await openDatabase({ path: database, clock: systemClock });
  afterTest(t, async () => opened.close());
  const store = createSqliteScheduleStore(opened);
  const owner = { pid: 1, startTime: "1", bootId: "before" };
  await store.changeRun(run.id, { from: ["due"], set: { state: "running", owner } });
  const states = [
    (await api.get("/api/jobs")).body.items[0].last_run.state,
    (await api.get(`/api/jobs/${job.id.slice(-8)}`)).body.runs[0].state,
    (await api.get("/api/jobs/nightly/history")).body.items[0].state,
  ];
  assert.deepEqual(states, ["lost", "lost", "lost"]);
  // Nothing is written for that.
  assert.equal((await store.getRun(run.id))?.state, "running");
});

test("a job is paused, resumed, run now and removed, each with who did it [D1] [D6]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const schedule = await runtime.schedule();
  await schedule.start();
  await api.post("/api/jobs", nightly);
  const { body: paused } = await api.post("/api/jobs/nightly/pause", { reason: "holidays" }, { who: "lee" });
  assert.deepEqual(steady(paused.paused), { by: "lee", reason: "holidays", at: "TIME" });
  assert.equal(paused.next_at, null);
  // Twice is the same as once.
  assert.deepEqual((await api.post("/api/jobs/nightly/pause")).body.paused.by, "lee");
  const { body: resumed } = await api.post("/api/jobs/nightly/resume");
  assert.deepEqual([resumed.paused, typeof resumed.next_at], [null, "string"]);
  const { body: run } = await api.post("/api/jobs/nightly/run", {}, { who: "lee" });
  assert.deepEqual([run.job_name, run.trigger, run.reason], ["nightly", "person", "lee wanted it now."]);
  const ended = await until("its end", async () => {
    const { body } = await api.get("/api/jobs/nightly/history");
    return body.items[0]?.ended_at !== null && body.items[0];
  });
  assert.deepEqual([ended.id, ended.state, typeof ended.execution_id], [run.id, "succeeded", "string"]);
  assert.deepEqual((await api.get(`/api/jobs/nightly/history?limit=1&before=${run.id}`)).body, {
    items: [],
    next: null,
  });
  assert.equal((await api.get("/api/jobs/nightly/history?limit=1")).body.next, run.id);
  assert.equal((await api.get("/api/jobs")).body.items[0].last_run.id, run.id);
  assert.equal((await api.post("/api/jobs/nightly/remove")).body.name, "nightly");
  const { status, body } = await api.get("/api/jobs/nightly");
  assert.deepEqual([status, body.error.code], [404, "JOB_UNKNOWN"]);
  // What it did stays, by its name and by its id.
  for (const name of ["nightly", run.job_id]) {
    const { body: left } = await api.get(`/api/jobs/${name}/history`);
    assert.deepEqual([left.items.length, left.items[0].id], [1, run.id]);
  }
  assert.equal((await api.get("/api/jobs/never/history")).status, 404);
});

for (const when of [
  { when: "0 9 * * 1-5", time_zone: "Europe/Berlin" },
  { when: { cron: "0 9 * * 1-5" }, time_zone: "Europe/Berlin" },
  { cron: "0 9 * * 1-5", time_zone: "Europe/Berlin" },
]) {
  test(`${JSON.stringify(when)} is previewed without being kept [D1]`, async (t) => {
    const runtime = await openRuntime(t);
    const { status, body } = await openApi(t, runtime).post("/api/schedule/preview", when);
    assert.deepEqual([status, body.next.length, body.time_zone], [200, 10, "Europe/Berlin"]);
    assert.match(body.next[0].local, / 09:00:00 \+0[12]:00$/);
    assert.deepEqual(await (await runtime.schedule()).list(), []);
  });
}

const wrongTimes: readonly (readonly [body: unknown, sentence: RegExp])[] = [
  [{}, /^Expected one of cron \("0 9 \* \* 1-5"\), every \("15m"\) or at \("2026-11-20T09:00"\)\.$/],
  [{ when: "61 * * * *" }, /minute/],
  [{ when: "" }, /^when is missing: expected a text that is not empty\.$/],
  [{ when: "2026-02-31T09:00" }, /^There is no 2026-02-31T09:00: no calendar has that date or time\./],
  [{ when: "15x" }, /^"15x" is no interval/],
  [{ when: "15 minutes" }, /^"15 minutes" is no interval/],
  [{ when: "1.5h" }, /^"1\.5h" is no interval/],
  [{ when: "tomorrow" }, /^"tomorrow" is no time: expected a cron .*, an interval .* or a date and time/],
  [{ when: "0 9 * *" }, /^The cron "0 9 \* \*" has 4 fields/],
  [{ when: "0 9 * * *", time_zone: "Asia/Soul" }, /Asia\/Seoul/],
  [{ when: { corn: "0 9 * * *" } }, /^"corn" means nothing here\. Did you mean cron\?$/],
  [{ when: "0 9 * * *", zone: "UTC" }, /^"zone" means nothing here/],
  [
    { every: "15m", time_zone: "UTC" },
    /^every counts from now, the same in every zone: leave time_zone out, or say when by cron\.$/,
  ],
  [{ cron: 5 }, /^cron must be a text, got 5\.$/],
];

for (const [given, sentence] of wrongTimes) {
  test(`times such as ${JSON.stringify(given)} are refused with what is right [D1]`, async (t) => {
    const { status, body } = await openApi(t, await openRuntime(t)).post("/api/schedule/preview", given);
    assert.equal(status, 400);
    assert.match(body.error.message, sentence);
  });
}

test("a wrong job, order or cursor is refused with one sentence, and nothing is kept [D1]", async (t) => {
  const runtime = await openRuntime(t);
  const api = openApi(t, runtime);
  const wrong: readonly (readonly [path: string, body: unknown, status: number, sentence: RegExp])[] = [
    ["/api/jobs", { ...nightly, naem: "x" }, 400, /A job has no "naem"; did you mean "name"\?/],
    ["/api/jobs", { ...nightly, cron: "x" }, 400, /cron|field/],
    ["/api/jobs", [], 400, /./],
    ["/api/jobs/nothing/pause", {}, 404, /^There is no job "nothing": there are none yet\.$/],
    ["/api/jobs/nothing/pause", { why: "x" }, 400, /^"why" means nothing here\. There are: reason\.$/],
    ["/api/jobs/nothing/run", { reason: "x" }, 400, /^"reason" means nothing here\. Nothing is expected\.$/],
    ["/api/jobs/nothing/remove", {}, 404, /^There is no job "nothing"/],
  ];
  for (const [path, given, status, sentence] of wrong) {
    const answer = await api.post(path, given);
    assert.equal(answer.status, status, `${path} ${JSON.stringify(answer.body)}`);
    assert.match(answer.body.error.message, sentence);
  }
  assert.deepEqual(await (await runtime.schedule()).list(), []);
  await api.post("/api/jobs", nightly);
  const { status, body } = await api.get("/api/jobs/nightly/history?before=run_1");
  assert.deepEqual([status, body.error.message], [400, wrongRun]);
});

const wrongRun = 'before takes the id of a run of this job, as "next" of the page before gives it; got "run_1".';
