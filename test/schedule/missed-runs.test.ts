import assert from "node:assert/strict";
import { test } from "node:test";
import type { MissedRule } from "../../src/core/job.ts";
import { openSchedule, orderOf, succeeded, type TestSchedule } from "./support/open-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const daily = { cron: "0 9 * * *", timeZone: "UTC" };

/** Nothing runs for so long; then it is started. */
async function comeBackAfter(
  t: Parameters<typeof openSchedule>[0],
  awayMs: number,
  given: Parameters<typeof orderOf>[0],
): Promise<{ history: string[]; reasons: (string | null)[]; spans: number[] }> {
  const { clock, jobs, scheduler, history, store } = await openSchedule(t);
  await jobs.add(orderOf(given), "me");
  await clock.pass(awayMs);
  await scheduler.start();
  await clock.pass(5 * minute);
  const runs = (await store.listRuns({ limit: 1000 })).toReversed();
  const reasons = runs.map(({ reason }) => reason);
  return { history: await history(), reasons, spans: runs.flatMap(({ span }) => span?.fromAt ?? []) };
}

const rules: readonly (readonly [told: string, rule: Partial<MissedRule>, expected: readonly string[]])[] = [
  ["the latest is made up for", {}, ["missed", "missed", "succeeded catch_up +28800s"]],
  ["none is made up for", { mode: "none" }, ["missed", "missed", "missed"]],
  [
    "all are",
    { mode: "all" },
    ["succeeded catch_up +201600s", "succeeded catch_up +115205s", "succeeded catch_up +28810s"],
  ],
  [
    "the latest two are",
    { mode: "all", max: 2 },
    ["missed", "succeeded catch_up +115200s", "succeeded catch_up +28805s"],
  ],
  ["none that is older than the window is", { windowMs: hour }, ["missed", "missed", "missed"]],
  [
    "those within the window are",
    { mode: "all", windowMs: 2 * day },
    ["missed", "succeeded catch_up +115200s", "succeeded catch_up +28805s"],
  ],
];

for (const [told, missed, expected] of rules) {
  test(`after three days without a scheduler: ${told} [D1]`, async (t) => {
    const { history, reasons } = await comeBackAfter(t, 3 * day + 5 * hour, { when: daily, missed });
    assert.deepEqual(
      history.map((line) => line.slice(15)),
      expected,
    );
    for (const [index, line] of history.entries())
      if (line.includes("missed")) assert.match(reasons[index]!, /^Nothing could run then/);
  });
}

test("a deadline is shorter than the window: what is past it is not made up for [D1]", async (t) => {
  const { history } = await comeBackAfter(t, day + 5 * hour, { when: daily, deadlineMs: hour });
  assert.deepEqual(history, ["11-17 09:00:00 missed"]);
});

test("one that is due at the moment takes the place of those that were missed [D1]", async (t) => {
  const { history } = await comeBackAfter(t, 3 * day + 21 * hour + 20_000, { when: daily });
  assert.deepEqual(
    history.map((line) => line.slice(15)),
    ["missed", "missed", "missed", "succeeded +20s"],
  );
});

test("a year of seconds that were missed is told without a row for each [D1]", async (t) => {
  const { history, spans } = await comeBackAfter(t, 365 * day, {
    when: { cron: "* * * * * *", timeZone: "UTC" },
    overlap: "allow",
  });
  assert.ok(history.length < 600, `${history.length}`);
  assert.deepEqual(
    spans.map((at) => new Date(at).toISOString()),
    ["2026-11-16T12:00:01.000Z"],
  );
});

test("many jobs that missed their time start one every five seconds, not all at once [D1]", async (t) => {
  const { clock, jobs, scheduler, store } = await openSchedule(t);
  for (let nth = 0; nth < 12; nth++) await jobs.add(orderOf({ name: `job ${nth}`, when: daily }), "me");
  await clock.pass(2 * day);
  await scheduler.start();
  await clock.pass(5 * minute);
  const runs = await store.listRuns({ limit: 100, states: ["succeeded"] });
  const starts = runs.map(({ startedAt }) => startedAt!).sort((a, b) => a - b);
  assert.deepEqual(
    starts.map((at) => (at - starts[0]!) / 5000),
    Array.from({ length: 12 }, (_, nth) => nth),
  );
});

