import assert from "node:assert/strict";
import { test } from "node:test";
import { createJob } from "../../src/schedule/jobs/create-job.ts";
import { openSchedule, orderOf } from "./support/open-schedule.ts";

const now = Date.parse("2026-11-16T12:00:00Z");
const day = 86_400_000;

test("a job has the defaults that are documented [D1]", async () => {
  const { jitterMs: _, ...order } = orderOf({
    name: "  nightly ",
    when: { cron: "0 9 * * *", timeZone: "Asia/Seoul" },
  });
  const job = await createJob(order, now);
  assert.match(job.id, /^job_[0-9a-f-]{36}$/);
  assert.deepEqual(job, {
    id: job.id,
    name: "nightly",
    work: order.work,
    when: order.when,
    overlap: "skip",
    missed: { mode: "last", max: 10, windowMs: 7 * day },
    jitterMs: 60_000,
    deadlineMs: null,
    timeoutMs: 3_600_000,
    retries: 0,
    pauseAfterFailures: 3,
    isIdempotent: false,
    paused: null,
    grant: { allow: [], deny: [] },
    createdAt: now,
    plannedUntilAt: now,
    nextAt: Date.parse("2026-11-17T00:00:00Z"),
    countedFromAt: now,
    version: 1,
  });
});

test("a job that comes often is delayed by a tenth of that at most, and one that is due once not at all [D1]", async () => {
  const jitterOf = async (when: Parameters<typeof orderOf>[0]): Promise<number> => {
    const { jitterMs: _, ...order } = orderOf(when);
    return (await createJob(order, now)).jitterMs;
  };
  assert.equal(await jitterOf({ when: { everyMs: 10_000, anchorAt: now } }), 1000);
  assert.equal(await jitterOf({ when: { at: now + day } }), 0);
  assert.equal(await jitterOf({ deadlineMs: 10_000 }), 5000);
});

test("an agent's own time limit is the shorter one [D1]", async () => {
  const order = {
    agent: "claude",
    message: "m",
    systemPrompt: null,
    model: null,
    cwd: "/w",
    args: [],
    timeoutMs: 7_200_000,
    resume: null,
    bypassesPermissions: false,
  };
  assert.equal((await createJob(orderOf({ work: { kind: "agent", order } }), now)).timeoutMs, 7_260_000);
});

const wrong: readonly (readonly [told: RegExp, order: Parameters<typeof orderOf>[0]])[] = [
  [/^Expected a name of 1 to 100 characters/, { name: "  " }],
  [/^Expected a name of 1 to 100 characters/, { name: "two\nlines" }],
  [
    /^Expected a jitter shorter than the deadline of 1m, got 1m: shorten the jitter/,
    { jitterMs: 60_000, deadlineMs: 60_000 },
  ],
  [/nothing to do: expected the name of a tool/, { work: { kind: "tool", toolName: " ", toolRef: null, input: {} } }],
  [/nothing to do: expected a prompt/, { work: { kind: "prompt", prompt: "\n", model: null } }],
  [/^The time 2026-11-16T12:00:00.000Z is over/, { when: { at: now } }],
  [/^The time NaN is over/, { when: { at: Number.NaN } }],
  [/^Expected an interval from 1s to 366d, got 999 ms/, { when: { everyMs: 999, anchorAt: 0 } }],
  [/^Expected an overlap rule of skip, queue_one, cancel_old, allow; got "wait"/, { overlap: "wait" as "skip" }],
  [/^Expected a rule for missed runs of last, none, all; got "some"/, { missed: { mode: "some" as "all" } }],
  [/^Expected a number of missed runs from 1 to 10, got 11/, { missed: { mode: "all", max: 11 } }],
  [/^Expected a number of retries from 0 to 10, got -1/, { retries: -1 }],
  [/^Expected a time limit from 1s to 31d, got NaN ms/, { timeoutMs: Number.NaN }],
  [/^Expected a deadline from 1s to 366d, got 0\.5 ms/, { deadlineMs: 0.5 }],
];

for (const [told, order] of wrong) {
  test(`a job with ${JSON.stringify(order)} is refused: ${told.source} [D1]`, async (t) => {
    const { jobs, store } = await openSchedule(t);
    const refused = jobs.add(orderOf(order), "me");
    await assert.rejects(
      refused,
      (error: Error & { code: string }) => error.code === "JOB_INVALID" && told.test(error.message),
    );
    assert.deepEqual(await store.listJobs(), []);
  });
}

test("a name is given once; a job is found by its name or id, and a wrong one gets the nearest [D1]", async (t) => {
  const { jobs } = await openSchedule(t);
  await assert.rejects(jobs.find("nightly"), {
    code: "JOB_UNKNOWN",
    message: 'There is no job "nightly": there are none yet.',
  });
  const job = await jobs.add(orderOf(), "me");
  await assert.rejects(jobs.add(orderOf(), "me"), {
    code: "JOB_INVALID",
    message: /^There is a job named "nightly": remove it first/,
  });
  assert.deepEqual(await jobs.find("nightly"), job);
  assert.deepEqual(await jobs.find(job.id), job);
  await assert.rejects(jobs.find("nihgtly"), {
    code: "JOB_UNKNOWN",
    message: 'There is no job "nihgtly": did you mean "nightly"?',
  });
  await assert.rejects(jobs.pause("xyz", { by: "me" }), { code: "JOB_UNKNOWN", message: /there are nightly\.$/ });
});

test("a job is found by enough of the end or the beginning of its id; a name comes first, and several are named [D1]", async (t) => {
  const { jobs } = await openSchedule(t);
  const job = await jobs.add(orderOf(), "me");
  const end = job.id.slice(-6);
  for (const part of [end, end.toUpperCase(), `job_${end}`, job.id.slice(0, 20), job.id.slice(4, 20)]) {
    assert.deepEqual(await jobs.find(part), job, part);
  }
  await assert.rejects(jobs.find(job.id.slice(-3)), { code: "JOB_UNKNOWN", message: /^There is no job "/ });
  // In the middle anything may stand.
  await assert.rejects(jobs.find(job.id.slice(8, 20)), { code: "JOB_UNKNOWN", message: /^There is no job "/ });
  const named = await jobs.add(orderOf({ name: end }), "me");
  assert.deepEqual(await jobs.find(end), named);
  const both = job.id.slice(0, 9);
  await assert.rejects(jobs.find(both), {
    code: "JOB_UNKNOWN",
    message: new RegExp(
      `^"${both}" could be 2 jobs: \\S+ \\(job_\\S+\\), \\S+ \\(job_\\S+\\)\\. Give the name, or more of the id\\.$`,
    ),
  });
});
