import type { Execution } from "../../core/call.ts";

export type ClaimKind = "command" | "path" | "change" | "count" | "exit_code" | "quote";

/**
 * - `matched`: a call says the same
 * - `partial`: a call says it in part, such as the command with other arguments
 * - `unmatched`: no call says anything about it
 * - `contradicted`: a call says otherwise
 */
export type Verdict = "matched" | "partial" | "unmatched" | "contradicted";

/** Something that an answer says was done or seen. */
export interface Claim {
  readonly kind: ClaimKind;
  /** As the answer has it, one line. */
  readonly text: string;
  readonly verdict: Verdict;
  /** The call that it was matched to, or that speaks against it. */
  readonly executionId: string | null;
  /** One sentence. */
  readonly why: string;
}

export interface EvidenceReport {
  readonly claims: readonly Claim[];
}

export interface AnswerToCheck {
  /** Markdown, as the model wrote it. */
  readonly answer: string;
  /** The calls of that answer's run, in their order. */
  readonly executions: readonly Execution[];
  /** Files that are known to have changed in the run, by whatever did it. */
  readonly changedFiles?: readonly string[];
}
