import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import type { Connection, Parameter } from "../../src/records/sqlite/sqlite-connection.ts";
import { openDatabase, type Database } from "../../src/records/sqlite/database.ts";
import { createSqliteScheduleStore } from "../../src/records/sqlite/sqlite-schedule-store.ts";
import { makeJob, makeRun } from "../contract/make-job.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryDatabase } from "./open-temporary.ts";

interface Asked {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** The same database, and what it was asked. */
function recording(database: Database, asked: Asked[]): Database {
  const record = (connection: Connection): Connection => ({
    ...connection,
    get(sql, ...parameters) {
      asked.push({ sql, parameters });
      return connection.get(sql, ...parameters);
    },
    all(sql, ...parameters) {
      asked.push({ sql, parameters });
      return connection.all(sql, ...parameters);
    },
  });
  return {
    ...database,
    read: (work) => database.read((connection) => work(record(connection))),
    write: (work) => database.write((connection) => work(record(connection))),
  };
}

test("to start a run no history is walked through, neither the job's nor that of all [D1]", async (t) => {
  const database = await openDatabase({ path: await temporaryDatabase(t), clock: systemClock });
  afterTest(t, () => database.close());
  const asked: Asked[] = [];
  const store = createSqliteScheduleStore(recording(database, asked));
  const job = makeJob();
  const run = makeRun(job);
  await store.addJob(job);
  await store.addRun(run);
  await store.listDue({ startBy: 1000, limit: 32 });
  await store.claim(run.id, { owner: { pid: 1, startTime: "1", bootId: "b" }, alone: true });
  await store.listRuns({ jobId: job.id, states: ["due"], limit: 1000 });
  await store.listRuns({ states: ["claimed", "running"], limit: 1000 });
  await store.listRuns({ states: ["due"], limit: 10_000 });
  const plans: string[] = [];
  for (const { sql, parameters } of asked.filter(({ sql }) => sql.includes("FROM schedule_runs"))) {
    const rows = await database.read((connection) => connection.all(`EXPLAIN QUERY PLAN ${sql}`, ...parameters));
    plans.push(String(rows[0]?.["detail"]));
  }
  assert.deepEqual(plans, [
    "SEARCH schedule_runs USING INDEX schedule_runs_by_state (state=? AND start_at<?)",
    "SEARCH schedule_runs USING INDEX sqlite_autoindex_schedule_runs_1 (id=?)",
    "SEARCH schedule_runs USING INDEX schedule_runs_by_job_and_state (job_id=? AND state=?)",
    "SEARCH schedule_runs USING INDEX schedule_runs_by_job_and_state (job_id=? AND state=?)",
    "SEARCH schedule_runs USING INDEX schedule_runs_by_state (state=?)",
    "SEARCH schedule_runs USING INDEX schedule_runs_by_state (state=?)",
  ]);
});
