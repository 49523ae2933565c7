import type { ApprovalAnswer } from "./approval.ts";
import type { Door, FinalState, Route, RunPhase, RunStatistics } from "./call.ts";
import type { ErrorType } from "./errors.ts";
import type { FinalRunState, RunTrigger } from "./job.ts";
import type { FailureKind, StopReason, Usage } from "./model.ts";
import type { RolloutEventType } from "./stores.ts";
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

/**
 * What an agent does, as it happens. Payloads are plain JSON values, secrets masked where they come from tools; the texts
 * of the model are as it wrote them, and are masked by whoever lets them leave the process. What tools do while they run
 * comes as events of the runtime.
 */
export interface AgentEvents {
  /** A prompt was taken; `run:ended` follows. */
  "run:started": { readonly sessionId: string; readonly model: string };
  /** A request goes to the model. A run has one turn or more. */
  "turn:started": { readonly turn: number };
  "reply:text": { readonly text: string };
  "reply:thinking": { readonly text: string };
  /** The model names a tool; its arguments still come. */
  "call:announced": { readonly callId: string; readonly tool: string };
  /** The arguments are complete and the call is on its way. `title`: what to show of its input, one line. */
  "call:added": {
    readonly callId: string;
    readonly executionId: string;
    readonly tool: string;
    readonly title: string;
    /** The arguments as the model sent them, without secrets; text when they are not JSON. */
    readonly input: unknown;
    /** It started before the reply ended. */
    readonly isEarly: boolean;
  };
  "call:settled": {
    readonly callId: string;
    readonly executionId: string;
    readonly tool: string;
    readonly state: FinalState;
    readonly error: string | null;
    readonly errorType: ErrorType | null;
    readonly durationMs: number | null;
    /** The output, cut at 2,000 characters. */
    readonly output: string;
    readonly outputBytes: number;
    /** Of the whole output. */
    readonly outputLines?: number;
    /** What to do about the error. */
    readonly hint?: string;
    /** Of a call that changed a file. */
    readonly diff: string | null;
  };
  /** The calls of a reply are known. `running`: how many of its read-only calls run in parallel now. */
  "calls:planned": { readonly calls: number; readonly readOnly: number; readonly running: number };
  "reply:finished": {
    readonly text: string;
    readonly calls: number;
    readonly stop: StopReason;
    readonly usage: Usage;
    /** US dollars; null when the price is not known. */
    readonly cost: number | null;
  };
  /** What came of the reply since `turn:started` is void: it was cut or stopped. Calls that had started are cancelled. */
  "reply:discarded": { readonly kind: FailureKind; readonly message: string };
  /** The same request is sent again after the delay. */
  "model:retrying": {
    readonly attempt: number;
    readonly maxAttempts: number;
    readonly delayMs: number;
    readonly message: string;
  };
  /** After each turn. */
  "context:measured": { readonly tokens: number; readonly maxTokens: number };
  "context:compacted": {
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly messages: number;
    readonly pins: number;
  };
  /** Each turn: how much smaller the offered schemas are than all of them. */
  "tools:offered": {
    readonly offered: number;
    readonly total: number;
    readonly tokens: number;
    readonly allTokens: number;
    readonly savedPercent: number;
  };
  /** What an answer says it did, against what was done. */
  "evidence:checked": {
    /** `deckhand log evidence ID` shows it in full. */
    readonly answerId: string;
    readonly claims: number;
    readonly matched: number;
    readonly unmatched: readonly string[];
    /** All of that in one quiet line. */
    readonly text: string;
  };
  "notice:told": { readonly level: "info" | "warning"; readonly text: string };
  "run:ended": RunEnd;
}

/**
 * - `answered`: the model said what it had to say
 * - `max_turns`, `max_cost`: a limit was reached first
 * - `cancelled`: the person stopped it
 * - `failed`: the model could not be reached or did not take the request
 */
export type RunState = "answered" | "max_turns" | "max_cost" | "cancelled" | "failed";

export interface RunEnd {
  readonly sessionId: string;
  readonly state: RunState;
  /** The last text of the model. */
  readonly text: string;
  /** Why it did not answer, in one sentence; null when it did. */
  readonly reason: string | null;
  readonly failureKind: FailureKind | null;
  readonly statistics: AgentStatistics;
}

/** Of one run. */
export interface AgentStatistics extends RunStatistics {
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: number | null;
  readonly durationMs: number;
}

export type AgentEventType = keyof AgentEvents;
export type AgentEvent<Type extends AgentEventType = AgentEventType> = {
  [Each in Type]: { readonly type: Each; readonly at: number } & AgentEvents[Each];
}[Type];

/** Never throws, never waits. */
export type EmitAgent = <Type extends AgentEventType>(type: Type, payload: AgentEvents[Type]) => void;
