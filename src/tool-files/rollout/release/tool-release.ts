import type { Execution } from "../../../core/call.ts";
import type { ProcessIdentity } from "../../../core/process.ts";
import type { RolloutEvent, RolloutTransaction } from "../../../core/stores.ts";
import type { Assessment, Verdict, VerdictCause } from "../decision/assess.ts";
import type { ObservedCall } from "../decision/rollout-state.ts";

/**
 * Which contents of one tool are in use: plain JSON, one document for each tool. Counters are kept beside it, so that this
 * stays small: it is read before every call of the tool.
 */
export interface ToolRelease {
  readonly v: 1;
  readonly tool: string;
  /** Without its folder. */
  readonly fileName: string;
  /** What the file had when it was looked at last; what `improve` made is in it only once it is stable. */
  readonly fileHash: string;
  /** What `improve` made became stable: it is to take the place of this content in the file. Left out: nothing is. */
  readonly toReplace?: string;
  /** What calls take, but for the canary's share. */
  readonly stable: StableVersion;
  /** What was stable before, newest first. */
  readonly earlier: readonly EarlierVersion[];
  /**
   * After a hard rollback: no other content gets out before a person says so. When a rule pinned it, saving another content
   * is a person's word as well; what an agent or `improve` makes is not.
   */
  readonly pinned: (PersonsWord & { readonly by: "rule" | "person" }) | null;
  /** Rolled back: these stay out until a person acts. By hash. */
  readonly out: Readonly<Record<string, RolledBack>>;
  /** The new content that is being tried; null when there is none. */
  readonly rollout: Rollout | null;
  /** What was known before was damaged, and what was done about it; left out once something is changed after that. */
  readonly damage?: { readonly at: number; readonly reason: string };
}

/** Whose content it is. What an agent or `improve` made is always tried first. */
export type Origin = "person" | "agent" | "improve";

export interface StableVersion {
  readonly hash: string;
  readonly since: number;
  readonly origin: Origin;
}

export interface EarlierVersion extends StableVersion {
  readonly until: number;
}

export interface PersonsWord {
  readonly at: number;
  /** Null for a rule. */
  readonly who: string | null;
  readonly reason: string;
}

export interface RolledBack extends PersonsWord {
  readonly kind: "soft" | "hard";
  readonly by: "rule" | "person";
}

export interface Rollout {
  /** `roll_…`; salts the routing, so that each canary draws others. */
  readonly id: string;
  readonly hash: string;
  readonly origin: Origin;
  readonly startedAt: number;
  readonly risk: "low" | "high";
  /** Whether a failed call is run again on stable: only where twice is the same as once. */
  readonly verifies: boolean;
  /**
   * - `replaying`: recorded calls are tried on it; nobody gets it yet
   * - `blocked`: it can't be tried beside stable, or a replayed call failed; a person has to decide
   * - `running`: it gets its share
   * - `rolled_back`: it gets nothing any more; a person may resume it
   */
  readonly status: "replaying" | "blocked" | "running" | "rolled_back";
  /** For a content that is not in the file: what the file had when it was made. Left out: it is in the file. */
  readonly replaces?: string;
  /** Who replays. */
  readonly owner: ProcessIdentity | null;
  /** In one sentence, why it is where it is. */
  readonly reason: string;
  /** A person said hold: the share stays; what is bad is still rolled back. */
  readonly held: PersonsWord | null;
  readonly replay: ReplayReport | null;
  /** Live calls and scheduled runs are routed and judged apart. */
  readonly lanes: { readonly live: Lane; readonly scheduled: Lane };
}

export type LaneName = keyof Rollout["lanes"];

export interface Lane {
  readonly index: number;
  readonly percent: number;
  /** Calls were judged here. */
  readonly isUsed: boolean;
  /** The last answer, when it was given and what it was. */
  readonly last: LastVerdict | null;
  /** What was told in this stage already, as causes; left out: nothing. */
  readonly told?: readonly VerdictCause[];
}

export interface LastVerdict {
  readonly at: number;
  readonly verdict: Verdict;
  readonly cause: VerdictCause;
  readonly reason: string;
}

/** Whom the canary failed. */
export interface Harm {
  /** Failed canary calls whose failure reached whoever had asked. */
  readonly harmed: number;
  /** Failed canary calls that stable answered. */
  readonly saved: number;
  /** The first of them. */
  readonly calls: readonly HarmedCall[];
}

