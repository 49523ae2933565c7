import type { Job, Run, RunQuery, ScheduleStore } from "../../core/job.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { damaged } from "../store-error.ts";
import { cancelRun, changeRun, createStagger, toKey } from "../store-rules.ts";
import type { Database } from "./database.ts";
import type { Connection, Parameter, Row } from "./sqlite-connection.ts";

/** Jobs and runs in the database that all stores of a process share. */
export function createSqliteScheduleStore(database: Database): ScheduleStore {
  const { path } = database;
  /** Our own writes do not change `data_version`, but whoever waits must see ours too. */
  let ownWrites = 0;

  const write = async <Result>(work: (connection: Connection) => Result): Promise<Result> => {
    const result = await database.write(work);
    // Not before it is written: whoever looks in between would think that this was seen.
    ownWrites += 1;
    return result;
  };

  function findJob(connection: Connection, id: string): Job | undefined {
    const row = connection.get(`${selectJob} WHERE id = ?`, id);
    return row && jobFromRow(row, path);
  }

  function findRun(connection: Connection, id: string): Run | undefined {
    const row = connection.get(`${selectRun} WHERE id = ?`, id);
    return row && runFromRow(row, path);
  }

  function findRuns(connection: Connection, where: string, ...values: Parameter[]): Run[] {
    return connection.all(`${selectRun} ${where}`, ...values).map((row) => runFromRow(row, path));
  }

  /** Undefined from `change`: it stays as it is. */
  const changeOne = (id: string, change: (run: Run) => Run | undefined): Promise<Run | undefined> =>
    write((connection) => {
      const run = findRun(connection, id);
      const changed = run && change(run);
      if (changed) updateRun(connection, changed);
      return changed;
    });

  return {
    isDurable: true,
    addJob: (job) => write((connection) => insertJob(connection, job)),
    getJob: (id) => database.read((connection) => findJob(connection, id)),
    listJobs: ({ dueBy } = {}) =>
      database.read((connection) => {
        const [where, values] = dueBy === undefined ? ["", []] : ["WHERE next_at <= ?", [dueBy]];
        return connection.all(`${selectJob} ${where} ORDER BY name`, ...values).map((row) => jobFromRow(row, path));
      }),
    changeJob: (id, version, set) =>
      write((connection) => {
        const job = findJob(connection, id);
        if (job?.version !== version) return undefined;
        const changed: Job = { ...job, ...set, version: version + 1 };
        updateJob(connection, changed);
        return changed;
      }),
    removeJob: (id, order) =>
      write((connection) => {
        const open = findRuns(connection, "WHERE job_id = ? AND state IN ('due', 'claimed', 'running')", id);
        for (const run of open) updateRun(connection, cancelRun(run, order)!);
        return connection.run("DELETE FROM schedule_jobs WHERE id = ?", id) > 0;
      }),
    plan: (jobId, plan) =>
      write((connection) => {
        const job = findJob(connection, jobId);
        if (job?.version !== plan.version) return undefined;
        const passedOver = plan.forgetAfter === null ? [] : findRuns(connection, laterUndone, jobId, plan.forgetAfter);
        for (const { id, span } of passedOver) if (!span) connection.run("DELETE FROM schedule_runs WHERE id = ?", id);
        const stagger = createStagger(latestCatchUp(connection, plan.now), plan);
        const runs: Run[] = [];
        for (const { id, set } of plan.change) {
          const found = findRun(connection, id);
          const changed = found && changeRun(found, { from: ["due"], set });
          if (!changed) continue;
          runs.push(stagger(changed));
          updateRun(connection, runs.at(-1)!);
        }
        for (const run of plan.add) {
          if (connection.get(bySlot, jobId, run.dueAt)) continue;
          runs.push(stagger(run));
          insertRun(connection, runs.at(-1)!);
        }
        const planned: Job = { ...job, ...plan.set, version: job.version + 1 };
        updateJob(connection, planned);
        return { job: planned, runs };
      }),
    addRun: (run) => write((connection) => insertRun(connection, run)),
    getRun: (id) => database.read((connection) => findRun(connection, id)),
    listRuns: (query) =>
      database.read((connection) => {
        const { where, values } = conditionsOf(query);
        return findRuns(connection, `${where} ORDER BY due_at DESC, id DESC LIMIT ?`, ...values, query.limit);
      }),
    listDue: ({ startBy, limit, after }) =>
      database.read((connection) => {
        const { startAt, id } = after ?? { startAt: Number.MIN_SAFE_INTEGER, id: "" };
        return findRuns(connection, due, startBy, startAt, startAt, id, limit);
      }),
    nextTime: (now) =>
      database.read((connection) => {
        const times = [connection.get(nextDue, now), connection.get(nextStart, now)].flatMap(
          (row) => row?.["time"] ?? [],
        );
        return times.length === 0 ? undefined : Math.min(...times.map(Number));
      }),
    claim: (id, { owner, alone }) =>
      write((connection) => {
        const run = findRun(connection, id);
        if (run?.state !== "due") return undefined;
        const [inTheWay] = alone ? findRuns(connection, underWay, run.jobId) : [];
        if (inTheWay) return { inTheWay };
        const claimed: Run = { ...run, state: "claimed", owner, fence: run.fence + 1, waitsFor: null };
        updateRun(connection, claimed);
        return { claimed };
      }),
    changeRun: (id, change) => changeOne(id, (run) => changeRun(run, change)),
    requestCancel: async (id, order) => (await changeOne(id, (run) => cancelRun(run, order))) !== undefined,
    countPrunable: (endedBefore) =>
      database.read((connection) => Number(connection.get(countOld, endedBefore)?.["count"])),
    prune: (endedBefore) => write((connection) => connection.run(prune, endedBefore)),
    servedAt: () =>
      database.read((connection) => {
        const row = connection.get("SELECT served_at FROM schedule_service");
        return row && Number(row["served_at"]);
      }),
    noteServed: (at) => database.write((connection) => void connection.run(noteServed, at)),
    revision: () => database.dataVersion() + ownWrites,
  };
}

