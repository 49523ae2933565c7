import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import type { Job, JobTimes, Run } from "../../src/core/job.ts";
import { openTimes } from "../../src/schedule/times/times.ts";
import { count } from "../support/counts.ts";
import { createFrailStore, type Frailty } from "./support/frail-store.ts";
import { failed, openSchedule, orderOf, succeeded, type TestSchedule } from "./support/open-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const startAt = Date.parse("2026-01-01T00:00:00Z");

type Action =
  | { readonly kind: "crash"; readonly stepsLeft: number; readonly isAfter: boolean; readonly downMs: number }
  | { readonly kind: "sleep" | "ahead" | "back"; readonly ms: number }
  | { readonly kind: "pause" | "resume" | "run"; readonly job: number };

const zones = Intl.supportedValuesOf("timeZone");
const when: fc.Arbitrary<JobTimes> = fc.oneof(
  fc
    .record({ hour: fc.nat(23), minute: fc.nat(59), timeZone: fc.constantFrom(...zones) })
    .map(({ hour: h, minute: m, timeZone }) => ({ cron: `${m} ${h} * * *`, timeZone })),
  fc.constantFrom(...zones).map((timeZone) => ({ cron: "30 1,2,3 * * 0,6", timeZone })),
  fc.record({ everyMs: fc.integer({ min: 5, max: 40 }).map((hours) => hours * hour), anchorAt: fc.constant(startAt) }),
);
const jobOrder = fc.record({
  when,
  overlap: fc.constantFrom("skip", "queue_one", "cancel_old", "allow"),
  missed: fc.record({ mode: fc.constantFrom("last", "none", "all") }),
  retries: fc.constantFrom(0, 0, 2),
  isIdempotent: fc.boolean(),
  jitterMs: fc.constantFrom(0, 60_000),
  pauseAfterFailures: fc.constantFrom(0, 3),
} as const);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant("crash"),
    stepsLeft: fc.integer({ min: 1, max: 25 }),
    isAfter: fc.boolean(),
    downMs: fc.nat(5 * day),
  } as const),
  fc.record({ kind: fc.constantFrom("sleep", "ahead", "back"), ms: fc.nat(3 * day) } as const),
  fc.record({ kind: fc.constantFrom("pause", "resume", "run"), job: fc.nat(2) } as const),
);
const life = fc.record({
  jobs: fc.array(jobOrder, { minLength: 1, maxLength: 3 }),
  actions: fc.array(fc.record({ action, afterMs: fc.nat(25 * day) }), { minLength: 8, maxLength: 30 }),
});

test("a year with crashes, sleep, wrong clocks and pauses: no due time runs twice, none is gone without a word [D1]", async (t) => {
  let [years, dueTimes, begun] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(life, async ({ jobs, actions }) => {
      const lived = await live(t, { jobs, actions });
      years += lived.passedMs / (365 * day);
      begun += lived.schedule.begun.length;
      assertOnce(lived.schedule.begun, await lived.schedule.store.listRuns({ limit: 100_000 }));
      for (const job of await lived.schedule.store.listJobs()) dueTimes += await assertAccounted(lived.schedule, job);
    }),
    { numRuns: count({ quick: 8, full: 400 }), endOnFailure: true },
  );
  t.diagnostic(`${years.toFixed(1)} years, ${dueTimes} due times, ${begun} begun`);
});

