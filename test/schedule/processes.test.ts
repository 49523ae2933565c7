import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/core/clock.ts";
import type { Job, Run, ScheduleStore } from "../../src/core/job.ts";
import { openDatabase } from "../../src/records/sqlite/database.ts";
import { createSqliteScheduleStore } from "../../src/records/sqlite/sqlite-schedule-store.ts";
import { makeJob } from "../contract/make-job.ts";
import { afterTest } from "../support/after-test.ts";
import { count } from "../support/counts.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface SharedSchedule {
  readonly store: ScheduleStore;
  addJobs(): Promise<void>;
  /** Another process on the same store. */
  start(...args: string[]): ChildProcess;
  /** What was begun: one line for each attempt. */
  begun(): string[];
  /** Waits until every job has run. */
  untilAllEnded(): Promise<Run[]>;
}

/** Jobs that are all due at once, from when they are added. */
async function openShared(t: TestContext, jobs: readonly Partial<Job>[]): Promise<SharedSchedule> {
  const folder = await temporaryFolder(t);
  const [path, log] = [join(folder, "deckhand.db"), join(folder, "begun.txt")];
  const database = await openDatabase({ path, clock: systemClock });
  afterTest(t, () => database.close());
  const store = createSqliteScheduleStore(database);
  const children = new Set<ChildProcess>();
  afterTest(t, async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.stdin!.end();
      await ended;
      assert.equal(child.exitCode, 0);
    }
  });
  return {
    store,
    async addJobs() {
      const at = Date.now() - 5000;
      for (const given of jobs) {
        await store.addJob(
          makeJob({ when: { at }, nextAt: at, plannedUntilAt: at - 1, pauseAfterFailures: 0, ...given }),
        );
      }
    },
    start(...args) {
      const program = fileURLToPath(new URL("../fixtures/schedule/run-schedule.ts", import.meta.url));
      const child = spawn(process.execPath, [program, path, log, ...args], { stdio: ["pipe", "pipe", "inherit"] });
      children.add(child);
      return child;
    },
    begun: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
    async untilAllEnded() {
      const deadline = Date.now() + 900_000;
      for (;;) {
        const runs = await store.listRuns({ limit: jobs.length + 1 });
        if (runs.length === jobs.length && runs.every(({ endedAt }) => endedAt !== null)) return runs;
        assert.ok(Date.now() < deadline, "not all have ended after a quarter of an hour");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  };
}

/** Nothing was begun twice, what succeeded was begun, and what was begun has a row that says so. */
function assertOnce(shared: SharedSchedule, runs: readonly Run[]): void {
  const begun = shared.begun();
  const told = new Map(runs.map((run) => [`${run.jobId} ${run.dueAt}`, run]));
  assert.equal(new Set(begun).size, begun.length);
  for (const line of begun) {
    const [, slot = "", attempt] = /^(.*) (\d+)$/.exec(line) ?? [];
    assert.ok(Number(attempt) <= (told.get(slot)?.attempt ?? 0), line);
  }
  const all = new Set(begun);
  for (const run of runs) if (run.state === "succeeded") assert.ok(all.has(`${run.jobId} ${run.dueAt} ${run.attempt}`));
}

test("two processes on one store run each of many due times once [D1]", async (t) => {
  const many = count({ quick: 1000, full: 10_000 });
  const shared = await openShared(
    t,
    Array.from({ length: many }, () => ({})),
  );
  await Promise.all([shared.start(), shared.start()].map((child) => once(child.stdout!, "data")));
  const began = Date.now();
  await shared.addJobs();
  const runs = await shared.untilAllEnded();
  const shares = Map.groupBy(runs, ({ summary }) => summary).values();
  t.diagnostic(`${[...shares].map(({ length }) => length).join(" + ")} due times in ${Date.now() - began} ms`);
  assert.ok(runs.every(({ state, attempt, fence }) => state === "succeeded" && attempt === 1 && fence === 1));
  assert.equal(shared.begun().length, many);
  assertOnce(shared, runs);
});

test("kill -9 between the claim and the work: the run is begun by another, once [D1]", async (t) => {
  for (let round = 1; round <= count({ quick: 2, full: 20 }); round++) {
    const shared = await openShared(
      t,
      Array.from({ length: 12 }, () => ({})),
    );
    await shared.addJobs();
    const [, signal] = (await once(shared.start("claim", String(round % 12 || 12)), "exit")) as [unknown, string];
    assert.equal(signal, "SIGKILL");
    const claimed = await shared.store.listRuns({ limit: 100, states: ["claimed"] });
    assert.ok(claimed.length > 0);
    shared.start();
    const runs = await shared.untilAllEnded();
    assertOnce(shared, runs);
    const ended = runs.filter(({ id }) => claimed.some((run) => run.id === id));
    assert.deepEqual(
      ended.map(({ state, attempt, fence }) => [state, attempt, fence]),
      claimed.map(() => ["succeeded", 1, 2]),
    );
  }
});

test("kill -9 in the middle of the work: it is lost, and begun again only if that does no harm [D1]", async (t) => {
  for (let round = 1; round <= count({ quick: 2, full: 20 }); round++) {
    const isIdempotent = round % 2 === 0;
    const shared = await openShared(
      t,
      Array.from({ length: 8 }, () => ({ isIdempotent })),
    );
    await shared.addJobs();
    await once(shared.start("work", String((round % 8) + 1)), "exit");
    shared.start();
    const runs = await shared.untilAllEnded();
    assertOnce(shared, runs);
    const lost = runs.filter(({ state }) => state === "lost");
    const repeated = runs.filter(({ attempt }) => attempt === 2);
    if (isIdempotent) assert.ok(lost.length === 0 && repeated.length > 0);
    else assert.ok(lost.length > 0 && repeated.length === 0 && shared.begun().length <= 8);
  }
});

test("processes that are killed at random, one after the other, run no due time twice and forget none [D1]", async (t) => {
  const many = count({ quick: 120, full: 3000 });
  const shared = await openShared(
    t,
    Array.from({ length: many }, () => ({})),
  );
  await shared.addJobs();
  for (let round = 0; round < count({ quick: 4, full: 40 }); round++) {
    await once(shared.start(round % 2 === 0 ? "claim" : "work", String(1 + ((round * 7) % 19))), "exit");
  }
  shared.start();
  const runs = await shared.untilAllEnded();
  t.diagnostic(`${runs.filter(({ state }) => state === "lost").length} of ${many} lost`);
  assert.ok(runs.every(({ state }) => state === "succeeded" || state === "lost"));
  assertOnce(shared, runs);
});
