import type { RolloutEvent, RolloutTransaction } from "../../../core/stores.ts";
import type { Assessment } from "../decision/assess.ts";
import type { ToolRelease } from "./tool-release.ts";
import { versionName } from "./version-name.ts";

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
