/**
 * - `opened`, `closed`: the first and the last line of a writer
 * - `tool_call`: the intent, before the call runs; `tool_result`, `tool_error`: its outcome
 * - `decision`: why a call may run or not, where somebody or something other than the mode decided
 * - `rollout`: what became of a version of a tool, and why
 * - `schedule`: what became of a job or one of its runs
 * - `audit`, `workflow`: what went in and came out, shortened; each can be switched off
 * - `rotated`: the first line of a segment; `pruned`: what retention removed; `repaired`: bytes that are no line;
 *   `gap`: lines that could not be written
 */
export const entryTypes = [
  "opened",
  "closed",
  "user_input",
  "assistant_output",
  "tool_call",
  "tool_result",
  "tool_error",
  "decision",
  "question",
  "answer",
  "audit",
  "workflow",
  "rollout",
  "schedule",
  "note",
  "rotated",
  "pruned",
  "repaired",
  "gap",
] as const;

export type EntryType = (typeof entryTypes)[number];

/** What is said in a line, in camelCase. `v`, `writer`, `seq`, `prev`, `after`, `at` and `hash` are the journal's own. */
export interface JournalEntry {
  readonly type: EntryType;
  readonly [key: string]: unknown;
}

export type FailurePolicy = "refuse" | "continue";
export type SyncPolicy = "never" | "interval" | "always";

export interface JournalSettings {
  /** Lines of type `audit`. */
  readonly audit: boolean;
  /** Lines of type `workflow`. */
  readonly workflow: boolean;
  /** What becomes of a call with effects that can't be logged. */
  readonly onFailure: FailurePolicy;
  readonly fsync: SyncPolicy;
  /** A segment that has grown to this is closed, and the next one begun. */
  readonly maxBytes: number;
}

export const defaultJournalSettings: JournalSettings = {
  audit: true,
  workflow: true,
  onFailure: "refuse",
  fsync: "interval",
  maxBytes: 64 * 1024 * 1024,
};
