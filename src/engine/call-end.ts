import type { ErrorType } from "../core/errors.ts";
import type { FinalState, RunPhase } from "../core/call.ts";
import type { StopReport } from "../core/process.ts";
import type { ToolResult } from "../core/tool.ts";
import type { CallControl } from "./call-control.ts";
import type { RunEnd } from "./run-tool.ts";

/** How a call ended, before it is entered in its record. */
export interface End {
  readonly state: FinalState;
  readonly runPhase: RunPhase | null;
  readonly result: ToolResult | null;
  readonly error: string | null;
  readonly errorType: ErrorType | null;
  readonly report: StopReport | null;
}

type Failure = Extract<ToolResult, { ok: false }>;

/** It never ran: `failure` says why. */
export function failed(failure: Failure): End {
  return {
    state: "failed",
    runPhase: null,
    result: failure,
    error: failure.error,
    errorType: failure.errorType ?? null,
    report: null,
  };
}

/** A rule or a person said no. */
export function denied(error: string): End {
  return { state: "cancelled", runPhase: null, result: null, error, errorType: "denied", report: null };
}

/** Stopped before it ran. A reason of the caller's own stays as it is; the usual one says when the call was stopped. */
export function stopped(control: CallControl): End {
  return {
    state: "cancelled",
    runPhase: null,
    result: null,
    error: usualReasons.has(control.reason) ? "Cancelled while waiting to run" : control.reason,
    errorType: "cancelled",
    report: null,
  };
}

const usualReasons: ReadonlySet<string> = new Set(["Cancelled", "Cancelled by its caller"]);

/** It ran. A stop that came first wins over whatever the tool returned after it. */
export function endOfRun(run: RunEnd, control: CallControl): End {
  const { runPhase, result, report } = run;
  if (control.cause) {
    const state = control.cause === "cancel" ? "cancelled" : "timeout";
    const proof: StopReport = report ?? { proof: "cooperative", killed: [], survivors: [] };
    const error = tellStop(control.reason, proof);
    return { state, runPhase, result: toStoppedResult(result, error), error, errorType: state, report: proof };
  }
  if (runPhase === "threw") {
    return { state: "failed", runPhase, result: null, error: run.thrown, errorType: "threw", report };
  }
  if (!isToolResult(result)) {
    const error =
      "The tool returned something that is not a result; expected { ok: true, output } or { ok: false, error }.";
    return { state: "failed", runPhase, result: null, error, errorType: "invalid_result", report };
  }
  if (result.ok) return { state: "completed", runPhase, result, error: null, errorType: null, report };
  return { state: "failed", runPhase, result, error: result.error, errorType: result.errorType ?? null, report };
}

/** What the tool returned after it was stopped. The output is kept, but it is never a success. */
function toStoppedResult(result: unknown, error: string): ToolResult | null {
  return isToolResult(result) ? { ...result, ok: false, error } : null;
}

function tellStop(reason: string, { proof, survivors }: StopReport): string {
  if (survivors.length > 0) {
    const list = survivors.map(({ pid, command }) => `${pid} (${command})`).join(", ");
    return `${reason}; still alive although it was killed: ${list}`;
  }
  return proof === "none" ? `${reason}; it did not stop when told to and may still be running` : reason;
}

function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== "object" || value === null) return false;
  const { ok, output, error, hint, errorType, files, outputBytes, outputLines } = value as {
    readonly [key: string]: unknown;
  };
  if (ok !== true && ok !== false) return false;
  if (ok ? typeof output !== "string" : typeof error !== "string") return false;
  return (
    [output, hint, errorType].every((each) => isMissing(each) || typeof each === "string") &&
    (isMissing(files) || (Array.isArray(files) && files.every((file) => typeof file === "string"))) &&
    [outputBytes, outputLines].every((each) => isMissing(each) || typeof each === "number")
  );
}

/** Null counts as left out: JSON and Python have no other word for it. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
