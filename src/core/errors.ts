/** Misuse and broken invariants. What a tool did is never one of these: that is an outcome. */
export type ErrorCode =
  | "AGENT_BUSY"
  | "BATCH_ENDED"
  | "CONFIG_INVALID"
  | "DAEMON_RUNNING"
  | "DUPLICATE_TOOL"
  | "ILLEGAL_TRANSITION"
  | "INVALID_TOOL"
  | "JOB_INVALID"
  | "JOB_UNKNOWN"
  | "LOG_UNWRITABLE"
  | "MODEL_INVALID"
  | "PROMPT_EMPTY"
  | "RUNTIME_CLOSED"
  | "SESSION_BUSY"
  | "SESSION_DAMAGED"
  | "SESSION_UNKNOWN"
  | "ROLLOUT_STATE"
  | "STORE_BUSY"
  | "STORE_CLOSED"
  | "STORE_DAMAGED"
  | "STORE_FULL"
  | "STORE_NEWER"
  | "STORE_READ_ONLY"
  | "STORE_UNAVAILABLE"
  | "TASK_INVALID"
  | "TASK_UNKNOWN"
  | "UNKNOWN_TOOL"
  | "VERSION_UNKNOWN"
  | "WIRE_INVALID"
  | "WORKDIR_INVALID";

/** Test `error.code`, not `instanceof`: an error that crossed a process keeps only its code. */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The text of anything that was thrown. Never throws itself: tools throw whatever they like. */
export function messageOf(thrown: unknown): string {
  try {
    // Not `instanceof`: an error of another realm is none of ours.
    const { message } = Object(thrown) as { readonly message?: unknown };
    if (typeof message === "string" && message !== "") return message;
    return thrown instanceof Error ? String(thrown.name) : String(thrown);
  } catch {
    return "something that has no text was thrown";
  }
}

/** The `code` of a thrown system error (`ENOENT`, …) or of a RuntimeError. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/**
 * Why an execution did not complete, as a word a program can branch on. Custom tools may bring their own words,
 * so the union stays open.
 */
export type ErrorType =
  | "unknown_tool"
  | "invalid_input"
  | "repeated_failure" // the failure guard did not run it again
  | "denied" // a rule or a person said no
  | "cancelled"
  | "timeout"
  | "threw" // `run` threw instead of returning a result
  | "invalid_result" // `run` returned something that is not a ToolResult
  | "runtime_lost" // the process that ran it ended first: outcome unknown
  | "store" // the call could not be recorded, so it was not run
  | "exit_code"
  | "signal" // the command was killed by a signal that was not ours
  | "spawn" // the program could not be started
  | "output_limit"
  | "not_found"
  | "is_directory"
  | "not_directory"
  | "not_a_file" // a device, pipe or socket
  | "access" // the operating system refused
  | "too_large"
  | "binary"
  | "encoding"
  | "no_match"
  | "not_unique"
  | "no_change"
  | "changed_meanwhile"
  | "disk_full"
  | "resources" // the machine or the process has no more files, processes or memory to give
  | "pattern"
  | "io"
  | (string & {});
