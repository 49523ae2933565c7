import type { Execution } from "../../core/call.ts";
import { clipText } from "../../core/text.ts";

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

/** One quiet line; empty when the answer claims nothing. */
export function describeEvidence({ claims }: EvidenceReport): string {
  if (claims.length === 0) return "";
  const backed = claims.filter(({ verdict }) => verdict === "matched" || verdict === "partial").length;
  const of = claims.length === 1 ? "1 claim has" : `${claims.length} claims have`;
  return [
    `evidence: ${backed} of ${of} a call`,
    ...list("not found", claims, "unmatched"),
    ...list("the log says otherwise", claims, "contradicted"),
  ].join("; ");
}

const mostNamed = 3;

function list(title: string, claims: readonly Claim[], verdict: Verdict): string[] {
  const found = claims.filter((claim) => claim.verdict === verdict);
  if (found.length === 0) return [];
  const named = found.slice(0, mostNamed).map(quote);
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : "";
  return [`${title}: ${named.join(", ")}${more}`];
}

/** Every claim with its verdict, its call and the reason, one line each. */
export function renderEvidence(report: EvidenceReport): string {
  if (report.claims.length === 0) return "The answer claims nothing that could be matched to a call.";
  const lines = report.claims.map(({ kind, verdict, executionId, why, ...claim }) => {
    const call = executionId === null ? "" : ` [${executionId}]`;
    return `${marks[verdict]} ${kind.replace("_", " ")} ${quote(claim)}: ${verdict}. ${why}${call}`;
  });
  return [describeEvidence(report), ...lines].join("\n");
}

const marks: Readonly<Record<Verdict, string>> = { matched: "✓", partial: "~", unmatched: "?", contradicted: "✗" };

function quote({ text }: Pick<Claim, "text">): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return `\`${line.length > 60 ? `${clipText(line, 60)}…` : line}\``;
}
