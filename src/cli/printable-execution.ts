import type { Execution } from "../core/execution.ts";
import { executionToWire, type WireExecution } from "../core/wire.ts";

/** The record as JSON can show it. What belongs to a tool may be nested too deep or in a circle; then a note stands for it. */
export function printableExecution(execution: Execution): WireExecution {
  const wire = executionToWire(execution);
  if (isPrintable(wire)) return wire;
  return { ...wire, tool_input: orNote(wire.tool_input), result: orNote(wire.result) };
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
