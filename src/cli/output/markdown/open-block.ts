import { displayWidth } from "../../terminal/terminal-text.ts";
import { classifyLine, type Line } from "./classify-line.ts";
import { createHighlighter } from "./highlight-code.ts";
import { isDelimiterRow, renderMarkdownTable, type TableView } from "./markdown-table.ts";
import type { Prefix, WrapWriter } from "./wrap-writer.ts";

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
