import type { Execution } from "../../core/call.ts";
import type { Permission } from "../../core/permission.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { ToolResult } from "../../core/tool.ts";
import { executionFromWire, executionToWire, timeToWire, toWire } from "../../core/wire.ts";
import { boundNotes, boundResult, boundText } from "../bound-call.ts";
import { toPortable } from "../portable-value.ts";
import type { Connection, Parameter, Row } from "./sqlite-connection.ts";

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

/**
 * The record as stores keep it: snake_case JSON of bounded size, without its nulls, a fifth of it: reading puts them back.
 * Spelt out as text, because every call pays for it: a third of the cost of building objects first. Never throws.
 */
export function encodeExecution(execution: Execution): string {
  try {
    return encode(execution);
  } catch {
    // Whatever a program in plain JavaScript put in the place of a text or a number, and JSON can't carry.
    return encodeWhatever(execution);
  }
}

function encode(execution: Execution): string {
  const { toolInput, result, error, errorType, note, killed, survivors, owner, permission, sandbox } = execution;
  return (
    `{"id":${json(execution.id)},"tool_name":${json(boundText(execution.toolName))}` +
    said(',"tool_id":', execution.toolId) +
    (toolInput === null || toolInput === undefined ? "" : `,"tool_input":${json(toPortable(toolInput))}`) +
    `,"state":"${execution.state}","run_phase":"${execution.runPhase}"` +
    (result === null ? "" : `,"result":${encodeResult(result)}`) +
    said(',"error":', error && boundText(error)) +
    said(',"error_type":', errorType && boundText(errorType)) +
    said(',"note":', note && boundText(note)) +
    said(',"created_at":', timeToWire(execution.createdAt)) +
    said(',"started_at":', timeToWire(execution.startedAt)) +
    said(',"completed_at":', timeToWire(execution.completedAt)) +
    said(',"duration_ms":', execution.durationMs) +
    said(',"attempt":', execution.attempt) +
    said(',"timeout_ms":', execution.timeoutMs) +
    said(',"idle_ms":', execution.idleMs) +
    said(',"version":', execution.version) +
    said(',"route":', execution.route) +
    said(',"canary_bucket":', execution.canaryBucket) +
    said(',"door":', execution.door) +
    said(',"conversation_id":', execution.conversationId) +
    said(',"turn":', execution.turn) +
    said(',"parent_id":', execution.parentId) +
    said(',"batch_id":', execution.batchId) +
    said(',"output_bytes":', execution.outputBytes) +
    said(',"stop_cause":', execution.stopCause) +
    said(',"stop_proof":', execution.stopProof) +
    `,"killed":${killed.length === 0 ? "[]" : json(toWire(boundNotes(killed)))}` +
    `,"survivors":${survivors.length === 0 ? "[]" : json(toWire(boundNotes(survivors)))}` +
    (owner === null ? "" : `,"owner":${encodeOwner(owner)}`) +
    (permission === null ? "" : `,"permission":${encodePermission(permission)}`) +
    (sandbox === null ? "}" : `,"sandbox":${json(toWire(sandbox))}}`)
  );
}

function said(key: string, value: unknown): string {
  return value === null || value === undefined ? "" : key + json(value);
}

const plain = /^[\w .,:;@/+-]*$/;

/** Ids, names and times mostly need no escaping, and that is told faster than it is done. */
function json(value: unknown): string {
  if (typeof value === "string") return value.length < 64 && plain.test(value) ? `"${value}"` : JSON.stringify(value);
  if (typeof value === "number") return Number.isFinite(value) ? `${value}` : "null";
  return JSON.stringify(value) ?? "null";
}

/** Most results are one text. */
function encodeResult(result: ToolResult): string {
  for (const key in result) {
    if (key !== "ok" && key !== "output") return json(toWire(boundResult(result)));
  }
  const { ok, output } = result;
  return ok && output !== undefined
    ? `{"ok":true,"output":${json(boundText(output))}}`
    : json(toWire(boundResult(result)));
}

let lastOwner: ProcessIdentity | null = null;
let lastOwnerText = "";

/** All calls of a process have the same one. */
function encodeOwner(owner: ProcessIdentity): string {
  if (owner !== lastOwner) {
    lastOwnerText = json(toWire(owner));
    lastOwner = owner;
  }
  return lastOwnerText;
}

/** Most of them say only who decided. */
function encodePermission(permission: Permission): string {
  const { decision, by, rule, who, dangers, reasons } = permission;
  if (dangers.length > 0 || reasons.length > 0) return json(toWire(permission));
  return `{"decision":${json(decision)},"by":${json(by)},"rule":${json(rule)},"who":${json(who)},"dangers":[],"reasons":[]}`;
}

function encodeWhatever(execution: Execution): string {
  const wire: Record<string, unknown> = { ...executionToWire(toPortable(execution) as Execution) };
  for (const key in wire) if (wire[key] === null) wire[key] = undefined;
  return JSON.stringify(wire);
}
