import { clipText } from "../../core/text.ts";
import type { Execution } from "../../core/call.ts";
import { executionToWire, type WireExecution } from "../../core/wire.ts";

/** The record as JSON can show it. What belongs to a tool may be nested too deep or in a circle; then a note stands for it. */
export function printableExecution(execution: Execution): WireExecution {
  const wire = executionToWire(execution);
  if (isPrintable(wire)) return wire;
  return { ...wire, tool_input: orNote(wire.tool_input), result: orNote(wire.result) };
}

/** The same for lists: texts of more than 500 characters are cut, and so is what is large or deep in its input and result. */
export function briefExecution(execution: Execution): WireExecution {
  const wire = executionToWire(execution);
  return { ...wire, tool_input: shorten(wire.tool_input, 0), result: shorten(wire.result, 0) };
}

const longestText = 500;
const mostItems = 50;
const deepest = 6;

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.length > longestText ? `${clipText(value, longestText)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest) return "…";
  if (Array.isArray(value)) {
    const items = value.slice(0, mostItems).map((each) => shorten(each, depth + 1));
    return value.length > mostItems ? [...items, "…"] : items;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, mostItems).map(([key, each]) => [key, shorten(each, depth + 1)] as const);
  return Object.fromEntries(entries.length > mostItems ? [...kept, ["…", "…"] as const] : kept);
}

function orNote(value: unknown): unknown {
  return isPrintable(value) ? value : "[can't be shown as JSON: nested too deep, or in a circle]";
}

function isPrintable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false; // a RangeError or a TypeError; either says only that
  }
}
