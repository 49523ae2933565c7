export {
  assess,
  type AssessedEvidence,
  type Assessment,
  isAssessmentDue,
  type RolloutQuestion,
  type Verdict,
  type VerdictCause,
} from "./decision/assess.ts";
export { decide, decideVerified, type RuleArm, type RuleCounts, type RuleStats } from "./decision/decide.ts";
export type { Missing } from "./decision/estimate.ts";
export {
  type LatencyAllowance,
  type RolloutLimits,
  type RolloutOdds,
  type RolloutPolicy,
  rolloutPolicy,
} from "./decision/policy.ts";
export {
  createRolloutState,
  enterStage,
  observeCall,
  type ObservedCall,
  type RolloutState,
} from "./decision/rollout-state.ts";

/** The name under which a simulator lists this rule. */
export const name = "deckhand";

/** After a failure the rest of the conversation runs on stable, and counts for neither: the rule relies on it. */
export const failback = true;
