import type { Usage } from "../../core/model.ts";
import type { ReplayReport } from "../rollout/release/tool-release.ts";

/**
 * What a proposed version has to pass, in this order: first what its text alone tells, so that nothing of it runs before.
 * `reply`: there is a whole file in it; `change`: it is another one, and none that was rolled back; `reach`: nothing new can be
 * reached; `load`: it is a tool; `name`, `schema`, `promises`: what callers rely on; `types`: for a compiler; `cases`: what works
 * still works; `failures`: something that failed works.
 */
export type CheckName =
  | "reply"
  | "change"
  | "reach"
  | "load"
  | "name"
  | "schema"
  | "promises"
  | "types"
  | "cases"
  | "failures";

export interface CheckRow {
  readonly check: CheckName;
  /** `not_checked`: it could not be, and the detail says why. */
  readonly state: "passed" | "failed" | "not_checked";
  /** One sentence. */
  readonly detail: string;
}

/** A row, and what the model is told of it where that must be less, or more. */
export interface Finding extends CheckRow {
  readonly forModel?: string;
}

/** What one reply of the model came to. */
export interface Attempt {
  /** Where the proposed file lies, relative to the workdir; null when there was none. */
  readonly staged: string | null;
  readonly checks: readonly CheckRow[];
}

/**
 * - `nothing`: no failure is known
 * - `refused`: the last proposal did not pass, or there was none
 * - `passed`: it passed, and nothing was started: it was a dry run
 * - `declined`: a person said no, or did not allow what it wants to reach
 * - `started`: it is being tried
 * - `stopped`: from outside, before the end
 */
export type ImprovementOutcome = "nothing" | "refused" | "passed" | "declined" | "started" | "stopped";

export interface Improvement {
  readonly outcome: ImprovementOutcome;
  readonly tool: string;
  /** As a person says it. */
  readonly file: string;
  /** `name@hash` of what was to be mended. */
  readonly from: string;
  /** The same of what was proposed last; null when it is no tool. */
  readonly to: string | null;
  /** One sentence: what became of it, why, and what to do. */
  readonly sentence: string;
  /** What the model says that it changed. */
  readonly summary: string;
  /** Unified; empty when there is none. */
  readonly diff: string;
  readonly attempts: readonly Attempt[];
  readonly replay: ReplayReport | null;
  readonly rolloutId: string | null;
  readonly usage: Usage;
}
