import type { Job, Run, RunQuery, ScheduleStore } from "../../../core/job.ts";
import { toKey } from "../../store-rules.ts";
import { cancelColumns, cancelRun, changeRun, claimRun, keepReason } from "./change-run.ts";
import { allJobColumns, changedJobColumns, jobColumns, jobFromColumns } from "./job-columns.ts";
import { planRuns } from "./plan-runs.ts";
import { isConnectionLoss } from "../postgres-error.ts";
import { runColumnNames, runColumns, runFromColumns, runToRecord, type ScheduleParts } from "./run-columns.ts";

/** Jobs and runs of one project, in a database that any number of machines and projects share. */
export function createPostgresScheduleStore(parts: ScheduleParts): ScheduleStore {
  const { connection, roll, tell, scope } = parts;
  const { query, name } = connection;
  const told = tell.sql("schedule");

  async function findJobs(where: string, values: readonly unknown[]): Promise<Job[]> {
    const rows = await query(`SELECT ${jobColumns} FROM deckhand.jobs ${where}`, values);
    return rows.map((row) => jobFromColumns(row, name));
  }

  async function findRuns(where: string, values: readonly unknown[]): Promise<Run[]> {
    const rows = await query(`SELECT ${runColumns} FROM deckhand.runs ${where}`, values);
    return rows.map((row) => runFromColumns(row, name));
  }

  async function insertJob(job: Job): Promise<boolean> {
    const columns = [...allJobColumns(job), ["scope", scope]] as const;
    const [row] = await query(
      `INSERT INTO deckhand.jobs (${columns.map(([column]) => column).join(", ")})
      VALUES (${columns.map((_, index) => `$${index + 1}`).join(", ")}) ON CONFLICT DO NOTHING RETURNING ${told}`,
      columns.map(([, value]) => value),
    );
    tell.here("schedule");
    return row !== undefined;
  }

  async function insertRun(run: Run): Promise<boolean> {
    const [row] = await query(insertRunSql(told), [JSON.stringify(runToRecord(run)), scope]);
    tell.here("schedule");
    return row !== undefined;
  }

  return {
    isDurable: true,
    shared: { clock: roll.clock, isAlive: (owner) => roll.isAlive(owner) },
    addJob: (job) =>
      insertSurely(
        () => insertJob(job),
        async () => (await findJobs("WHERE id = $1", [toKey(job.id)])).length > 0,
      ),
    getJob: async (id) => (await findJobs("WHERE id = $1 AND scope = $2", [toKey(id), scope]))[0],
    listJobs: ({ dueBy } = {}) =>
      dueBy === undefined
        ? findJobs("WHERE scope = $1 ORDER BY name", [scope])
        : findJobs("WHERE scope = $1 AND next_at <= $2 ORDER BY name", [scope, dueBy]),
    async changeJob(id, version, set) {
      const values: unknown[] = [toKey(id), version];
      const assignments = changedJobColumns(set).map(([column, value]) => `${column} = $${values.push(value)}`);
      const [row] = await query(
        `UPDATE deckhand.jobs SET ${["version = version + 1", ...assignments].join(", ")} WHERE id = $1 AND version = $2
        RETURNING ${jobColumns}, ${told}`,
        values,
      );
      tell.here("schedule");
      return row && jobFromColumns(row, name);
    },
    async removeJob(id, { reason, at }) {
      const [row] = await query(removeSql(told), [toKey(id), keepReason(reason), at]);
      tell.here("schedule");
      return row?.["found"] === true;
    },
    plan: (jobId, plan) => planRuns(parts, jobId, plan),
    addRun: (run) =>
      insertSurely(
        () => insertRun(run),
        async () => (await findRuns("WHERE id = $1", [toKey(run.id)])).length > 0,
      ),
    getRun: async (id) => (await findRuns("WHERE id = $1 AND scope = $2", [toKey(id), scope]))[0],
    listRuns(wanted) {
      const { where, values } = conditionsOf(wanted, scope);
      return findRuns(`${where} ORDER BY due_at DESC, id DESC LIMIT $${values.push(wanted.limit)}`, values);
    },
    listDue({ startBy, limit, after }) {
      const behind = after ? "AND (start_at, id) > ($4, $5)" : "";
      const values = [startBy, limit, scope, ...(after ? [after.startAt, toKey(after.id)] : [])];
      return findRuns(
        `WHERE scope = $3 AND state = 'due' AND start_at <= $1 ${behind} ORDER BY start_at, id LIMIT $2`,
        values,
      );
    },
    async nextTime(now) {
      const [row] = await query(nextSql, [now, scope], "next_time");
      return (row?.["time"] as number | null) ?? undefined;
    },
    claim: (id, order) => claimRun(parts, id, order),
    changeRun: (id, change) => changeRun(parts, id, change),
    requestCancel: (id, order) => cancelRun(parts, id, order),
    async countPrunable(endedBefore) {
      const [row] = await query(`SELECT count(*) AS count FROM deckhand.runs WHERE ${isOld}`, [endedBefore, scope]);
      return Number(row?.["count"]);
    },
    async prune(endedBefore) {
      const [row] = await query(pruneSql, [endedBefore, scope]);
      return Number(row?.["count"]);
    },
    async servedAt() {
      const [row] = await query("SELECT served_at FROM deckhand.schedule_service WHERE scope = $1", [scope]);
      return row?.["served_at"] as number | undefined;
    },
    async noteServed(at) {
      await query(noteServedSql, [scope, at]);
    },
    revision: () => tell.revision("schedule"),
  };
}

