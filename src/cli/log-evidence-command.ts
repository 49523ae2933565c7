import { clipText } from "../core/cut-text.ts";
import { toWire } from "../core/wire.ts";
import type { FoundCall, VerifyReport } from "../runtime/journal-reader.ts";
import { readAnswers, type AnsweredWith } from "../runtime/read-answers.ts";
import type { Invocation } from "./command.ts";
import { describeEntry } from "./describe-log-entry.ts";
import { exitCode } from "./exit-code.ts";
import { tellFinding } from "./log-verify-command.ts";
import { findInLog, openLog } from "./open-log.ts";
import { chooseWorkdir } from "./open-runtime.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";

const evidenceTypes = new Set(["tool_call", "tool_result", "tool_error", "decision", "question", "answer"]);

/** `deckhand log evidence ID` */
export async function runLogEvidence(invocation: Invocation, terminal: Terminal): Promise<number> {
  const answers = readAnswers(chooseWorkdir(invocation, terminal.env), terminal.env, invocation.positionals[0]!);
  if (answers.length > 0) return showAnswers(answers, invocation, terminal);
  const log = openLog(invocation, terminal);
  const found = await findInLog(log, invocation.positionals[0]!, terminal);
  if (!found) return exitCode.failed;
  const evidence = judge(found, await log.verify());
  if (invocation.has("json")) terminal.printJson(evidence.document);
  else terminal.print(neutralizeText(evidence.text));
  return evidence.isSound ? exitCode.done : exitCode.failed;
}

/** What answers said against what was done. An answer with a claim that no call shows is no failure of this command. */
function showAnswers(answers: readonly AnsweredWith[], invocation: Invocation, terminal: Terminal): number {
  if (invocation.has("json")) {
    const documents = answers.map(({ rendered: _rendered, ...answer }) => toWire(answer));
    terminal.printJson(documents.length === 1 ? documents[0] : documents);
  } else {
    const texts = answers.map(({ answerId, at, text, rendered }) => {
      const begins = clipText(text.replaceAll(/\s+/g, " ").trim(), 72);
      return `${answerId} · ${new Date(at).toISOString()} · ${begins}\n${rendered}\n`;
    });
    terminal.print(neutralizeText(texts.join("\n")));
  }
  return exitCode.done;
}

function judge(
  { entries }: Extract<FoundCall, { entries: unknown }>,
  report: VerifyReport,
): { readonly isSound: boolean; readonly document: unknown; readonly text: string } {
  const shown = entries.filter(({ entry }) => evidenceTypes.has(String(entry["type"])));
  const writers = new Set(shown.map(({ entry }) => entry["writer"]));
  const problems = report.problems.filter(({ writer }) => writer === null || writers.has(writer));
  const hasOutcome = shown.some(({ entry }) => entry["type"] === "tool_result" || entry["type"] === "tool_error");
  // One line that tells of the whole call has its input.
  const hasIntent = shown.some(({ entry }) => entry["type"] === "tool_call" || "input" in entry);
  const doubts = report.warnings.filter(({ kind, writer }) => kind === "unconfirmed" && writers.has(writer));
  // Not all problems are listed: one of the others may be about these lines.
  const isListed = report.problemCount === report.problems.length;
  const isSound = problems.length === 0 && isListed && shown.length > 0 && shown.every(({ isIntact }) => isIntact);
  const remarks = [
    ...(hasIntent ? [] : ["Its intent is not in the log."]),
    ...(hasOutcome ? [] : ["Its outcome is not in the log: it still runs, or what became of it is unknown."]),
    ...(report.headsChecked === null
      ? ["The store could not be asked, so it can't be told whether somebody else put these lines in."]
      : []),
    ...problems.map(tellFinding),
    ...doubts.map(tellFinding),
    ...(report.ok || problems.length > 0 ? [] : ["The log has problems elsewhere: see deckhand log verify."]),
    isSound ? "These lines fit their hashes, and the chains of their writers are whole." : "This is no sound evidence.",
  ];
  return {
    isSound,
    document: {
      sound: isSound,
      has_intent: hasIntent,
      has_outcome: hasOutcome,
      lines: shown.map(({ entry, segment, line, isIntact }) => ({ segment, line, intact: isIntact, entry })),
      problems: toWire(problems),
      doubts: toWire(doubts),
      store_asked: report.headsChecked !== null,
      log_is_whole: report.ok,
      head: report.head,
    },
    text: `${shown.map(({ entry }) => describeEntry(entry)).join("\n")}\n${remarks.join("\n")}\n`,
  };
}
