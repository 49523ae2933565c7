import { createTextCleaner } from "../../../guard/terminal-text/clean-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { classifyLine, type Line } from "./classify-line.ts";
import { createLineLayout } from "./line-layout.ts";
import { openCode, openTable, type OpenBlock } from "./open-block.ts";
import { parseInline } from "./parse-inline.ts";
import { createWrapWriter, type Look } from "./wrap-writer.ts";

/** Text as it comes, in pieces cut anywhere. What is given back is never taken back; all of it ends with a line end. */
export interface MarkdownStream {
  push(text: string): string;
  end(): string;
}

export interface MarkdownOptions {
  readonly width: number;
  readonly style: Terminal["style"];
}

/** A line whose kind is known and whose text is printed as it comes. */
interface OpenLine {
  readonly isHeading: boolean;
  readonly looks: readonly Look[];
  /** The last character that was consumed. */
  before: string;
}

/**
 * Markdown for a terminal. A word or a mark is kept back until its meaning is clear, a line of code until it is whole, a
 * table until its end. Line ends stay line ends: models mean them. What a terminal would obey is taken out first.
 */
export function createMarkdownStream({ width, style }: MarkdownOptions): MarkdownStream {
  const cleaner = createTextCleaner();
  const hasColours = style("bold", "x") !== "x";
  const writer = createWrapWriter({ width, style });
  const layout = createLineLayout(writer, hasColours);
  /** What has come of the line and is not consumed yet. */
  let pending = "";
  let isWaiting = true;
  let openLine: OpenLine | null = null;
  let block: OpenBlock | null = null;

  function feed(text: string): void {
    pending += text;
    if (block !== null) return;
    if (isWaiting) {
      const line = classifyLine(pending, false);
      if (line) begin(line);
    }
    if (openLine) putText(openLine, false);
  }

  /** The kind of the line is clear by now. Kinds that need the whole line are left for its end. */
  function begin(line: Line): void {
    isWaiting = false;
    const { kind } = line;
    if (kind.kind === "text" || kind.kind === "item" || kind.kind === "heading") {
      openLine = { isHeading: kind.kind === "heading", looks: layout.begin(line), before: "" };
      pending = pending.slice(kind.content);
    }
  }

  function putText(line: OpenLine, isWhole: boolean): void {
    // Marks at the end of a heading close it, unless text follows them.
    const marks = line.before === "" ? /(?:^|[ \t])[ \t#]*$/ : /[ \t][ \t#]*$/;
    const closing = line.isHeading ? marks.exec(pending)?.index : undefined;
    const text = pending.slice(0, closing ?? pending.length);
    const { parts, consumed } = parseInline(text, { ...line, isWhole, hasColours });
    for (const part of parts) {
      if (part === "break") writer.breakRow();
      else writer.put(part);
    }
    line.before = text[consumed - 1] ?? line.before;
    pending = isWhole ? "" : pending.slice(consumed);
  }

  function endLine(): void {
    const taken = block?.take(pending) ?? "foreign";
    if (block !== null && taken !== "taken") closeBlock(block);
    if (taken === "foreign") finishLine();
    pending = "";
    isWaiting = true;
    openLine = null;
  }

  function closeBlock(ended: OpenBlock): void {
    block = null;
    ended.end();
  }

  function finishLine(): void {
    const line = openLine === null ? classifyLine(pending, true) : undefined;
    if (!line) {
      if (openLine) finishText(openLine);
      return;
    }
    switch (line.kind.kind) {
      case "blank":
        layout.blank(line);
        return;
      case "rule":
        writer.begin(layout.beginBlock(line));
        writer.putExact({ text: "─".repeat(Math.min(40, Math.ceil(width / 2))), looks: ["dim"] });
        writer.endLine();
        return;
      case "fence":
        block = openCode(pending, line, { writer, hasColours, prefix: () => layout.beginBlock(line) }) ?? null;
        if (block === null) finishAsText(pending, line);
        return;
      case "table": {
        const head = pending;
        const view = { width, style, hasColours };
        const showText = (): void => finishAsText(head, line);
        block = openTable(head, line, { writer, view, showText, prefix: () => layout.beginBlock(line) });
        return;
      }
      default:
        begin(line);
        if (openLine) finishText(openLine);
    }
  }

  function finishText(line: OpenLine): void {
    putText(line, true);
    writer.endLine();
  }

  function finishAsText(text: string, line: Line): void {
    const later = pending;
    pending = text.slice(line.start);
    finishText({ isHeading: false, looks: layout.begin({ ...line, kind: { kind: "text", content: 0 } }), before: "" });
    pending = later;
  }

  function take(text: string): void {
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      if (part !== "") feed(part);
      if (index < lines.length - 1) endLine();
    }
  }

  return {
    push(text) {
      take(cleaner.push(text));
      return writer.take();
    },
    end() {
      take(cleaner.end());
      if (pending !== "" || !isWaiting) endLine();
      if (block !== null) closeBlock(block);
      return writer.take();
    },
  };
}
