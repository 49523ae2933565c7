import type { ApprovalAnswer } from "./approval.ts";
import type { Door, FinalState, Route, RunPhase } from "./call.ts";
import type { ErrorType } from "./errors.ts";
import type { FinalRunState, RunTrigger } from "./job.ts";
import type { RolloutEventType } from "./rollout-store.ts";
import type { FinalTaskState, TaskDoor } from "./task.ts";
import type { Progress } from "./tool.ts";

/** Every event of the runtime. Payloads are plain JSON values; each start has exactly one end. */
export interface RuntimeEvents extends ScheduleEvents {
  "execution:created": {
    readonly id: string;
    /** The name as it was asked for. */
    readonly toolName: string;
    readonly toolId: string | null;
    /** Without secrets. */
    readonly toolInput: unknown;
    readonly door: Door | null;
    readonly conversationId: string | null;
    readonly batchId: string | null;
  };
  "execution:started": {
    readonly id: string;
    readonly toolName: string;
    readonly toolId: string;
    /** Without secrets; a hook may have changed it since the call was created. */
    readonly toolInput: unknown;
    readonly version: string;
    readonly route: Route;
    readonly attempt: number;
    readonly timeoutMs: number;
  };
  "execution:progressed": { readonly id: string; readonly progress: Progress };
  "execution:settled": {
    readonly id: string;
    readonly toolName: string;
    readonly toolId: string | null;
    readonly state: FinalState;
    readonly runPhase: RunPhase;
    readonly error: string | null;
    readonly errorType: ErrorType | null;
    readonly durationMs: number | null;
    /** The beginning of the output, cut at 200 characters. */
    readonly summary: string;
  };
  /** `parallel`: how many read-only calls at the front overlap; 0 when that would be just one. */
  "batch:planned": { readonly batchId: string; readonly calls: number; readonly parallel: number };
  /** A person must say yes or no; `approval:settled` follows. */
  "approval:asked": {
    readonly id: string;
    readonly toolId: string;
    readonly title: string;
    readonly isDanger: boolean;
  };
  "approval:settled": { readonly id: string; readonly decision: ApprovalAnswer["decision"] };
  /** A question or an approval waits in the inbox. */
  "inbox:added": { readonly id: string; readonly kind: "question" | "approval"; readonly executionId: string };
  /** Something became of a version of a tool that comes from a file. */
  "rollout:changed": {
    readonly tool: string;
    readonly version: string | null;
    readonly rolloutId: string | null;
    readonly change: RolloutEventType;
    readonly by: "rule" | "person" | "file";
    readonly reason: string;
  };
  /**
   * Before anybody gets a new version, cases are tried on it; the first call waits for this. Told before the first of them and
   * after each; `rollout:changed` tells how it ended.
   */
  "rollout:replaying": {
    readonly tool: string;
    readonly version: string;
    readonly rolloutId: string;
    readonly tried: number;
    readonly cases: number;
  };
  /** The record of a call could not be written; the call itself went on as its outcome says. */
  "ledger:failed": { readonly id: string; readonly error: string };
  /** Something that a runtime which died had left running was ended. */
  "process:reaped": { readonly executionId: string; readonly pids: readonly number[] };
  /** A background task was taken on by this process; whoever watches it then tells the rest. */
  "task:created": { readonly id: string; readonly agent: string; readonly door: TaskDoor };
  "task:started": { readonly id: string; readonly agent: string; readonly attempt: number };
  "task:progressed": { readonly id: string; readonly progress: string | null; readonly sessionId: string | null };
  /** Once for each task, in the process that brought it to its end. */
  "task:settled": {
    readonly id: string;
    readonly agent: string;
    readonly state: FinalTaskState;
    readonly error: string | null;
  };
  "listener:failed": { readonly event: string; readonly error: string };
}

export type EventType = keyof RuntimeEvents;
export type RuntimeEvent<Type extends EventType = EventType> = {
  [Each in Type]: { readonly type: Each; readonly seq: number; readonly at: number } & RuntimeEvents[Each];
}[Type];

/** Never throws, never waits. */
export type Emit = <Type extends EventType>(type: Type, payload: RuntimeEvents[Type]) => void;

/** What the schedule tells. */
interface ScheduleEvents {
  "job:changed": {
    readonly id: string;
    readonly name: string;
    readonly change: "added" | "paused" | "resumed" | "removed";
    readonly by: string;
    readonly reason: string | null;
  };
  /** One attempt began; `run:retried` or `run:settled` follows, in this process or in the one that finds it. */
  "run:started": {
    readonly id: string;
    readonly jobId: string;
    readonly jobName: string;
    readonly dueAt: number;
    readonly trigger: RunTrigger;
    readonly attempt: number;
  };
  /** An attempt ended and the run will be tried again. */
  "run:retried": {
    readonly id: string;
    readonly jobId: string;
    readonly attempt: number;
    readonly startAt: number;
    readonly reason: string;
  };
  /** Once for each run, also for one that never started. */
  "run:settled": {
    readonly id: string;
    readonly jobId: string;
    readonly jobName: string;
    readonly dueAt: number;
    readonly state: FinalRunState;
    readonly reason: string | null;
  };
  /** The wall clock and the time that passed differ: it was set, or the machine slept. */
  "clock:jumped": { readonly byMs: number };
  /** Something of the schedule could not be done now and is tried again. */
  "schedule:failed": { readonly jobId: string | null; readonly error: string };
}
