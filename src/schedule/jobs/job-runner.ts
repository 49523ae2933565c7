import type { Job, Run } from "../../core/job.ts";
import type { StopCause } from "../runs/active-runs.ts";

/** Does the work of jobs. The schedule decides when, and records what came of it. */
export interface JobRunner {
  /** Settles when nothing of it runs any more, after the signal as well. What it rejects with is a failure. */
  run(job: Job, run: Run, context: RunContext): Promise<RunOutcome>;
  /** Takes up what a process that is gone had begun and that lives on by itself. Undefined: nothing does, so the run is lost. */
  adopt?(job: Job, run: Run, context: RunContext): Promise<RunOutcome> | undefined;
  /** Ends what lives on of a run whose job is gone. Undefined: nothing does. */
  drop?(run: Run, reason: string): Promise<RunOutcome | undefined>;
}

export interface RunContext {
  readonly signal: AbortSignal;
  /** Why the signal fired; undefined before that. */
  readonly stopCause: () => StopCause | undefined;
  /** The same for each attempt of one run: job and due time. */
  readonly key: string;
  /** Records what the work can be found by, as soon as that is known. */
  readonly note: (found: Partial<Pick<Run, "executionId" | "taskId" | "sessionId">>) => Promise<void>;
  /** The time limit stands still until what this returns is called: a person is asked. */
  readonly standStill: () => () => void;
}

/**
 * `left`: it lives on by itself, and whoever comes next can adopt it; only an answer to the signal of a scheduler that closes.
 * `skipped`: it can't be done as Deckhand runs now, for which the job can't be blamed.
 */
export interface RunOutcome {
  readonly state: "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped" | "left";
  /** One sentence; null when it succeeded. */
  readonly reason: string | null;
  readonly summary: string | null;
  /** Trying again would not help: a tool file that is gone, a rule that refuses. */
  readonly isHopeless?: boolean;
}