async function live(
  t: TestContext,
  {
    jobs,
    actions,
  }: {
    readonly jobs: readonly object[];
    readonly actions: readonly { readonly action: Action; readonly afterMs: number }[];
  },
): Promise<{ schedule: TestSchedule; passedMs: number }> {
  const frailties = new Map<number, Frailty>();
  const schedule = await openSchedule(t, {
    at: new Date(startAt).toISOString(),
    settings: { pollMs: 6 * hour, recoverMs: 12 * hour },
    wrapStore(store, pid) {
      const frailty = { stepsLeft: Infinity, isAfter: false };
      frailties.set(pid, frailty);
      return createFrailStore(store, frailty);
    },
  });
  const { clock } = schedule;
  let seed = 1;
  // From a moment to seven hours, and one in five fails.
  const work = async (_: Job, __: Run, { signal }: { signal: AbortSignal }) => {
    seed = (seed * 48_271) % 2_147_483_647;
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    const done = new Promise<void>((resolve) => void clock.after(seed % 3 === 0 ? seed % (7 * hour) : 0, resolve));
    await Promise.race([aborted, done]);
    return signal.aborted || seed % 5 === 0 ? failed : succeeded;
  };
  for (const [nth, given] of jobs.entries())
    await schedule.jobs.add(orderOf({ name: `job ${nth}`, timeoutMs: 5 * hour, ...given }), "me");
  let pid = 100;
  let current = schedule.open(pid, work);
  await current.start();
  let passedMs = 0;
  const pass = async (ms: number): Promise<void> => {
    passedMs += ms;
    await clock.pass(ms);
  };

  for (const { action: each, afterMs } of actions) {
    const name = "job" in each ? `job ${each.job % jobs.length}` : "";
    if (each.kind === "crash") {
      Object.assign(frailties.get(pid)!, { stepsLeft: each.stepsLeft, isAfter: each.isAfter });
      await pass(day);
      schedule.kill(pid);
      await pass(each.downMs);
      current = schedule.open(++pid, work);
      await current.start();
    } else if (each.kind === "sleep") clock.sleep(each.ms);
    else if (each.kind === "ahead") clock.set(each.ms);
    else if (each.kind === "back") clock.set(-each.ms);
    else if (each.kind === "pause") await schedule.jobs.pause(name, { by: "me" });
    else if (each.kind === "resume") await schedule.jobs.resume(name, { by: "me" });
    else await schedule.jobs.runNow(name, { by: "me" });
    await pass(afterMs);
  }
  // The clock is right again, everything was resumed, and there was time for what waited.
  await pass(40 * day);
  for (const { name } of await schedule.store.listJobs()) await schedule.jobs.resume(name, { by: "me" });
  await pass(day);
  const closed = current.close();
  await pass(hour);
  await closed;
  return { schedule, passedMs };
}

/** Each attempt of a row was begun once, and none more often than its row says. */
function assertOnce(begun: readonly Run[], rows: readonly Run[]): void {
  const attempts = begun.map(({ jobId, dueAt, attempt, fence }) => `${jobId} ${dueAt} ${attempt} ${fence}`);
  assert.equal(new Set(attempts).size, attempts.length);
  const byTime = Map.groupBy(begun, ({ jobId, dueAt }) => `${jobId} ${dueAt}`);
  const rowOf = new Map(rows.map((row) => [`${row.jobId} ${row.dueAt}`, row]));
  for (const [time, runs] of byTime) {
    const row = rowOf.get(time);
    assert.ok(row, `what ran at ${time} has no row`);
    assert.deepEqual([...new Set(runs.map(({ id }) => id))], [row.id]);
    assert.ok(runs.length <= row.attempt, `${time} was begun ${runs.length} times in ${row.attempt} attempts`);
  }
  const open = rows.filter(({ state }) => state === "claimed" || state === "running");
  assert.deepEqual(open, []);
}

/** Each due time up to where the job is planned has a row, and each row is of a due time. */
async function assertAccounted({ store }: TestSchedule, job: Job): Promise<number> {
  const rows = (await store.listRuns({ limit: 100_000, jobId: job.id })).filter(({ trigger }) => trigger !== "person");
  const named = new Set(rows.filter(({ span }) => span === null).map(({ dueAt }) => dueAt));
  const spans = rows.flatMap(({ dueAt, span }) => (span ? { from: span.fromAt, until: dueAt } : []));
  const times = await openTimes(job.when);
  const all = new Set<number>();
  // A clock that was set back may show times from before the job was added.
  const from = job.createdAt - 100 * day;
  for (let due = times.next(from); due && due.at <= job.plannedUntilAt; due = times.next(due.at)) all.add(due.at);
  const isNamed = (at: number): boolean => named.has(at) || spans.some((span) => at >= span.from && at < span.until);
  const unaccounted = [...all].filter((at) => at > job.createdAt && !isNamed(at));
  assert.deepEqual(
    unaccounted.map((at) => new Date(at).toISOString()),
    [],
  );
  for (const at of named)
    assert.ok(at > job.plannedUntilAt || all.has(at), `${new Date(at).toISOString()} is no due time`);
  return all.size;
}