export interface HarmedCall {
  readonly executionId: string;
  readonly conversationId: string | null;
  readonly error: string;
}

/** How a person corrected a result: by taking back what was made of it, or by marking it as bad. */
export type CorrectionSource = "undo" | "feedback";

/** How many calls of each version were corrected, and by which way. */
export type Corrections = Readonly<Record<"canary" | "stable", Readonly<Record<CorrectionSource, number>>>>;

export interface ReplayReport {
  /** Tried on the canary. */
  readonly cases: number;
  readonly passed: number;
  /** Passed before and on stable now, and fail on the canary. */
  readonly flips: readonly ReplayFlip[];
  /** Why not all, or none, could be tried; null when all were. */
  readonly skipped: string | null;
}

export interface ReplayFlip {
  /** Of a case of the spec, or the execution that recorded it. */
  readonly name: string;
  readonly input: unknown;
  readonly error: string;
}

/** As records and people have it. */
export function versionName(tool: string, hash: string): string {
  return `${tool}@${hash.slice(0, 12)}`;
}

export type Told = Pick<RolloutEvent, "at" | "type" | "by" | "who" | "reason" | "figures">;

/** Of the version that is tried; where none is, of the stable one. */
export function tell(transaction: RolloutTransaction, release: ToolRelease, told: Told): void {
  const { tool, rollout, stable } = release;
  const version = versionName(tool, rollout?.hash ?? stable.hash);
  transaction.addEvent({ ...told, tool, version, rolloutId: rollout?.id ?? null });
}

/** What a rule found, as an event. */
export function eventOf(answer: Assessment, at: number): Told {
  const { verdict, cause, reason, evidence, next, kind } = answer;
  const type = cause === "approval" ? "approval_needed" : verdict === "inconclusive" ? "inconclusive" : "held";
  const figures = { verdict, cause, percent: next?.percent ?? null, kind, evidence };
  return { at, type, by: "rule", who: null, reason, figures };
}

/** Waiting for more calls is the normal course, and told by `status`. */
export function isWorthTelling({ verdict, cause, effect }: Assessment): boolean {
  if (verdict !== "hold") return verdict === "inconclusive" || effect === "none";
  return ["approval", "error_limit", "timeout_limit", "p95_limit", "running"].includes(cause);
}

/** What a trial noticed while a call ran that its record does not say. */
export interface Trial {
  /** How long the first attempt took. */
  readonly latencyMs: number;
  /** What the first attempt said, when it failed. */
  readonly failure: { readonly error: string; readonly errorType: string | null; readonly output: string } | null;
  /** What stable said, when it was asked as well. */
  readonly onStable: "ok" | "failed" | null;
  /** What is wrong with a result that succeeded: its form, or what a judge says; left out, or null: nothing. */
  readonly wrong?: string | null;
  /** What found it; left out where nothing is wrong. */
  readonly wrongBy?: "form" | "judge";
}

/** What a settled call says about its version; null when it says nothing: nobody ran it, or somebody stopped it. */
export function outcomeOf(execution: Execution, trial: Trial | null): ObservedCall["outcome"] | null {
  if (execution.state === "cancelled" || (!trial && execution.runPhase === "not_started")) return null;
  if (execution.state === "timeout") return "timeout";
  const failure = trial ? trial.failure : failureOf(execution);
  if (!failure) return trial?.wrong ? "wrong" : "ok";
  // What is wrong with the input is not the tool's fault, unless the stable version takes it.
  if (failure.errorType === "invalid_input" && trial?.onStable !== "ok") return null;
  if (notItsFault.includes(failure.errorType ?? "")) return null;
  const isFatal = fatal.includes(failure.errorType ?? "") && trial?.onStable !== "failed";
  return isFatal ? "fatal" : "error";
}

export function failureOf({ state, error, errorType, result }: Execution): NonNullable<Trial["failure"]> | null {
  if (state === "completed") return null;
  return { error: error ?? state, errorType, output: result?.output ?? "" };
}

/** Permission, damaged data, a process that broke down: one is enough. */
const fatal: readonly string[] = ["access", "permission", "data_corruption", "corruption", "crashed", "memory"];
const notItsFault: readonly string[] = ["runtime_lost", "store", "cancelled", "denied"];
