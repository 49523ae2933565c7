import { renderTable, type Column } from "./table.ts";
import { displayWidth, neutralizeLine } from "./terminal-text.ts";
import { wrapLines } from "./wrap-text.ts";

interface ExplainedTableOptions {
  readonly columns: readonly Column[];
  readonly rows: readonly ExplainedRow[];
  /** Columns of the terminal; undefined = each row is one line. */
  readonly width: number | undefined;
  readonly style: (cell: string, column: number) => string;
}

interface ExplainedRow {
  readonly cells: readonly string[];
  /** A sentence, which is never cut. */
  readonly why: string;
}

/** A table with a sentence to each row: beside it where all of them have room, otherwise below it. */
export function renderExplainedTable({ columns, rows, width, style }: ExplainedTableOptions): string {
  const wide = {
    columns: [...columns, { title: "WHY" }],
    rows: rows.map(({ cells, why }) => [...cells, why]),
    width: undefined,
  };
  const fits = (line: string): boolean => width === undefined || displayWidth(line) <= width;
  if (renderTable(wide).split("\n").every(fits)) return renderTable({ ...wide, style });
  const narrow = renderTable({ columns, rows: rows.map(({ cells }) => cells), width: undefined, style });
  const [header, ...lines] = narrow.trimEnd().split("\n");
  const explained = lines.map(
    (line, index) => `${line}\n${wrapLines(`  ${neutralizeLine(rows[index]!.why)}`, width)}\n`,
  );
  return `${header}\n${explained.join("")}`;
}