test("a machine that slept through its times notices, and makes up for the latest [D1]", async (t) => {
  const { clock, jobs, scheduler, history, events } = await openSchedule(t);
  await jobs.add(orderOf({ when: daily }), "me");
  await scheduler.start();
  await clock.pass(10 * hour);
  clock.sleep(2 * day);
  await clock.pass(2 * minute);
  assert.deepEqual(
    (await history()).map((line) => line.slice(0, 32)),
    ["11-17 09:00:00 missed", "11-18 09:00:00 succeeded catch_u"],
  );
  assert.deepEqual(
    events.filter(({ type }) => type === "clock:jumped"),
    [{ type: "clock:jumped", byMs: 2 * day }],
  );
});

test("a clock that is two days ahead, and then set right: no time runs twice, and those to come still come [D1]", async (t) => {
  const { clock, jobs, scheduler, history } = await openSchedule(t);
  await jobs.add(orderOf({ when: daily }), "me");
  await scheduler.start();
  await clock.pass(hour);
  clock.set(2 * day);
  await clock.pass(hour);
  assert.deepEqual(
    (await history()).map((line) => line.slice(0, 33)),
    ["11-17 09:00:00 missed", "11-18 09:00:00 succeeded catch_up"],
  );
  clock.set(-2 * day);
  await clock.pass(4 * day);
  assert.deepEqual(
    (await history()).map((line) => line.slice(0, 24)),
    ["11-17 09:00:00 succeeded", "11-18 09:00:00 succeeded", "11-19 09:00:00 succeeded", "11-20 09:00:00 succeeded"],
  );
});

test("a catch-up of a time to come, not begun when the clock is set right, waits for that time [D1]", async (t) => {
  const { clock, jobs, scheduler, store, begun } = await openSchedule(t);
  await jobs.add(orderOf({ name: "first", when: daily }), "me");
  const { id: jobId } = await jobs.add(orderOf({ name: "second", when: daily, jitterMs: minute }), "me");
  await jobs.add(orderOf({ name: "third", when: { cron: "0 9 1 1 *", timeZone: "UTC" } }), "me");
  await scheduler.start();
  await clock.pass(hour);
  clock.set(2 * day);
  // One starts every five seconds: the other one is still due.
  while (begun.length === 0) await clock.pass(1000);
  const putOff = await jobs.runNow("third", { by: "me" });
  clock.set(-2 * day);
  await clock.pass(2 * minute);
  assert.deepEqual(
    begun.map(({ jobName, trigger }) => [jobName, trigger]),
    [
      ["first", "catch_up"],
      ["third", "person"],
    ],
  );
  assert.equal((await store.getRun(putOff.id))?.state, "succeeded");
  await clock.pass(3 * day);
  const runs = await store.listRuns({ jobId, limit: 10 });
  assert.deepEqual(
    runs.map(({ dueAt, state, trigger }) => `${new Date(dueAt).toISOString().slice(5, 16)} ${state} ${trigger}`),
    ["11-19T09:00 succeeded time", "11-18T09:00 succeeded time", "11-17T09:00 succeeded time"],
  );
  const [delay, ...others] = runs.map(({ startedAt, dueAt }) => startedAt! - dueAt);
  assert.deepEqual(others, [delay, delay]);
});

test("a clock that was set back while nothing ran is noticed at the start [D1]", async (t) => {
  const { clock, jobs, scheduler, history, open, begun } = await openSchedule(t);
  await jobs.add(orderOf({ when: daily }), "me");
  await scheduler.start();
  await clock.pass(hour);
  clock.set(2 * day);
  await clock.pass(hour);
  await scheduler.close();
  clock.set(-2 * day);
  const next = open(2);
  await next.start();
  await clock.pass(3 * day);
  await next.close();
  assert.deepEqual(
    (await history()).map((line) => line.slice(0, 24)),
    ["11-17 09:00:00 succeeded", "11-18 09:00:00 succeeded", "11-19 09:00:00 succeeded"],
  );
  assert.equal(new Set(begun.map(({ dueAt }) => dueAt)).size, begun.length);
});

