import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/core/clock.ts";
import type { Run, ScheduleStore } from "../../../src/core/job.ts";
import { openSharedRecords } from "../../../src/records/postgres/open-shared-records.ts";
import { makeJob } from "../../contract/make-job.ts";
import { afterTest } from "../../support/after-test.ts";
import { count } from "../../support/counts.ts";
import { findPostgresProblem, openPostgres, type PostgresServer } from "../../support/postgres.ts";
import { lane } from "../../support/require.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const program = fileURLToPath(new URL("../../fixtures/schedule/run-shared-schedule.ts", import.meta.url));
const identity = { pid: process.pid, startTime: "1", bootId: "boot" };

describe("three schedulers on one PostgreSQL", lane("postgres", (await findPostgresProblem()) ?? true), () => {
  let server: PostgresServer;
  before(async () => {
    server = await openPostgres();
  });
  after(() => server.close());

  interface Schedulers {
    readonly store: ScheduleStore;
    /** Settles when it looks for work. */
    readonly start: (...args: string[]) => Promise<ChildProcess>;
    /** One line for each attempt that was begun. */
    readonly begun: () => string[];
  }

  async function open(t: TestContext): Promise<Schedulers> {
    const log = join(await temporaryFolder(t), "begun.txt");
    const address = await server.createDatabase();
    const here = { clock: systemClock, identity, isAliveHere: () => true };
    const records = await openSharedRecords({ ...here, address, scope: "app" });
    afterTest(t, () => records.close());
    return {
      store: records.schedule,
      begun: () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []),
      async start(...args) {
        const child = spawn(process.execPath, [program, address, log, ...args], { stdio: ["pipe", "pipe", "inherit"] });
        afterTest(t, () => end(child));
        await once(child.stdout, "data");
        return child;
      },
    };
  }

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.stdin!.end();
    await ended;
    assert.equal(child.exitCode, 0);
  }

  async function addJobs(store: ScheduleStore, many: number): Promise<void> {
    const at = Date.now() - 5000;
    const due = { when: { at }, nextAt: at, plannedUntilAt: at - 1, pauseAfterFailures: 0 };
    const jobs = Array.from({ length: many }, () => makeJob(due));
    const lanes = Array.from({ length: 8 }, async () => {
      for (let job = jobs.pop(); job; job = jobs.pop()) await store.addJob(job);
    });
    await Promise.all(lanes);
  }

  /** All due times are planned before the first is run, so with many of them each step may take minutes. */
  async function patiently(condition: () => unknown, what: string): Promise<void> {
    const deadline = Date.now() + 900_000;
    while (!(await condition())) {
      assert.ok(Date.now() < deadline, `It does not come: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function untilAllEnded(store: ScheduleStore, many: number): Promise<Run[]> {
    let runs: Run[] = [];
    await patiently(async () => {
      const open = await store.listRuns({ states: ["due", "claimed", "running"], limit: 1 });
      runs = open.length === 0 ? await store.listRuns({ limit: many + 1 }) : [];
      return runs.length === many;
    }, "the end of all");
    return runs;
  }

  test("each of many due times is run once [D1]", async (t) => {
    const many = count({ quick: 300, full: 10_000 });
    const { store, start, begun } = await open(t);
    await Promise.all([start(), start(), start()]);
    const began = Date.now();
    await addJobs(store, many);
    const runs = await untilAllEnded(store, many);
    const shares = Map.groupBy(runs, ({ summary }) => summary).values();
    t.diagnostic(`${[...shares].map(({ length }) => length).join(" + ")} due times in ${Date.now() - began} ms`);
    assert.ok(runs.every(({ state, attempt, fence }) => state === "succeeded" && attempt === 1 && fence === 1));
    assert.deepEqual(begun().sort(), runs.map(({ jobId, dueAt }) => `${jobId} ${dueAt} 1`).sort());
  });

  test("kill -9 of one in the middle: what it ran is lost, all else is run once by the others [D1]", async (t) => {
    const many = count({ quick: 300, full: 10_000 });
    const { store, start, begun } = await open(t);
    const stuck = await start("stuck");
    await addJobs(store, many);
    await patiently(() => begun().length >= 5, "work of the first");
    await Promise.all([start(), start()]);
    await patiently(
      async () => (await store.listRuns({ states: ["succeeded"], limit: 1 })).length > 0,
      "work of the others",
    );
    const killed = once(stuck, "exit");
    stuck.kill("SIGKILL");
    await killed;
    const runs = await untilAllEnded(store, many);
    const lost = runs.filter(({ state }) => state === "lost");
    t.diagnostic(`${lost.length} of ${many} were lost with it`);
    assert.ok(lost.length >= 5 && lost.length <= 10, String(lost.length));
    assert.ok(runs.every(({ state, attempt }) => (state === "succeeded" || state === "lost") && attempt === 1));
    assert.deepEqual(begun().sort(), runs.map(({ jobId, dueAt }) => `${jobId} ${dueAt} 1`).sort());
  });
});
