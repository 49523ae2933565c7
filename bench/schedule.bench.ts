import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/core/clock.ts";
import type { ScheduleStore } from "../src/core/job.ts";
import { defaultSettings } from "../src/schedule/schedule-parts.ts";
import { createScheduler } from "../src/schedule/scheduler.ts";
import { openTimes } from "../src/schedule/times/times.ts";
import { openDatabase } from "../src/records/sqlite/database.ts";
import { createSqliteScheduleStore } from "../src/records/sqlite/sqlite-schedule-store.ts";
import { makeJob } from "../test/contract/make-job.ts";
import type { Bench } from "./bench.ts";

const runs = 10_000;
const looks = 2000;

export const benches: Bench[] = [
  {
    name: `schedule: ${runs.toLocaleString("en")} jobs that are due at once, on SQLite`,
    unit: "s",
    budget: 45,
    rounds: 1,
    measure: () => withStore(runDue),
  },
  {
    name: "schedule: the next time of a cron with a time zone",
    unit: "µs",
    budget: 200,
    rounds: 3,
    measure: findTimes,
  },
];

/** With the settings as they are, and work that is done at once. */
async function runDue(store: ScheduleStore): Promise<number> {
  const at = Date.now() - 5000;
  for (let n = 0; n < runs; n++) {
    await store.addJob(makeJob({ when: { at }, nextAt: at, plannedUntilAt: at - 1 }));
  }
  const over = Promise.withResolvers<void>();
  let left = runs;
  const scheduler = createScheduler({
    store,
    clock: systemClock,
    runner: { run: () => Promise.resolve({ state: "succeeded", reason: null, summary: null }) },
    owner: { pid: process.pid, startTime: "1", bootId: "bench" },
    isAlive: () => true,
    emit(type) {
      if (type === "run:settled" && --left === 0) over.resolve();
      if (type === "schedule:failed") over.reject(new Error(type));
    },
    settings: { ...defaultSettings, graceMs: 86_400_000 },
  });
  const began = performance.now();
  await scheduler.start();
  await over.promise;
  const took = performance.now() - began;
  await scheduler.close();
  return took / 1000;
}

async function findTimes(): Promise<number> {
  const times = await openTimes({ cron: "30 2 * * 1-5", timeZone: "Europe/Berlin" });
  const began = performance.now();
  let at = Date.UTC(2026, 0, 1);
  for (let n = 0; n < looks; n++) at = times.next(at)!.at;
  return ((performance.now() - began) * 1000) / looks;
}

async function withStore(measure: (store: ScheduleStore) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const database = await openDatabase({ path: join(folder, "deckhand.db"), clock: systemClock });
  try {
    return await measure(createSqliteScheduleStore(database));
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
