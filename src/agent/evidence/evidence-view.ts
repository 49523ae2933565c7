import { toWire } from "../../core/wire.ts";
import type { FoundCall, ReadEntry, VerifyReport } from "../../records/audit-log/log-reader.ts";
import type { AnsweredWith } from "./read-answers.ts";

/** What the log says about a call, and how far that can be believed. */
export interface Evidence {
  readonly isSound: boolean;
  /** One line that tells of the whole call has its input. */
  readonly hasIntent: boolean;
  readonly hasOutcome: boolean;
  readonly lines: readonly ReadEntry[];
  readonly problems: VerifyReport["problems"];
  readonly doubts: VerifyReport["warnings"];
}

const evidenceTypes = new Set(["tool_call", "tool_result", "tool_error", "decision", "question", "answer"]);

export function judgeEvidence({ entries }: Extract<FoundCall, { entries: unknown }>, report: VerifyReport): Evidence {
  const lines = entries.filter(({ entry }) => evidenceTypes.has(String(entry["type"])));
  const writers = new Set(lines.map(({ entry }) => entry["writer"]));
  const problems = report.problems.filter(({ writer }) => writer === null || writers.has(writer));
  // Not all problems are listed: one of the others may be about these lines.
  const isListed = report.problemCount === report.problems.length;
  return {
    isSound: problems.length === 0 && isListed && lines.length > 0 && lines.every(({ isIntact }) => isIntact),
    hasIntent: lines.some(({ entry }) => entry["type"] === "tool_call" || "input" in entry),
    hasOutcome: lines.some(({ entry }) => entry["type"] === "tool_result" || entry["type"] === "tool_error"),
    lines,
    problems,
    doubts: report.warnings.filter(({ kind, writer }) => kind === "unconfirmed" && writers.has(writer)),
  };
}

export function evidenceToWire(evidence: Evidence, report: VerifyReport): object {
  return {
    sound: evidence.isSound,
    has_intent: evidence.hasIntent,
    has_outcome: evidence.hasOutcome,
    lines: evidence.lines.map(({ entry, segment, line, isIntact }) => ({ segment, line, intact: isIntact, entry })),
    problems: toWire(evidence.problems),
    doubts: toWire(evidence.doubts),
    store_asked: report.headsChecked !== null,
    log_is_whole: report.ok,
    head: report.head,
  };
}

/** One answer, or a list of several. */
export function answersToWire(answers: readonly AnsweredWith[]): unknown {
  const documents = answers.map(({ rendered: _rendered, ...answer }) => toWire(answer));
  return documents.length === 1 ? documents[0] : documents;
}
