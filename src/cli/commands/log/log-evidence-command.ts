import { clipText } from "../../../core/text.ts";
import type { VerifyReport } from "../../../records/audit-log/log-reader.ts";
import { readAnswers, type AnsweredWith } from "../../../agent/evidence/read-answers.ts";
import { answersToWire, evidenceToWire, judgeEvidence, type Evidence } from "../../../agent/evidence/evidence-view.ts";
import type { Invocation } from "../../parser/command.ts";
import { describeEntry } from "./describe-log-entry.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { tellFinding } from "./log-verify-command.ts";
import { findInLog, openLog } from "./open-log-command.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand log evidence ID` */
export async function runLogEvidence(invocation: Invocation, terminal: Terminal): Promise<number> {
  const answers = readAnswers(chooseWorkdir(invocation, terminal.env), terminal.env, invocation.positionals[0]!);
  if (answers.length > 0) return showAnswers(answers, invocation, terminal);
  const log = openLog(invocation, terminal);
  const found = await findInLog(log, invocation.positionals[0]!, terminal);
  if (!found) return exitCode.failed;
  const report = await log.verify();
  const evidence = judgeEvidence(found, report);
  if (invocation.has("json")) terminal.printJson(evidenceToWire(evidence, report));
  else terminal.print(neutralizeText(describeEvidence(evidence, report)));
  return evidence.isSound ? exitCode.done : exitCode.failed;
}

/** What answers said against what was done. An answer with a claim that no call shows is no failure of this command. */
function showAnswers(answers: readonly AnsweredWith[], invocation: Invocation, terminal: Terminal): number {
  if (invocation.has("json")) terminal.printJson(answersToWire(answers));
  else {
    const texts = answers.map(({ answerId, at, text, rendered }) => {
      const begins = clipText(text.replaceAll(/\s+/g, " ").trim(), 72);
      return `${answerId} · ${new Date(at).toISOString()} · ${begins}\n${rendered}\n`;
    });
    terminal.print(neutralizeText(texts.join("\n")));
  }
  return exitCode.done;
}

function describeEvidence(evidence: Evidence, report: VerifyReport): string {
  const { isSound, problems, lines } = evidence;
  const remarks = [
    ...(evidence.hasIntent ? [] : ["Its intent is not in the log."]),
    ...(evidence.hasOutcome ? [] : ["Its outcome is not in the log: it still runs, or what became of it is unknown."]),
    ...(report.headsChecked === null
      ? ["The store could not be asked, so it is unknown whether another program added these lines."]
      : []),
    ...problems.map(tellFinding),
    ...evidence.doubts.map(tellFinding),
    ...(report.problemCount === 0 || problems.length > 0
      ? []
      : ["The log has problems elsewhere: see deckhand log verify."]),
    isSound ? "These lines fit their hashes, and the chains of their writers are whole." : "This is no sound evidence.",
  ];
  return `${lines.map(({ entry }) => describeEntry(entry)).join("\n")}\n${remarks.join("\n")}\n`;
}
