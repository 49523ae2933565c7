import type { Job, Run } from "../../core/job.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import type { Connection, Row } from "./sqlite-connection.ts";
import { damaged } from "../store-error.ts";
import { toKey } from "../text-key.ts";

/** False: there is one of its name or id. */
export function insertJob(connection: Connection, job: Job): boolean {
  const { id, name, version, nextAt } = job;
  return connection.run(insertJobSql, id, toKey(name), version, nextAt, JSON.stringify(toWire(job))) > 0;
}

export function updateJob(connection: Connection, job: Job): void {
  connection.run(updateJobSql, job.version, job.nextAt, JSON.stringify(toWire(job)), job.id);
}

/** False: its due time has a row. */
export function insertRun(connection: Connection, run: Run): boolean {
  const { id, jobId, dueAt, state, startAt, endedAt, trigger } = run;
  const body = JSON.stringify(toWire(run));
  return connection.run(insertRunSql, id, jobId, dueAt, state, startAt, endedAt, trigger === "catch_up", body) > 0;
}

export function updateRun(connection: Connection, run: Run): void {
  const { id, state, startAt, endedAt, trigger } = run;
  connection.run(updateRunSql, state, startAt, endedAt, trigger === "catch_up", JSON.stringify(toWire(run)), id);
}

export function jobFromRow(row: Row, path: string): Job {
  return parseBody(row, path) as Job;
}

export function runFromRow(row: Row, path: string): Run {
  return parseBody(row, path) as Run;
}

function parseBody(row: Row, path: string): unknown {
  try {
    return fromWire(JSON.parse(String(row["body"])));
  } catch (thrown) {
    throw damaged(path, `the row ${String(row["id"])} of the schedule can't be read`, { cause: thrown });
  }
}

const insertJobSql = `
  INSERT INTO schedule_jobs (id, name, version, next_at, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const updateJobSql = "UPDATE schedule_jobs SET version = ?, next_at = ?, body = ? WHERE id = ?";
const insertRunSql = `
  INSERT INTO schedule_runs (id, job_id, due_at, state, start_at, ended_at, is_catch_up, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_id, due_at) DO NOTHING`;
const updateRunSql = `
  UPDATE schedule_runs SET state = ?, start_at = ?, ended_at = ?, is_catch_up = ?, body = ? WHERE id = ?`;
