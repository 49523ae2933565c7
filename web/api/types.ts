import type { Execution } from "../../src/core/call.ts";
import type { InboxEntry as CoreInboxEntry } from "../../src/core/approval.ts";
import type { SessionSummary } from "../../src/core/session.ts";
import type { Task as CoreTask } from "../../src/core/task.ts";
import type { Wire } from "../../src/core/wire.ts";

export type Call = Wire<Execution>;
export type Task = Wire<CoreTask>;
export type InboxEntry = Wire<CoreInboxEntry>;
export type SessionItem = Wire<SessionSummary>;

export type Right = "read" | "run" | "approve";

export interface Status {
  readonly version: string;
  readonly workdir: string;
  readonly pid: number;
  readonly started_at: string;
  readonly ready: boolean;
  readonly safe_mode: boolean;
  readonly watchdog: boolean;
  readonly url: string;
  readonly rights: readonly Right[];
  readonly warnings: readonly string[];
  readonly counts: {
    readonly running_calls: number;
    readonly running_tasks: number;
    readonly waiting_inbox: number;
    readonly active_rollouts: number;
    readonly jobs: number;
    readonly paused_jobs: number;
  };
}

export interface List<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
}

export interface CallOutput {
  readonly text: string;
  readonly bytes: number;
  readonly is_cut: boolean;
  readonly running: boolean;
}

/** `from` and `to` are bytes of the task's output. */
export interface TaskOutput {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly done: boolean;
  /** The agent's own words so far, without what is around them. Left out: those that `answer_tag` of the request names. */
  readonly answer?: string;
  readonly answer_tag?: string;
  readonly error_text?: string;
}

export interface Agent {
  readonly name: string;
  readonly title: string;
  readonly installed: boolean;
  readonly install: string;
  readonly can_resume: boolean;
  readonly limit: number;
}

export interface LogItem {
  /** `segment:offset` */
  readonly id: string;
  /** Whether the line fits its hash. */
  readonly intact?: boolean;
  readonly entry: LogEntry;
}

export type LogEntry = Readonly<Record<string, unknown>>;

export interface VerifyReport {
  readonly ok: boolean;
  readonly segments: number;
  readonly lines: number;
  readonly bytes: number;
  readonly writers: number;
  readonly head: string | null;
  readonly heads_checked: number | null;
  readonly problems: readonly Finding[];
  readonly problem_count: number;
  readonly warnings: readonly Finding[];
  readonly warning_count: number;
}

export interface Finding {
  readonly kind: string;
  readonly message: string;
  readonly segment: string | null;
  readonly line: number | null;
  readonly writer: string | null;
  readonly seq: number | null;
}

/** Topics of the event stream's `changed`. */
export type Topic = "calls" | "tasks" | "rollouts" | "jobs" | "inbox" | "tools" | "sessions";
