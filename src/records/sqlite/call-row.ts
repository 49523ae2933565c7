import type { Execution } from "../../core/call.ts";
import { executionFromWire } from "../../core/wire.ts";
import type { Connection, Parameter, Row } from "./sqlite-connection.ts";
import { encodeExecution } from "../call-body.ts";

/** What is bound to the upsert, in the order of its columns. */
type ExecutionRow = readonly [id: string, toolId: string | null, ...others: Parameter[]];

/** Made before the write lock is taken: turning a record into text is half of the work. Never throws. */
export function executionToRow(execution: Execution): ExecutionRow {
  const { id, toolId, state, createdAt, completedAt, conversationId, owner } = execution;
  const created = Number.isFinite(createdAt) ? createdAt : 0;
  const ownerColumns = [owner?.pid, owner?.startTime, owner?.bootId];
  return [id, toolId, state, created, completedAt, conversationId, ...ownerColumns, encodeExecution(execution)];
}

/** Inserts or replaces; a final row stays. */
export function saveRows(connection: Connection, rows: readonly ExecutionRow[]): void {
  for (const row of rows) {
    const isSaved = connection.run(upsert, ...row) > 0;
    if (!isSaved) connection.run(replaceAll, ...row);
  }
}

/**
 * The same without a transaction around it: of its statements at most one changes something. A final row that comes alone
 * is mostly the outcome of one that was committed before it ran, and finding that is cheaper than failing to insert it.
 */
export function saveOneRow(connection: Connection, row: ExecutionRow): void {
  const [id, toolId, state, , completedAt, conversationId, pid, startTime, bootId, body] = row;
  const changed = [toolId, state, completedAt, body, pid, startTime, bootId];
  const isOutcome = completedAt !== null;
  if (isOutcome && connection.run(update, ...changed, id, conversationId) > 0) return;
  saveRows(connection, [row]);
}

const insert = `
  INSERT INTO executions
    (id, tool_id, state, created_at, completed_at, conversation_id, owner_pid, owner_start, owner_boot, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * Naming an indexed column in an update rewrites its index even when the value is the same (a sixth of the cost of a
 * commit). So the conversation, which never changes in practice, is only compared here, and replaced in a second statement.
 */
const upsert = `${insert}
  ON CONFLICT (id) DO UPDATE SET
    tool_id = excluded.tool_id, state = excluded.state, completed_at = excluded.completed_at, body = excluded.body,
    owner_pid = excluded.owner_pid, owner_start = excluded.owner_start, owner_boot = excluded.owner_boot
  WHERE state IN ('pending', 'running') AND conversation_id IS excluded.conversation_id`;

const update = `
  UPDATE executions
  SET tool_id = ?, state = ?, completed_at = ?, body = ?, owner_pid = ?, owner_start = ?, owner_boot = ?
  WHERE id = ? AND state IN ('pending', 'running') AND conversation_id IS ?`;

const replaceAll = `${insert}
  ON CONFLICT (id) DO UPDATE SET
    tool_id = excluded.tool_id, state = excluded.state, completed_at = excluded.completed_at, body = excluded.body,
    owner_pid = excluded.owner_pid, owner_start = excluded.owner_start, owner_boot = excluded.owner_boot,
    conversation_id = excluded.conversation_id
  WHERE state IN ('pending', 'running')`;

export const executionColumns = "id, tool_id, state, conversation_id, body";

/** A row whose body can't be read any more still tells what its columns say. */
export function executionFromRow(row: Row): Execution {
  try {
    return executionFromWire(JSON.parse(String(row["body"])));
  } catch {
    return executionFromWire({
      id: row["id"],
      tool_name: row["tool_id"] ?? "",
      tool_id: row["tool_id"],
      conversation_id: row["conversation_id"],
      state: row["state"],
      note: "The stored record is damaged: only its id, tool, conversation and state could be read.",
    });
  }
}
