import { type EvidenceReport, renderEvidence } from "./evidence.ts";
import { findSession, findSessions, type FoundSession } from "../session/find-session.ts";
import { readSessionFile } from "../session/session-file.ts";
import { callsOf, textOfParts } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { locateFolders } from "../../config/folders.ts";
import type { Environment } from "../../core/process.ts";
import { sessionsFolder } from "../session/open-sessions.ts";

/** An answer of a model, and what the calls of its run say about it. */
export interface AnsweredWith {
  readonly sessionId: string;
  readonly answerId: string;
  readonly at: number;
  readonly text: string;
  /** Null: it claims nothing that a call could show. */
  readonly report: EvidenceReport | null;
  /** The report, in full. */
  readonly rendered: string;
}

/** The answers that are meant by an answer's id, a session's, or `last`; none when it means no answer. */
export function readAnswers(workdir: string, env: Environment, wanted: string): readonly AnsweredWith[] {
  const folder = sessionsFolder(locateFolders(workdir, env));
  const sessions = findSessions(folder);
  if (sessions.length === 0) return [];
  if (wanted === "last") return lastOf(sessions);
  if (wanted.startsWith("ses_")) return answersIn(findSession(folder, wanted).path);
  if (!/^[0-9a-f]{8}$/.test(wanted)) return [];
  return sessions.flatMap(({ path }) => answersIn(path).filter(({ answerId }) => answerId === wanted));
}

/** The last conversation may have none: it was stopped, or never got that far. */
function lastOf(sessions: readonly FoundSession[]): readonly AnsweredWith[] {
  for (const { path } of sessions) {
    const [last] = answersIn(path).slice(-1);
    if (last) return [last];
  }
  return [];
}

function answersIn(path: string): readonly AnsweredWith[] {
  const { branch } = readSessionFile(path);
  const sessionId = branch.find((entry) => entry.type === "session")?.sessionId ?? "";
  const reports = new Map(
    branch.flatMap((entry) => (entry.type === "evidence" ? [[entry.answerId, entry.report]] : [])),
  );
  return branch.filter(isAnswer).map(({ id, at, parts }) => {
    const report = (reports.get(id) as EvidenceReport | undefined) ?? null;
    return {
      sessionId,
      answerId: id,
      at,
      text: textOfParts(parts),
      report,
      rendered: renderEvidence(report ?? { claims: [] }),
    };
  });
}

function isAnswer(entry: SessionEntry): entry is Extract<SessionEntry, { type: "assistant" }> {
  return entry.type === "assistant" && callsOf(entry.parts).length === 0 && textOfParts(entry.parts) !== "";
}
