import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { classifyLine, type Line } from "./classify-line.ts";
import { createHighlighter } from "./highlight-code.ts";
import { parseInline } from "./parse-inline.ts";
import { createWrapWriter, type Look, noPrefix, type Prefix, type WrapWriter } from "./wrap-writer.ts";

/** Something that goes on over lines and takes each as a whole. */
export interface OpenBlock {
  /** `last`: it ended with this line. `foreign`: it ended before, and the line is none of its own. */
  take(line: string): "taken" | "last" | "foreign";
  /** There is no more of it. */
  end(): void;
}

/** Undefined: the line is text that only begins like one. */
export function openCode(
  text: string,
  line: Line,
  {
    writer,
    prefix,
    hasColours,
  }: { readonly writer: WrapWriter; readonly prefix: () => Prefix; readonly hasColours: boolean },
): OpenBlock | undefined {
  const opening = /^(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`{]*)/.exec(text.slice(line.start));
  if (!opening) return undefined;
  const [, fence = "", language = ""] = opening;
  const rows = indented(prefix());
  const highlighter = createHighlighter(language);
  const showFence = (): void => {
    // Without colours nothing else would tell code from text.
    if (!hasColours) printExact(rows, fence.slice(0, 3) + language);
  };

  function printExact(before: Prefix, shown: string): void {
    writer.begin(before);
    writer.putExact({ text: shown, looks: ["dim"] });
    writer.endLine();
  }

  showFence();
  return {
    take(whole) {
      const content = stripQuotes(whole, line.quotes);
      if (content === undefined) return "foreign";
      if (isClosing(content, fence)) return "last";
      writer.begin(rows);
      for (const span of highlighter.line(expandTabs(stripIndent(content, line.indent)))) writer.putExact(span);
      writer.endLine();
      return "taken";
    },
    end() {
      if (!hasColours) printExact(rows, fence.slice(0, 3));
    },
  };
}

/** `showText` prints a line that only looked like the head of a table. */
export function openTable(
  text: string,
  line: Line,
  options: {
    readonly writer: WrapWriter;
    readonly view: TableView;
    readonly prefix: () => Prefix;
    readonly showText: () => void;
  },
): OpenBlock {
  const lines = [text.slice(line.start)];
  return {
    take(whole) {
      const next = classifyLine(whole, true);
      if (next?.kind.kind !== "table" || next.quotes !== line.quotes) return "foreign";
      const row = whole.slice(next.start);
      if (lines.length === 1 && !isDelimiterRow(row)) return "foreign";
      lines.push(row);
      return "taken";
    },
    end() {
      if (lines.length === 1) options.showText();
      else printTable(lines, options);
    },
  };
}

function printTable(
  lines: readonly string[],
  { writer, view, prefix }: { readonly writer: WrapWriter; readonly view: TableView; readonly prefix: () => Prefix },
): void {
  const before = prefix();
  const used = displayWidth(before.first.map(({ text }) => text).join(""));
  const isRoomy = used <= view.width / 2;
  const width = isRoomy ? view.width - used : view.width;
  for (const row of renderMarkdownTable(lines, { ...view, width })) {
    writer.begin(isRoomy ? before : { first: [], rest: [] });
    writer.putRow(row);
    writer.endLine();
  }
}

function indented({ first, rest }: Prefix): Prefix {
  const indent = { text: "  ", looks: [] };
  return { first: [...first, indent], rest: [...rest, indent] };
}

/** Undefined: it is not in all of these quotes. */
function stripQuotes(line: string, quotes: number): string | undefined {
  let rest = line;
  for (let index = 0; index < quotes; index++) {
    const inner = /^ {0,3}> ?/.exec(rest)?.[0];
    if (inner === undefined) return undefined;
    rest = rest.slice(inner.length);
  }
  return rest;
}

function stripIndent(line: string, columns: number): string {
  const spaces = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(spaces, columns));
}

function isClosing(line: string, fence: string): boolean {
  const marks = line.trim();
  return marks.length >= fence.length && marks === fence.slice(0, 1).repeat(marks.length);
}

function expandTabs(line: string): string {
  let expanded = "";
  for (const piece of line.split("\t")) expanded += piece + " ".repeat(4 - (piece.length % 4));
  return expanded.trimEnd();
}

interface TableView {
  readonly width: number;
  readonly style: Terminal["style"];
  readonly hasColours: boolean;
}

type Alignment = "left" | "right" | "center";

/** Is this the line below the head of a table? */
function isDelimiterRow(line: string): boolean {
  return /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line);
}

/** The rows of a table: its head, the delimiter row, and the rest. Fitted to the width; where that can't be, one line for each cell. */
function renderMarkdownTable(lines: readonly string[], view: TableView): string[] {
  const [head = "", delimiters = "", ...body] = lines;
  const titles = splitRow(head);
  const alignments = splitRow(delimiters).map(alignmentOf);
  const rows = body.map((line) => fillRow(splitRow(line), titles.length));
  const widths = fitColumns(naturalWidths([titles, ...rows], view), view.width);
  if (!widths) return renderRecords(titles, rows, view);
  const separator = view.style("dim", " │ ");
  const line = (cells: readonly string[], looks: readonly Look[]): string[] =>
    renderRow(cells, { looks, widths, alignments, separator, view });
  const rule = view.style("dim", widths.map((width) => "─".repeat(width)).join("─┼─"));
  return [...line(titles, ["bold"]), rule, ...rows.flatMap((cells) => line(cells, []))];
}

function splitRow(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));
}

function alignmentOf(delimiter: string): Alignment {
  if (delimiter.startsWith(":") && delimiter.endsWith(":")) return "center";
  return delimiter.endsWith(":") ? "right" : "left";
}

function naturalWidths(rows: readonly (readonly string[])[], view: TableView): number[] {
  const columns = rows[0]?.length ?? 0;
  return Array.from({ length: columns }, (_, column) =>
    rows.reduce(
      (widest, row) => Math.max(widest, ...cellLines(row[column] ?? "", endless, { view, looks: [] }).map(lineWidth)),
      1,
    ),
  );
}

const endless = 100_000;
const separatorWidth = 3;
/** In less room than this a cell can't be read. */
const narrowestColumn = 6;

/** The widest columns give way first. Undefined: there are too many for this width. */
function fitColumns(natural: readonly number[], width: number): number[] | undefined {
  const room = width - separatorWidth * (natural.length - 1);
  const least = natural.map((each) => Math.min(each, narrowestColumn));
  if (sum(least) > room) return undefined;
  const sorted = natural.toSorted((a, b) => a - b);
  let left = room;
  let limit = room;
  for (const [index, each] of sorted.entries()) {
    limit = Math.floor(left / (sorted.length - index));
    if (each > limit) break;
    left -= each;
  }
  const fitted = natural.map((each) => Math.min(each, Math.max(limit, narrowestColumn)));
  return sum(fitted) > room ? undefined : fitted;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

interface RowOptions {
  readonly looks: readonly Look[];
  readonly widths: readonly number[];
  readonly alignments: readonly Alignment[];
  readonly separator: string;
  readonly view: TableView;
}

function renderRow(cells: readonly string[], { looks, widths, alignments, separator, view }: RowOptions): string[] {
  const columns = widths.map((width, index) => cellLines(cells[index] ?? "", width, { view, looks }));
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines, index) => align(lines[row] ?? "", widths[index] ?? 0, alignments[index] ?? "left"))
      .join(separator)
      .trimEnd(),
  );
}

function align(line: string, width: number, alignment: Alignment): string {
  const space = Math.max(0, width - lineWidth(line));
  const before = alignment === "right" ? space : alignment === "center" ? Math.floor(space / 2) : 0;
  return " ".repeat(before) + line + " ".repeat(space - before);
}

function lineWidth(line: string): number {
  return displayWidth(stripVTControlCharacters(line));
}

function renderRecords(titles: readonly string[], rows: readonly (readonly string[])[], view: TableView): string[] {
  return rows.flatMap((cells, index) => [
    ...(index === 0 ? [] : [view.style("dim", "─".repeat(Math.min(view.width, 8)))]),
    ...cells.flatMap((cell, column) =>
      cellLines(`**${titles[column] ?? ""}:** ${cell}`, view.width, { view, looks: [] }),
    ),
  ]);
}

function fillRow(cells: readonly string[], length: number): string[] {
  return Array.from({ length }, (_, index) => cells[index] ?? "");
}

interface CellOptions {
  readonly view: TableView;
  readonly looks: readonly Look[];
}

function cellLines(cell: string, width: number, { view, looks }: CellOptions): string[] {
  const writer = createWrapWriter({ width, style: view.style });
  writer.begin(noPrefix);
  const { parts } = parseInline(cell, { isWhole: true, before: "", looks, hasColours: view.hasColours });
  for (const part of parts) {
    if (part === "break") writer.breakRow();
    else writer.put(part);
  }
  writer.endLine();
  return writer.take().trimEnd().split("\n");
}
