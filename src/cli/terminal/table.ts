import type { ExecutionState } from "../../core/call.ts";
import type { TaskState } from "../../core/task.ts";
import { displayWidth, fitWidth, neutralizeLine, wrapLines } from "./terminal-text.ts";

interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

export interface TableOptions {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Columns of the terminal; undefined = nothing is cut. */
  readonly width: number | undefined;
  /** Styles a cell after its width is settled: colours take no room. */
  readonly style?: (cell: string, column: number) => string;
}

/** One colour per state, the same for calls and tasks. */
export const stateColors = {
  pending: "cyan",
  queued: "cyan",
  running: "cyan",
  completed: "green",
  failed: "red",
  cancelled: "yellow",
  timeout: "red",
  lost: "red",
} as const satisfies Record<ExecutionState | TaskState, string>;

const gap = "  ";
/** With less room than this the last column says nothing any more. */
const narrowest = 24;

/**
 * Lines of text in columns. The last column takes the room that is left and is cut there; where too little is left,
 * it moves to a line of its own below the others.
 */
export function renderTable({ columns, rows, width, style = (cell) => cell }: TableOptions): string {
  const cells = rows.map((row) => row.map(neutralizeLine));
  const last = columns.length - 1;
  const widths = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...cells.map((row) => displayWidth(row[index] ?? ""))),
  );
  const before = widths.slice(0, last).reduce((sum, each) => sum + each + gap.length, 0);
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - before;
  const fold = room < Math.min(narrowest, widths[last] ?? 0);

  const header = renderRow(
    columns.map(({ title }) => title),
    true,
  );
  return [header, ...cells.map((row) => renderRow(row, false))].map((line) => `${line}\n`).join("");

  function renderRow(row: readonly string[], isHeader: boolean): string {
    const head = row.slice(0, last).map((cell, index) => pad(cell, index, isHeader));
    const tail = row[last] ?? "";
    const paint = (text: string): string => (isHeader ? text : style(text, last));
    if (!fold) return [...head, paint(fit(tail, room))].join(gap).trimEnd();
    const first = head.join(gap).trimEnd();
    if (isHeader || tail === "") return first;
    return `${first}\n${gap}${paint(fit(tail, (width ?? 0) - gap.length))}`;
  }

  function pad(cell: string, index: number, isHeader: boolean): string {
    const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell)));
    const text = isHeader ? cell : style(cell, index);
    return columns[index]?.align === "right" ? space + text : text + space;
  }
}

/** A title, and below it one line per fact. Facts without a value are left out; further lines of a value are indented. */
export function renderRecord(title: string, facts: readonly Fact[]): string {
  const known = facts.filter((fact): fact is readonly [string, string] => Boolean(fact[1]));
  const width = Math.max(...known.map(([label]) => label.length));
  const indent = `\n${" ".repeat(width + 2 * gap.length)}`;
  const lines = known.map(
    ([label, value]) => gap + label.padEnd(width) + gap + value.trimEnd().replaceAll("\n", indent),
  );
  return [title, ...lines, ""].join("\n");
}

export type Fact = readonly [label: string, value: string | null | undefined];

function fit(text: string, width: number): string {
  return Number.isFinite(width) ? fitWidth(text, width) : text;
}

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
