import { executionStates, type Execution } from "./call.ts";
import { RuntimeError } from "./errors.ts";

/**
 * The one codec between camelCase inside and snake_case outside. `at` and keys that end in `At` are times: numbers inside,
 * ISO-8601 UTC outside. What belongs to a tool (its input, data, schema) passes untouched: its keys are not ours.
 * Any key comes back as it was: an underscore inside becomes two outside.
 */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (!isObject(value)) return value;
  const wire: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (inner === undefined) continue;
    if (opaqueKeys.has(key)) put(wire, snakeCase(key), inner);
    else put(wire, snakeCase(key), isTimeKey(key) ? timeToWire(inner) : toWire(inner));
  }
  return wire;
}

export function fromWire(wire: unknown): unknown {
  if (Array.isArray(wire)) return wire.map(fromWire);
  if (!isObject(wire)) return wire;
  const value: Record<string, unknown> = {};
  for (const key of Object.keys(wire)) {
    const name = camelCase(key);
    const inner = wire[key];
    if (opaqueKeys.has(name)) put(value, name, inner);
    else put(value, name, isTimeKey(name) && typeof inner === "string" ? parseTime(key, inner) : fromWire(inner));
  }
  return value;
}

/** `{id, tool_name, tool_input, state, result, error, duration_ms, attempt, …}`. Spelt out: every call pays for it. */
export function executionToWire(execution: Execution): WireExecution {
  return {
    id: execution.id,
    tool_name: execution.toolName,
    tool_id: execution.toolId,
    tool_input: execution.toolInput === undefined ? null : execution.toolInput,
    state: execution.state,
    run_phase: execution.runPhase,
    result: toWire(execution.result),
    error: execution.error,
    error_type: execution.errorType,
    note: execution.note,
    created_at: timeToWire(execution.createdAt),
    started_at: timeToWire(execution.startedAt),
    completed_at: timeToWire(execution.completedAt),
    duration_ms: execution.durationMs,
    attempt: execution.attempt,
    timeout_ms: execution.timeoutMs,
    idle_ms: execution.idleMs,
    version: execution.version,
    route: execution.route,
    canary_bucket: execution.canaryBucket,
    door: execution.door,
    conversation_id: execution.conversationId,
    turn: execution.turn,
    parent_id: execution.parentId,
    batch_id: execution.batchId,
    output_bytes: execution.outputBytes,
    stop_cause: execution.stopCause,
    stop_proof: execution.stopProof,
    killed: toWire(execution.killed),
    survivors: toWire(execution.survivors),
    owner: toWire(execution.owner),
    permission: toWire(execution.permission),
    sandbox: toWire(execution.sandbox),
  };
}

/** Keys that are missing, as in a record of an older version, get the value that says nothing. */
export function executionFromWire(wire: unknown): Execution {
  if (!isObject(wire) || typeof wire["id"] !== "string" || !isState(wire["state"])) {
    throw new RuntimeError(
      "WIRE_INVALID",
      `Expected an execution: a JSON object with at least an id and a state (${executionStates.join(", ")}).`,
    );
  }
  return { ...unsaid, ...(fromWire(wire) as Execution) };
}

/** The compiler holds `executionToWire` to every key of the record. */
export type WireExecution = { readonly [Key in keyof Execution as SnakeCase<Key>]: unknown };

const unsaid: Omit<Execution, "id" | "state"> = {
  toolName: "",
  toolId: null,
  toolInput: null,
  runPhase: "not_started",
  result: null,
  error: null,
  errorType: null,
  note: null,
  createdAt: 0,
  startedAt: null,
  completedAt: null,
  durationMs: null,
  attempt: 1,
  timeoutMs: null,
  idleMs: null,
  version: null,
  route: null,
  canaryBucket: null,
  door: null,
  conversationId: null,
  turn: null,
  parentId: null,
  batchId: null,
  outputBytes: 0,
  stopCause: null,
  stopProof: null,
  killed: [],
  survivors: [],
  owner: null,
  permission: null,
  sandbox: null,
};

const opaqueKeys = new Set(["toolInput", "data", "input", "inputSchema"]);
const snakeCases = new Map<string, string>();
const camelCases = new Map<string, string>();

function snakeCase(key: string): string {
  return remembered(snakeCases, key, () =>
    key.replaceAll(/[A-Z_]/g, (letter) => (letter === "_" ? "__" : `_${letter.toLowerCase()}`)),
  );
}

function camelCase(key: string): string {
  return remembered(camelCases, key, () =>
    key.replaceAll(/__|_([a-z])/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? "_"),
  );
}

function remembered(cache: Map<string, string>, key: string, change: () => string): string {
  let changed = cache.get(key);
  if (changed === undefined) {
    changed = change();
    // Keys are ours and few; the bound is for the day they are not.
    if (cache.size < 1000) cache.set(key, changed);
  }
  return changed;
}

function isTimeKey(key: string): boolean {
  return key === "at" || key.endsWith("At");
}

/** The range of a Date; beyond it there is no ISO form, and the number itself goes out. */
const farthestTime = 8.64e15;
let lastSecond = Number.NaN;
let lastSecondText = "";

/** Times of one call share their second, so most of the text is at hand: an eighth of the cost of `toISOString`. */
export function timeToWire(value: unknown): unknown {
  if (typeof value !== "number" || !(Math.abs(value) <= farthestTime)) return toWire(value);
  const time = Math.trunc(value);
  const second = Math.floor(time / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = new Date(second * 1000).toISOString().slice(0, -4);
  }
  return `${lastSecondText}${String(time - second * 1000).padStart(3, "0")}Z`;
}

const isoTime = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function parseTime(key: string, text: string): number {
  const time = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new RuntimeError("WIRE_INVALID", `Expected an ISO-8601 time in ${key}, got "${text}".`);
  return time;
}

function put(target: Record<string, unknown>, key: string, value: unknown): void {
  // Assigning to `__proto__` would change the object's prototype instead.
  if (key === "__proto__") Object.defineProperty(target, key, ownProperty(value));
  else target[key] = value;
}

function ownProperty(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, writable: true, configurable: true };
}

function isState(value: unknown): boolean {
  return executionStates.some((state) => state === value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What `toWire` makes of a type: snake_case keys, times as ISO-8601 text, what belongs to a tool untouched. For readers
 * on the other side of the wire, so that their types can't drift from ours.
 */
export type Wire<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : unknown extends Value
      ? Value
      : { readonly [Key in keyof Value as SnakeCase<Key & string>]: WireOf<Key, Value[Key]> };

type WireOf<Key, Value> = Key extends OpaqueKey
  ? Value
  : Key extends "at" | `${string}At`
    ? Exclude<Value, number> | (number extends Value ? string : never)
    : Wire<Value>;

type OpaqueKey = "toolInput" | "data" | "input" | "inputSchema";

/** `toolName` → `tool_name` */
type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Key;
