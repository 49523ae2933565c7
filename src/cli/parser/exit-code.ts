import type { Execution } from "../../core/call.ts";

/** What the command ends with; scripts depend on every one of them. */
export const exitCode = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  refused: 3,
  /** Of a watched daemon: its port or its place is another's just now. */
  inUse: 69,
  /** The store can't be asked: nothing is known of what was asked for. */
  unavailable: 69,
  /** Of a daemon: it wants to be started again, at once. */
  restart: 75,
  /** Of a daemon: starting it again would not help. */
  configuration: 78,
  timeLimit: 124,
  hangup: 129,
  cancelled: 130,
  terminated: 143,
} as const;

export type StopSignal = keyof typeof codeOfSignal;

export const codeOfSignal = {
  SIGINT: exitCode.cancelled,
  SIGTERM: exitCode.terminated,
  SIGHUP: exitCode.hangup,
} as const;

/** What to correct is the command line itself. */
const wrongUse = new Set(["unknown_tool", "invalid_input", "pattern"]);

/** A call that ended by itself before the signal could stop it ends the command with its own code. */
export function exitCodeOf(execution: Execution, signal?: StopSignal): number {
  const { state, errorType } = execution;
  switch (state) {
    case "completed":
      return exitCode.done;
    case "timeout":
      return exitCode.timeLimit;
    case "cancelled":
      if (errorType === "denied") return exitCode.refused;
      return signal ? codeOfSignal[signal] : exitCode.cancelled;
    case "failed":
      if (errorType === "denied") return exitCode.refused;
      return wrongUse.has(errorType ?? "") ? exitCode.wrongUse : exitCode.failed;
    case "pending":
    case "running":
      return exitCode.failed;
  }
}
