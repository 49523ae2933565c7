import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../src/core/job.ts";
import { count } from "../support/counts.ts";
import { changeDays } from "./support/local-minutes.ts";
import { openSchedule, orderOf, succeeded } from "./support/open-schedule.ts";

const hour = 3_600_000;
const day = 24 * hour;
const startAt = Date.parse("2026-01-01T00:00:00Z");

test("a job at half past two in every zone runs once on each local day of a year, also those on which clocks are set [D1]", async (t) => {
  const changing = Intl.supportedValuesOf("timeZone").filter((zone) => changeDays(zone, [2026]).length > 0);
  const zones = changing.filter((_, index) => index % count({ quick: 12, full: 1 }) === 0);
  const schedule = await openSchedule(t, {
    at: new Date(startAt).toISOString(),
    work: async () => succeeded,
    settings: { pollMs: 12 * hour, recoverMs: 24 * hour, maxRunning: 10_000 },
  });
  for (const timeZone of zones) {
    const when = { cron: "30 2 * * *", timeZone };
    await schedule.jobs.add(orderOf({ name: timeZone, when, jitterMs: 0 }), "me");
  }
  await schedule.scheduler.start();
  const rows = new Map<string, Run>();
  const pass = async (until: string): Promise<void> => {
    for (const end = Date.parse(`${until}Z`); schedule.clock.now() < end;) {
      await schedule.clock.pass(Math.min(5 * day, end - schedule.clock.now()));
      for (const run of await schedule.store.listRuns({ limit: 1_000_000 })) rows.set(run.id, run);
      await schedule.store.prune(schedule.clock.now() - day);
    }
  };
  await pass("2026-03-28T20:00");
  // The machine sleeps over the days on which most clocks are set: what is made up for is of those days, too.
  schedule.clock.sleep(30 * hour);
  await pass("2026-10-24T20:00");
  schedule.clock.sleep(30 * hour);
  await pass("2027-01-01T00:00");

  const begun = schedule.begun.map(({ jobName, dueAt }) => `${jobName} ${dueAt}`);
  assert.equal(new Set(begun).size, begun.length);
  for (const [zone, runs] of Map.groupBy(rows.values(), ({ jobName }) => jobName)) {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
    const dates = runs.map(({ dueAt }) => format.format(dueAt)).toSorted();
    const expected = Array.from({ length: 365 }, (_, index) =>
      new Date(startAt + index * day).toISOString().slice(0, 10),
    );
    const inYear = dates.filter((date) => date.startsWith("2026-") && date > "2026-01-01" && date < "2026-12-31");
    assert.deepEqual(inYear, expected.slice(1, -1), zone);
    assert.ok(
      runs.every(({ state }) => state === "succeeded" || state === "missed"),
      zone,
    );
  }
  t.diagnostic(`${zones.length} zones, ${rows.size} due times, ${begun.length} begun`);
});
