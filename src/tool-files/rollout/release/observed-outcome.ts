import type { Execution } from "../../../core/call.ts";
import type { ObservedCall } from "../decision/rollout-state.ts";

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
