import type { CheckRow, Improvement } from "../../../tool-files/improve/improve-tool.ts";
import { styleDiff } from "../../terminal/style-diff.ts";
import { renderTable } from "../../terminal/table.ts";
import { neutralizeLine, neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { wrapLines } from "../../terminal/wrap-text.ts";

/** What the model says that it changed, and what it changed. */
export function renderProposal(
  { summary, diff }: Pick<Improvement, "summary" | "diff">,
  style: Terminal["style"],
): string {
  const shown = styleDiff(neutralizeText(diff).trimEnd(), style);
  return summary === "" ? shown : `${neutralizeLine(summary)}\n\n${shown}\n`;
}

/** The checks of the last proposal. What was not passed is told whole below. */
export function renderChecks({ attempts }: Improvement, { width, style }: Pick<Terminal, "width" | "style">): string {
  const checks = attempts.at(-1)?.checks ?? [];
  const table = renderTable({
    columns: [{ title: "CHECK" }, { title: "RESULT" }, { title: "WHY" }],
    rows: checks.map(({ check, state, detail }) => [check, words[state], detail]),
    width,
    style: (cell, column) => (column === 1 ? style(colours[cell] ?? "dim", cell) : cell),
  });
  const open = checks.filter(
    ({ state, detail }) => state !== "passed" && width !== undefined && detail.length > width / 2,
  );
  const told = open.map(({ check, detail }) => wrapLines(`${check}: ${neutralizeText(detail)}`, width));
  return told.length === 0 ? table : `${table}\n${told.join("\n")}\n`;
}

const words: Readonly<Record<CheckRow["state"], string>> = {
  passed: "passed",
  failed: "FAILED",
  not_checked: "not checked",
};
const colours: Readonly<Record<string, "green" | "red" | "yellow">> = {
  passed: "green",
  FAILED: "red",
  "not checked": "yellow",
};