const selectJob = "SELECT id, body FROM schedule_jobs";
const selectRun = "SELECT id, body FROM schedule_runs";
const bySlot = "SELECT id FROM schedule_runs WHERE job_id = ? AND due_at = ?";
// `+`: by the state. In the order of the due times it would walk through all that the job ever did.
const underWay = "WHERE job_id = ? AND state IN ('claimed', 'running') ORDER BY +due_at LIMIT 1";
const due = `
  WHERE state = 'due' AND start_at <= ? AND (start_at > ? OR (start_at = ? AND id > ?)) ORDER BY start_at, id LIMIT ?`;
const laterUndone = "WHERE job_id = ? AND due_at > ? AND state IN ('missed', 'skipped')";
const nextDue = "SELECT min(next_at) AS time FROM schedule_jobs WHERE next_at > ?";
const nextStart = "SELECT min(start_at) AS time FROM schedule_runs WHERE state = 'due' AND start_at > ?";
const noteServed = `
  INSERT INTO schedule_service (id, served_at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET served_at = excluded.served_at`;
const isOld = `
  ended_at < ? AND (
    due_at < (SELECT max(due_at) FROM schedule_runs AS latest WHERE latest.job_id = schedule_runs.job_id)
    OR NOT EXISTS (SELECT 1 FROM schedule_jobs WHERE schedule_jobs.id = schedule_runs.job_id))`;
const countOld = `SELECT count(*) AS count FROM schedule_runs WHERE ${isOld}`;
const prune = `DELETE FROM schedule_runs WHERE ${isOld}`;

/** Of one that has started, a start to come says nothing: the clock was set back. */
const latestStart = `
  SELECT max(start_at) AS time FROM schedule_runs WHERE is_catch_up = 1 AND (state = 'due' OR start_at <= ?)`;

function latestCatchUp(connection: Connection, now: number): number | undefined {
  const time = connection.get(latestStart, now)?.["time"] ?? undefined;
  return time === undefined ? undefined : Number(time);
}

function conditionsOf({ jobId, states, before }: RunQuery): { where: string; values: Parameter[] } {
  const conditions: string[] = [];
  const values: Parameter[] = [];
  if (jobId !== undefined) {
    conditions.push("job_id = ?");
    values.push(jobId);
  }
  if (states) {
    conditions.push(`state IN (${states.map(() => "?").join(", ")})`);
    values.push(...states);
  }
  if (before) {
    conditions.push("(due_at < ? OR (due_at = ? AND id < ?))");
    values.push(before.dueAt, before.dueAt, before.id);
  }
  return { where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`, values };
}

/** False: there is one of its name or id. */
function insertJob(connection: Connection, job: Job): boolean {
  const { id, name, version, nextAt } = job;
  return connection.run(insertJobSql, id, toKey(name), version, nextAt, JSON.stringify(toWire(job))) > 0;
}

function updateJob(connection: Connection, job: Job): void {
  connection.run(updateJobSql, job.version, job.nextAt, JSON.stringify(toWire(job)), job.id);
}

/** False: its due time has a row. */
function insertRun(connection: Connection, run: Run): boolean {
  const { id, jobId, dueAt, state, startAt, endedAt, trigger } = run;
  const body = JSON.stringify(toWire(run));
  return connection.run(insertRunSql, id, jobId, dueAt, state, startAt, endedAt, trigger === "catch_up", body) > 0;
}

function updateRun(connection: Connection, run: Run): void {
  const { id, state, startAt, endedAt, trigger } = run;
  connection.run(updateRunSql, state, startAt, endedAt, trigger === "catch_up", JSON.stringify(toWire(run)), id);
}

function jobFromRow(row: Row, path: string): Job {
  return parseBody(row, path) as Job;
}

function runFromRow(row: Row, path: string): Run {
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