/** Its id makes a second try harmless: what was kept, without our hearing so, is found. */
async function insertSurely(insert: () => Promise<boolean>, isKept: () => Promise<boolean>): Promise<boolean> {
  try {
    return await insert();
  } catch (thrown) {
    if (!isConnectionLoss(thrown)) throw thrown;
    return (await insert()) || isKept();
  }
}

const insertRunSql = (told: string): string => `
  INSERT INTO deckhand.runs (${runColumnNames}, scope)
  SELECT ${runColumnNames}, $2 FROM json_populate_record(NULL::deckhand.runs, $1::json)
  ON CONFLICT (job_id, due_at) DO NOTHING RETURNING ${told}`;

const removeSql = (told: string): string => `
  WITH removed AS (DELETE FROM deckhand.jobs WHERE id = $1 RETURNING id), ended AS (
    UPDATE deckhand.runs SET ${cancelColumns} WHERE job_id = $1 AND state IN ('due', 'claimed', 'running'))
  SELECT EXISTS (SELECT 1 FROM removed) AS found, ${told}`;

const nextSql = `
  SELECT least(
    (SELECT min(next_at) FROM deckhand.jobs WHERE scope = $2 AND next_at > $1),
    (SELECT min(start_at) FROM deckhand.runs WHERE scope = $2 AND state = 'due' AND start_at > $1)) AS time`;

const noteServedSql = `
  INSERT INTO deckhand.schedule_service (scope, served_at) VALUES ($1, $2)
  ON CONFLICT (scope) DO UPDATE SET served_at = excluded.served_at`;

const isOld = `
  scope = $2 AND ended_at < $1 AND (
    due_at < (SELECT max(due_at) FROM deckhand.runs AS latest WHERE latest.job_id = runs.job_id)
    OR NOT EXISTS (SELECT 1 FROM deckhand.jobs WHERE jobs.id = runs.job_id))`;

const pruneSql = `
  WITH gone AS (DELETE FROM deckhand.runs WHERE ${isOld} RETURNING 1)
  SELECT count(*) AS count FROM gone`;

const underWay = "state IN ('claimed', 'running')";

function conditionsOf({ jobId, states, before }: RunQuery, scope: string): { where: string; values: unknown[] } {
  const values: unknown[] = [scope];
  const conditions = ["scope = $1"];
  if (jobId !== undefined) conditions.push(`job_id = $${values.push(toKey(jobId))}`);
  if (states) conditions.push(`state = ANY($${values.push(states)})`);
  // Said once more, so that they are found by their index and not among all that have ended.
  if (states?.every((state) => state === "claimed" || state === "running")) conditions.push(underWay);
  if (before) conditions.push(`(due_at, id) < ($${values.push(before.dueAt)}, $${values.push(toKey(before.id))})`);
  return { where: `WHERE ${conditions.join(" AND ")}`, values };
}
