import { clipText } from "../../core/text.ts";
import type { Claim, EvidenceReport, Verdict } from "./evidence.ts";

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
