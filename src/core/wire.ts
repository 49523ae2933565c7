import { RuntimeError } from "./errors.ts";
import type { Execution } from "./execution.ts";

/**
 * The one codec between camelCase inside and snake_case outside. Keys that end in `At` are times: numbers inside,
 * ISO-8601 UTC outside. What belongs to a tool (its input, data, schema) passes untouched: its keys are not ours.
 */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (!isPlainObject(value)) return value;
  const wire: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (inner === undefined) continue;
    if (opaqueKeys.has(key)) wire[snakeCase(key)] = inner;
    else if (isTime(key, inner)) wire[snakeCase(key)] = new Date(inner).toISOString();
    else wire[snakeCase(key)] = toWire(inner);
  }
  return wire;
}

export function fromWire(wire: unknown): unknown {
  if (Array.isArray(wire)) return wire.map(fromWire);
  if (!isPlainObject(wire)) return wire;
  const value: Record<string, unknown> = {};
  for (const key of Object.keys(wire)) {
    const name = camelCase(key);
    const inner = wire[key];
    if (opaqueKeys.has(name)) value[name] = inner;
    else if (name.endsWith("At") && typeof inner === "string") value[name] = parseTime(key, inner);
    else value[name] = fromWire(inner);
  }
  return value;
}

/** `{id, tool_name, tool_input, state, result, error, duration_ms, attempt, …}`. */
export function executionToWire(execution: Execution): Record<string, unknown> {
  return toWire(execution) as Record<string, unknown>;
}

export function executionFromWire(wire: unknown): Execution {
  if (!isPlainObject(wire) || typeof wire["id"] !== "string" || typeof wire["state"] !== "string") {
    throw new RuntimeError("WIRE_INVALID", "Expected an execution: a JSON object with at least id and state.");
  }
  return fromWire(wire) as Execution;
}

const opaqueKeys = new Set(["toolInput", "data", "input", "inputSchema"]);
const caseCache = new Map<string, string>();

function snakeCase(key: string): string {
  let snake = caseCache.get(key);
  if (snake === undefined) {
    snake = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // Keys are ours and few; the bound is for the day they are not.
    if (caseCache.size < 1000) caseCache.set(key, snake);
  }
  return snake;
}

function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isTime(key: string, value: unknown): value is number {
  return typeof value === "number" && key.endsWith("At") && Number.isFinite(value);
}

function parseTime(key: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new RuntimeError("WIRE_INVALID", `Expected an ISO-8601 time in ${key}, got "${text}".`);
  return time;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
