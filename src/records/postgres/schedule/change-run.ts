import { cutMiddle } from "../../../core/text.ts";
import { codeOf } from "../../../core/errors.ts";
import type { Claim, ClaimOrder, Run, RunChange } from "../../../core/job.ts";
import { toKey } from "../../store-rules.ts";
import { isConnectionLoss } from "../postgres-error.ts";
import { changedRunColumns, runColumns, runFromColumns, type ScheduleParts } from "./run-columns.ts";
import { keepOwner } from "../tasks/task-columns.ts";

const longestReason = 10_000;
const open = "state IN ('due', 'claimed', 'running')";

/**
 * One statement that names what it expects. When the connection breaks under it, nobody knows whether it was done: it is tried
 * once more, and one that is found as it was wanted is ours.
 */
export async function changeRun(parts: ScheduleParts, id: string, change: RunChange): Promise<Run | undefined> {
  if (change.set.owner) await parts.roll.enter();
  const unsure = parts.unsure.get(id);
  try {
    const changed = await update(parts, id, change);
    if (changed || !unsure || unsure.set.state !== change.set.state) return changed;
    return await recognize(parts, id, unsure);
  } catch (thrown) {
    if (!isConnectionLoss(thrown)) throw thrown;
    parts.unsure.set(id, change);
    const changed = (await update(parts, id, change)) ?? (await recognize(parts, id, change));
    parts.unsure.delete(id);
    return changed;
  } finally {
    if (unsure !== undefined && parts.unsure.get(id) === unsure) parts.unsure.delete(id);
  }
}

async function update(
  { connection, tell }: ScheduleParts,
  id: string,
  { from, fence, set }: RunChange,
): Promise<Run | undefined> {
  const values: unknown[] = [toKey(id), from];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const assignments = changedRunColumns(set).map(([name, value]) => `${name} = ${place(value)}`);
  const expected = fence === undefined ? "" : `AND fence = ${place(fence)}`;
  const [row] = await connection.query(
    `UPDATE deckhand.runs SET ${assignments.join(", ") || "id = id"} WHERE id = $1 AND state = ANY($2) AND ${open} ${expected}
    RETURNING ${runColumns}, ${tell.sql("schedule")}`,
    values,
  );
  tell.here("schedule");
  return row && runFromColumns(row, connection.name);
}

/** The row, when it is as we wanted it before the connection broke. */
async function recognize(
  { connection }: ScheduleParts,
  id: string,
  { fence, set }: RunChange,
): Promise<Run | undefined> {
  const [row] = await connection.query(`SELECT ${runColumns} FROM deckhand.runs WHERE id = $1`, [toKey(id)]);
  const wanted = changedRunColumns(fence === undefined ? set : { fence, ...set });
  return row && wanted.every(([name, value]) => row[name] === value) ? runFromColumns(row, connection.name) : undefined;
}

/** A due one ends at once; whoever has one of the others finds the reason. */
export const cancelColumns = `
  state = CASE WHEN state = 'due' THEN 'cancelled' ELSE state END,
  reason = CASE WHEN state = 'due' THEN $2 ELSE reason END,
  ended_at = CASE WHEN state = 'due' THEN $3 ELSE ended_at END,
  cancel_reason = CASE WHEN state = 'due' THEN cancel_reason ELSE coalesce(cancel_reason, $2) END`;

export async function cancelRun(
  { connection, tell, scope }: ScheduleParts,
  id: string,
  { reason, at }: { readonly reason: string; readonly at: number },
): Promise<boolean> {
  const [row] = await connection.query(
    `UPDATE deckhand.runs SET ${cancelColumns} WHERE id = $1 AND scope = $4 AND ${open} RETURNING ${tell.sql("schedule")}`,
    [toKey(id), keepReason(reason), at, scope],
  );
  tell.here("schedule");
  return row !== undefined;
}

export function keepReason(reason: string): string {
  return toKey(cutMiddle(reason, longestReason));
}

export async function claimRun(parts: ScheduleParts, id: string, order: ClaimOrder): Promise<Claim | undefined> {
  await parts.roll.enter();
  for (;;) {
    const claimed = await take(parts, id, order);
    if (claimed) return { claimed };
    const [row] = await parts.connection.query(findInTheWay, [toKey(id), parts.scope], "find_in_the_way");
    if (!row) return undefined;
    if (row["id"] !== null) return { inTheWay: runFromColumns(row, parts.connection.name) };
    // What was in the way has just ended.
  }
}

const uniqueViolation = "23505";

/** Undefined: it is not due, or another one of its job is under way; of two that claim at once, one meets the index. */
async function take(parts: ScheduleParts, id: string, order: ClaimOrder): Promise<Run | undefined> {
  const { connection, tell, scope } = parts;
  try {
    const values = [toKey(id), keepOwner(order.owner), order.alone, scope];
    const [row] = await connection.query(takeSql(tell.sql("schedule")), values, "claim_run");
    if (row) tell.here("schedule");
    return row && runFromColumns(row, connection.name);
  } catch (thrown) {
    if (codeOf((thrown as Error).cause) === uniqueViolation) return undefined;
    throw thrown;
  }
}

const isUnderWay = "other.job_id = runs.job_id AND other.state IN ('claimed', 'running')";

const takeSql = (told: string): string => `
  UPDATE deckhand.runs SET state = 'claimed', owner = $2, fence = fence + 1, waits_for = NULL, is_alone = $3
  WHERE id = $1 AND scope = $4 AND state = 'due' AND NOT ($3 AND EXISTS (SELECT 1 FROM deckhand.runs AS other WHERE ${isUnderWay}))
  RETURNING ${runColumns}, ${told}`;

/** No row: it is not due. A row of nulls: nothing is in the way. */
const findInTheWay = `
  SELECT ${runColumns.replaceAll("runs.", "other.")} FROM deckhand.runs
  LEFT JOIN deckhand.runs AS other ON ${isUnderWay}
  WHERE runs.id = $1 AND runs.scope = $2 AND runs.state = 'due' ORDER BY other.due_at LIMIT 1`;
