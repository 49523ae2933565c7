import { checkEvidence } from "./check-evidence.ts";
import { describeEvidence } from "./evidence.ts";
import type { EmitAgent, RunEnd } from "../../core/events.ts";
import type { Execution } from "../../core/call.ts";
import type { Session } from "../../core/session.ts";
import type { AgentWiring } from "../../runtime/stages.ts";

export interface AnswerParts {
  readonly session: Session;
  readonly emit: EmitAgent;
}

/** Compares what an answer says was done with what was done; kept in the session and in the log. */
export function checkAnswer(
  { masker, journal }: AgentWiring,
  { session, emit }: AnswerParts,
  { end, executions }: { readonly end: RunEnd; readonly executions: readonly Execution[] },
): void {
  const answer = session.branch.findLast(({ type }) => type === "assistant");
  if (end.state !== "answered" || !answer) return;
  const report = checkEvidence({ answer: end.text, executions });
  const { claims } = report;
  if (claims.length === 0) return;
  session.append({ type: "evidence", answerId: answer.id, report });
  const text = masker.text(describeEvidence(report));
  journal?.appendBehind({ type: "note", conversationId: session.id, text });
  const isFound = ({ verdict }: (typeof claims)[number]): boolean => verdict === "matched" || verdict === "partial";
  emit("evidence:checked", {
    answerId: answer.id,
    claims: claims.length,
    matched: claims.filter(isFound).length,
    unmatched: claims.filter((claim) => !isFound(claim)).map((claim) => masker.text(claim.text)),
    text,
  });
}
