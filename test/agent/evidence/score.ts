import { checkEvidence } from "../../../src/agent/evidence/check-evidence.ts";
import type { LabelledAnswer } from "./calls.ts";

export interface Score {
  readonly right: number;
  /** Found, but not expected so. */
  readonly extra: string[];
  readonly missing: string[];
}

/** Per kind of claim: a claim counts as right when it is expected, with that verdict. */
export function scoreAnswers(answers: readonly LabelledAnswer[]): Map<string, Score> {
  const scores = new Map<string, { right: number; extra: string[]; missing: string[] }>();
  const of = (kind: string): { right: number; extra: string[]; missing: string[] } => {
    const known = scores.get(kind) ?? { right: 0, extra: [], missing: [] };
    scores.set(kind, known);
    return known;
  };
  for (const { answer, calls, claims } of answers) {
    const open = claims.map((claim) => {
      const [verdict = "", kind = "", ...text] = claim.split(" ");
      return { verdict, kind, text: text.join(" ").toLowerCase() };
    });
    for (const found of checkEvidence({ answer, executions: calls }).claims) {
      const text = found.text.toLowerCase();
      const index = open.findIndex(
        (each) =>
          each.kind === found.kind &&
          each.verdict === found.verdict &&
          (text.includes(each.text) || each.text.includes(text)),
      );
      if (index >= 0) {
        open.splice(index, 1);
        of(found.kind).right += 1;
      } else of(found.kind).extra.push(`${found.verdict} ${found.text} in: ${answer}`);
    }
    for (const each of open) of(each.kind).missing.push(`${each.verdict} ${each.text} in: ${answer}`);
  }
  return scores;
}
