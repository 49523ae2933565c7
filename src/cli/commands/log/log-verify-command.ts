import { toWire } from "../../../core/wire.ts";
import type { VerifyReport } from "../../../records/audit-log/log-reader.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { openLog } from "./open-log-command.ts";
import { countOf } from "../../output/format-figures.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand log verify` */
export async function runLogVerify(invocation: Invocation, terminal: Terminal): Promise<number> {
  const head = readHead(invocation.value("head"));
  const log = openLog(invocation, terminal);
  const report = await log.verify(head);
  if (invocation.has("json")) terminal.printJson(toWire(report));
  else if (report.segments === 0 && report.ok) terminal.tell(`There is no log: ${log.path}.`);
  else terminal.print(neutralizeText(describeReport(report)));
  return report.ok ? exitCode.done : exitCode.failed;
}

function readHead(given: string | undefined): string | undefined {
  if (given === undefined || /^[0-9a-f]{64}$/i.test(given)) return given?.toLowerCase();
  throw new UsageError(`--head takes the hash that an earlier verify showed: 64 hexadecimal digits, got "${given}".`);
}

function describeReport(report: VerifyReport): string {
  const { problems, warnings, problemCount, warningCount } = report;
  const lines = [
    describeVerdict(report),
    ...problems.map((each) => `  ${tellFinding(each)}`),
    ...(problemCount > problems.length ? [`  … and ${problemCount - problems.length} more`] : []),
    ...(warningCount > 0 ? ["Remarks:"] : []),
    ...warnings.map((each) => `  ${tellFinding(each)}`),
    ...(warningCount > warnings.length ? [`  … and ${warningCount - warnings.length} more`] : []),
    `${countOf(report.lines, "line")} by ${countOf(report.writers, "writer")} in ${countOf(report.segments, "file")}, ${countOf(report.bytes, "byte")}`,
    ...(report.headsChecked === null
      ? []
      : [
          `${report.headsChecked === 1 ? "1 end of a chain" : `${report.headsChecked} ends of chains`} compared with the store`,
        ]),
    ...(report.head === null ? [] : [`head ${report.head}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeVerdict({ ok, problemCount, headsChecked, warnings }: VerifyReport): string {
  if (problemCount > 0) return `The log is NOT whole: ${problemCount} ${problemCount === 1 ? "problem" : "problems"}.`;
  if (headsChecked !== null) return "The log is whole.";
  if (ok) return "The log is whole up to the line that --head names; what came after that line can't be verified.";
  const reason = warnings.find(({ kind }) => kind === "heads_unknown")?.message ?? "the store can't be asked";
  return `The log cannot be verified to its end. What is there fits together, but ${reason}.`;
}

export function tellFinding(finding: VerifyReport["problems"][number] | VerifyReport["warnings"][number]): string {
  const { kind, message, segment, line, writer, seq } = finding;
  const place = segment === null ? "" : `${segment}${line === null ? "" : `:${line}`} `;
  const whose = writer === null ? "" : `(${writer}:${seq ?? "?"}) `;
  return `${kind.replaceAll("_", " ")}: ${place}${whose}${message}`;
}
