import { findCommandClaims } from "./command-claims.ts";
import { findCountClaims } from "./count-claims.ts";
import type { AnswerToCheck, Claim, EvidenceReport, Verdict } from "./evidence.ts";
import { findExitClaims } from "./exit-claims.ts";
import { parseAnswer } from "./parse-answer.ts";
import { findPathClaims } from "./path-claims.ts";
import { findQuoteClaims } from "./quote-claims.ts";
import { traceCalls } from "./trace.ts";

/** An answer is read up to here; what models write is far shorter. */
const longestAnswer = 200_000;

/**
 * Matches what an answer says was done to the calls of its run. The same answer and calls always give the same report.
 * What is advice, a plan, a question or plain prose is not judged: what is doubtful is left out rather than marked.
 */
export function checkEvidence({ answer, executions, changedFiles = [] }: AnswerToCheck): EvidenceReport {
  const parsed = parseAnswer(answer.slice(0, longestAnswer));
  const calls = traceCalls(executions);
  return {
    claims: withoutRepeats([
      ...findCommandClaims(parsed, calls),
      ...findPathClaims(parsed.statements, calls, changedFiles),
      ...findCountClaims(parsed.statements, calls),
      ...findExitClaims(parsed.statements, calls),
      ...findQuoteClaims(parsed, calls),
    ]),
  };
}

const order: readonly Verdict[] = ["matched", "partial", "unmatched", "contradicted"];

/** Said twice it is one claim, judged as its worst. */
function withoutRepeats(claims: readonly Claim[]): Claim[] {
  const kept = new Map<string, Claim>();
  for (const claim of claims) {
    const key = `${claim.kind} ${claim.text.toLowerCase()}`;
    const known = kept.get(key);
    if (!known || order.indexOf(claim.verdict) > order.indexOf(known.verdict)) kept.set(key, claim);
  }
  return [...kept.values()];
}