test("a clock that goes back an hour every other hour runs no time twice [D1]", async (t) => {
  const { clock, jobs, scheduler, begun } = await openSchedule(t);
  await jobs.add(orderOf({ when: { cron: "*/10 * * * *", timeZone: "UTC" } }), "me");
  await scheduler.start();
  for (let nth = 0; nth < 12; nth++) {
    await clock.pass(2 * hour);
    clock.set(-hour);
  }
  await clock.pass(2 * hour);
  assert.equal(new Set(begun.map(({ dueAt }) => dueAt)).size, begun.length);
  assert.equal(begun.length, 84);
});

/** How a scheduler that works on a job of every two seconds comes to look at nothing for ten seconds. */
const absences: readonly (readonly [what: string, absent: (schedule: Absence) => Promise<void>])[] = [
  [
    "its process is killed, and another one is there ten seconds later",
    async ({ clock, kill, open, work }) => {
      kill(1);
      await clock.pass(10_000);
      await open(2, work).start();
    },
  ],
  ["the clock is set ten seconds ahead", async ({ clock }) => clock.set(10_000)],
  ["the machine sleeps for ten seconds", async ({ clock }) => clock.sleep(10_000)],
  [
    "the disk of the store is full for ten seconds",
    async ({ clock, disk }) => {
      disk.isFull = true;
      await clock.pass(10_000);
      disk.isFull = false;
    },
  ],
];

type Work = NonNullable<Parameters<TestSchedule["open"]>[1]>;
type Absence = Pick<TestSchedule, "clock" | "kill" | "open"> & {
  readonly work: Work;
  readonly disk: { isFull: boolean };
};

for (const [what, absent] of absences) {
  test(`the latest due time runs, and the others are missed, when ${what} [D1]`, async (t) => {
    const disk = { isFull: false };
    const work: Work = async () => {
      await new Promise<void>((resolve) => void schedule.clock.after(100, resolve));
      return succeeded;
    };
    const schedule = await openSchedule(t, {
      at: "2026-11-16T12:00:01Z",
      work,
      settings: { pollMs: 1000 },
      wrapStore: (store) => ({
        ...store,
        plan: async (...given) => {
          if (disk.isFull) throw new Error("The disk that holds the store is full.");
          return store.plan(...given);
        },
      }),
    });
    const { clock, jobs, scheduler, store, kill, open } = schedule;
    await jobs.add(orderOf({ when: { cron: "*/2 * * * * *", timeZone: "UTC" } }), "me");
    await scheduler.start();
    await clock.pass(2000);
    await absent({ clock, kill, open, work, disk });
    await clock.pass(3000);
    const runs = (await store.listRuns({ limit: 100 })).toReversed();
    const [before, ...after] = runs.filter(({ state }) => state !== "missed");
    assert.deepEqual([before!.dueAt, before!.state], [Date.parse("2026-11-16T12:00:02Z"), "succeeded"]);
    assert.ok(after.length > 0);
    for (const { dueAt, startedAt, state } of after) {
      assert.match(state, /^(succeeded|running)$/);
      // The latest: it began before the next one was due.
      assert.ok(startedAt! - dueAt < 2000, `${startedAt! - dueAt} ms late`);
    }
    const missed = runs.filter(({ state }) => state === "missed");
    assert.ok(missed.length >= 4, `${missed.length} missed`);
    assert.deepEqual(
      new Set(missed.map(({ reason }) => reason)),
      new Set(["Nothing could run then; a later run takes its place."]),
    );
    const seconds = runs.map(({ dueAt }) => (dueAt - before!.dueAt) / 2000);
    assert.deepEqual(
      seconds,
      seconds.map((_, nth) => nth),
    );
  });
}
