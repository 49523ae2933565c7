import type { ErrorType } from "./errors.ts";
import type { FinalState } from "./call.ts";
import type { RunStatistics } from "./run-statistics.ts";
import type { FailureKind, StopReason, Usage } from "./model.ts";

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
