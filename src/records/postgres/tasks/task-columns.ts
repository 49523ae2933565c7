import type { ProcessIdentity } from "../../../core/process.ts";
import type { Task, TaskChange, TaskOrder } from "../../../core/task.ts";
import { fromWire, toWire } from "../../../core/wire.ts";
import { damaged } from "../postgres-error.ts";
import { fromKey, toKey } from "../../store-rules.ts";
import type { Row } from "../postgres-connection.ts";

type Changing = keyof TaskChange["set"];

/** Every column that a change may set, and how its value is kept. */
const columns: { readonly [Key in Changing]-?: readonly [name: string, keep: (value: Task[Key]) => unknown] } = {
  state: ["state", asIs],
  startedAt: ["started_at", asIs],
  completedAt: ["completed_at", asIs],
  activeAt: ["active_at", asIs],
  result: ["result", keepText],
  error: ["error", keepText],
  sessionId: ["session_id", keepText],
  progress: ["progress", keepText],
  process: ["process", keepJson],
  owner: ["owner", keepOwner],
  stopProof: ["stop_proof", keepText],
  cancelReason: ["cancel_reason", keepText],
  attempt: ["attempt", asIs],
  isLate: ["is_late", asIs],
};

export interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

export function changedColumns(set: TaskChange["set"]): NamedValue[] {
  const keys = (Object.keys(set) as Changing[]).filter((key) => set[key] !== undefined);
  return keys.map((key) => {
    const [name, keep] = columns[key] as readonly [string, (value: unknown) => unknown];
    return { name, value: keep(set[key]) };
  });
}

export function allColumns({ id, order, createdAt, folder, door, ...changing }: Task): NamedValue[] {
  const given: Record<string, unknown> = {
    id,
    agent: toKey(order.agent),
    idempotency_key: keepText(order.idempotencyKey),
    body: JSON.stringify(toWire(order)),
    created_at: createdAt,
    folder: toKey(folder),
    door,
  };
  return [...Object.entries(given).map(([name, value]) => ({ name, value })), ...changedColumns(changing)];
}

/** What a task is read from. Without its order, when that is known: it may have megabytes. */
export function readColumns(knownOrder: TaskOrder | undefined): string {
  const names = ["id", "created_at", "folder", "door", ...Object.values(columns).map(([name]) => name)];
  return [...names, ...(knownOrder ? [] : ["body"])].map((name) => `tasks.${name}`).join(", ");
}

/** `order`: for a row that was read without it. */
export function taskFromColumns(row: Row, store: string, order?: TaskOrder): Task {
  try {
    return {
      id: String(row["id"]),
      order: order ?? (fromWire(JSON.parse(String(row["body"]))) as TaskOrder),
      state: row["state"] as Task["state"],
      createdAt: Number(row["created_at"]),
      startedAt: row["started_at"] as number | null,
      completedAt: row["completed_at"] as number | null,
      activeAt: row["active_at"] as number | null,
      result: readText(row["result"]),
      error: readText(row["error"]),
      sessionId: readText(row["session_id"]),
      progress: readText(row["progress"]),
      process: readJson(row["process"]) as Task["process"],
      owner: readJson(row["owner"]) as Task["owner"],
      stopProof: readText(row["stop_proof"]),
      cancelReason: readText(row["cancel_reason"]),
      folder: fromKey(String(row["folder"])),
      door: row["door"] as Task["door"],
      attempt: Number(row["attempt"]),
      ...(row["is_late"] === true ? { isLate: true } : {}),
    };
  } catch (thrown) {
    throw damaged(store, `the task ${String(row["id"])} can't be read`, { cause: thrown });
  }
}

/** Compared as text, so always spelt the same. */
export function keepOwner(owner: ProcessIdentity | null): string | null {
  return owner && keepJson({ pid: owner.pid, startTime: owner.startTime, bootId: owner.bootId });
}

function asIs(value: unknown): unknown {
  return value;
}

function keepText(text: string | null): string | null {
  return text === null ? null : toKey(text);
}

function readText(value: unknown): string | null {
  return value === null ? null : fromKey(value as string);
}

function keepJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(toWire(value));
}

function readJson(value: unknown): unknown {
  return value === null ? null : fromWire(JSON.parse(value as string));
}
