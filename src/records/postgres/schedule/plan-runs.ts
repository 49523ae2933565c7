import type { JobPlan, PlannedRuns, Run } from "../../../core/job.ts";
import { changeRun, createStagger, toKey } from "../../store-rules.ts";
import { changedJobColumns, jobColumns, jobFromColumns } from "./job-columns.ts";
import type { Query, Row } from "../postgres-connection.ts";
import {
  changedRunColumns,
  runColumnNames,
  runColumns,
  runFromColumns,
  runToRecord,
  type ScheduleParts,
} from "./run-columns.ts";

/** "Late": nobody else uses this advisory lock. Runs that catch up are put one behind the other, over all jobs. */
const lockKey = 0x4c617465;

/** Carries out a plan: mostly one statement, since most of them only add rows. */
export async function planRuns(parts: ScheduleParts, jobId: string, plan: JobPlan): Promise<PlannedRuns | undefined> {
  const isPlain =
    plan.change.length === 0 && plan.forgetAfter === null && plan.add.every(({ trigger }) => trigger !== "catch_up");
  const { connection, tell } = parts;
  const planned = isPlain
    ? await write(parts, connection.query, { jobId, plan, add: plan.add })
    : await connection.transaction((query) => planInTurn(parts, query, { jobId, plan }));
  tell.here("schedule");
  return planned;
}

interface Planning {
  readonly jobId: string;
  readonly plan: JobPlan;
}

async function planInTurn(
  parts: ScheduleParts,
  query: Query,
  { jobId, plan }: Planning,
): Promise<PlannedRuns | undefined> {
  await query("SELECT pg_advisory_xact_lock($1)", [lockKey]);
  const [job] = await query("SELECT version FROM deckhand.jobs WHERE id = $1 FOR UPDATE", [toKey(jobId)]);
  if (job?.["version"] !== plan.version) return undefined;
  if (plan.forgetAfter !== null) await query(forget, [toKey(jobId), plan.forgetAfter]);
  const [latest] = await query(latestStart, [plan.now, parts.scope]);
  const stagger = createStagger((latest?.["time"] as number | null) ?? undefined, plan);
  const changed = await changeDue(parts, query, { plan, stagger });
  const taken = await findTaken(query, { jobId, plan });
  const add = plan.add.filter(({ dueAt }) => !taken.has(dueAt)).map(stagger);
  const planned = await write(parts, query, { jobId, plan, add });
  return planned && { job: planned.job, runs: [...changed, ...planned.runs] };
}

async function changeDue(
  { connection }: ScheduleParts,
  query: Query,
  { plan, stagger }: { readonly plan: JobPlan; readonly stagger: (run: Run) => Run },
): Promise<Run[]> {
  if (plan.change.length === 0) return [];
  const ids = plan.change.map(({ id }) => toKey(id));
  const rows = await query(`SELECT ${runColumns} FROM deckhand.runs WHERE id = ANY($1) ORDER BY id FOR UPDATE`, [ids]);
  const found = new Map(rows.map((row) => [String(row["id"]), runFromColumns(row, connection.name)]));
  const changed: Run[] = [];
  for (const { id, set } of plan.change) {
    const run = found.get(toKey(id));
    const wanted = run && changeRun(run, { from: ["due"], set });
    if (!wanted) continue;
    changed.push(stagger(wanted));
    const columns = changedRunColumns({ ...set, startAt: changed.at(-1)!.startAt });
    const assignments = columns.map(([name], index) => `${name} = $${index + 2}`);
    const values = [toKey(id), ...columns.map(([, value]) => value)];
    await query(`UPDATE deckhand.runs SET ${assignments.join(", ")} WHERE id = $1`, values);
  }
  return changed;
}

async function findTaken(query: Query, { jobId, plan }: Planning): Promise<ReadonlySet<unknown>> {
  const times = plan.add.map(({ dueAt }) => dueAt);
  const rows = await query("SELECT due_at FROM deckhand.runs WHERE job_id = $1 AND due_at = ANY($2)", [
    toKey(jobId),
    times,
  ]);
  return new Set(rows.map((row) => row["due_at"]));
}

/** Undefined: the job has another version by now. Runs whose due time has a row are left out. */
async function write(
  { connection, tell, scope }: ScheduleParts,
  query: Query,
  { jobId, plan, add }: Planning & { readonly add: readonly Run[] },
): Promise<PlannedRuns | undefined> {
  const values: unknown[] = [toKey(jobId), plan.version, JSON.stringify(add.map(runToRecord)), scope];
  const assignments = changedJobColumns(plan.set).map(([name, value]) => `${name} = $${values.push(value)}`);
  const [row] = await query(writeSql(["version = version + 1", ...assignments], tell.sql("schedule")), values);
  if (!row) return undefined;
  const added = new Set((row as Row & { readonly added: readonly string[] | null }).added);
  return { job: jobFromColumns(row, connection.name), runs: add.filter(({ id }) => added.has(toKey(id))) };
}

const writeSql = (assignments: readonly string[], told: string): string => `
  WITH jobs AS (
    UPDATE deckhand.jobs SET ${assignments.join(", ")} WHERE id = $1 AND version = $2 RETURNING ${jobColumns}
  ), added AS (
    INSERT INTO deckhand.runs (${runColumnNames}, scope)
    SELECT ${runColumnNames}, $4 FROM json_populate_recordset(NULL::deckhand.runs, $3::json) WHERE EXISTS (SELECT 1 FROM jobs)
    ON CONFLICT (job_id, due_at) DO NOTHING RETURNING id
  )
  SELECT ${jobColumns}, (SELECT array_agg(id) FROM added) AS added, ${told} FROM jobs`;

/** Times to come that were passed over: nothing was done for them. */
const forget = `
  DELETE FROM deckhand.runs WHERE job_id = $1 AND due_at > $2 AND state IN ('missed', 'skipped') AND span IS NULL`;

/** Of one that has started, a start to come says nothing: the clock was set back. */
const latestStart = `
  SELECT max(start_at) AS time FROM deckhand.runs
  WHERE scope = $2 AND trigger = 'catch_up' AND (state = 'due' OR start_at <= $1)`;
