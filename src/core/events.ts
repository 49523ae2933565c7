import type { ErrorType } from "./errors.ts";
import type { Door, FinalState, Route, RunPhase } from "./execution.ts";
import type { ApprovalAnswer } from "./approval.ts";
import type { Progress } from "./tool.ts";

/** Every event of the runtime. Payloads are plain JSON values; each start has exactly one end. */
export interface RuntimeEvents {
  "execution:created": {
    readonly id: string;
    readonly toolName: string;
    readonly toolId: string | null;
    readonly door: Door | null;
    readonly conversationId: string | null;
    readonly batchId: string | null;
  };
  "execution:started": {
    readonly id: string;
    readonly toolId: string;
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
  /** The record of a call could not be written; the call itself went on as its outcome says. */
  "ledger:failed": { readonly id: string; readonly error: string };
  /** Something that a runtime which died had left running was ended. */
  "process:reaped": { readonly executionId: string; readonly pids: readonly number[] };
  "listener:failed": { readonly event: string; readonly error: string };
}

export type EventType = keyof RuntimeEvents;
export type RuntimeEvent<Type extends EventType = EventType> = {
  [Each in Type]: { readonly type: Each; readonly seq: number; readonly at: number } & RuntimeEvents[Each];
}[Type];

/** Never throws, never waits. */
export type Emit = <Type extends EventType>(type: Type, payload: RuntimeEvents[Type]) => void;
