import type { Run, RunChange, RunSet } from "../../../core/job.ts";
import { fromWire, toWire } from "../../../core/wire.ts";
import { fromKey, toKey } from "../../store-rules.ts";
import type { PostgresConnection, Row } from "../postgres-connection.ts";
import { damaged } from "../postgres-error.ts";
import type { OwnerRoll } from "../tasks/owner-heartbeats.ts";
import type { Telling } from "../tasks/store-parts.ts";
import { keepOwner } from "../tasks/task-columns.ts";

interface Column {
  readonly name: string;
  readonly keep: (value: unknown) => unknown;
  readonly read: (value: unknown) => unknown;
}

const columns: { readonly [Key in keyof Run]: Column } = {
  id: text("id"),
  jobId: text("job_id"),
  jobName: text("job_name"),
  dueAt: plain("due_at"),
  trigger: plain("trigger"),
  startAt: plain("start_at"),
  attempt: plain("attempt"),
  state: plain("state"),
  reason: text("reason"),
  createdAt: plain("created_at"),
  startedAt: plain("started_at"),
  endedAt: plain("ended_at"),
  owner: { name: "owner", keep: (value) => keepOwner(value as Run["owner"]), read: readJson },
  fence: plain("fence"),
  waitsFor: text("waits_for"),
  cancelReason: text("cancel_reason"),
  executionId: text("execution_id"),
  taskId: text("task_id"),
  sessionId: text("session_id"),
  summary: text("summary"),
  span: { name: "span", keep: keepJson, read: readJson },
};

/** What a run is read from, by name: a newer Deckhand may add more. */
export const runColumns = Object.values(columns)
  .map(({ name }) => `runs.${name}`)
  .join(", ");

/** Without the table's name, for an insert. */
export const runColumnNames = Object.values(columns)
  .map(({ name }) => name)
  .join(", ");

/** Each column that a change sets, with its value. */
export function changedRunColumns(set: RunSet): [name: string, value: unknown][] {
  const keys = (Object.keys(set) as (keyof RunSet)[]).filter((key) => set[key] !== undefined);
  return keys.map((key) => [columns[key].name, columns[key].keep(set[key])]);
}

/** As `json_populate_recordset` takes it. */
export function runToRecord(run: Run): Record<string, unknown> {
  return Object.fromEntries(changedRunColumns(run as RunSet));
}

export function runFromColumns(row: Row, store: string): Run {
  try {
    const entries = Object.entries(columns).map(([key, { name, read }]) => [key, read(row[name])]);
    return Object.fromEntries(entries) as Run;
  } catch (thrown) {
    throw damaged(store, `the run ${String(row["id"])} can't be read`, { cause: thrown });
  }
}

function plain(name: string): Column {
  return { name, keep: asIs, read: asIs };
}

function text(name: string): Column {
  return {
    name,
    keep: (value) => (value === null ? null : toKey(value as string)),
    read: (value) => (value === null ? null : fromKey(value as string)),
  };
}

function asIs(value: unknown): unknown {
  return value;
}

function keepJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(toWire(value));
}

function readJson(value: unknown): unknown {
  return value === null ? null : fromWire(JSON.parse(value as string));
}

/** What the parts of the store for jobs and runs share. */
export interface ScheduleParts {
  readonly connection: PostgresConnection;
  readonly roll: OwnerRoll;
  readonly tell: Telling;
  /** Whose jobs and runs they are, as it is kept. */
  readonly scope: string;
  /** What this process wanted to write when the connection broke: it may be there. */
  readonly unsure: Map<string, RunChange>;
}
