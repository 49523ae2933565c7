import { createTextCleaner } from "../../../guard/terminal-text/clean-text.ts";
import { displayWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { classifyLine, type Line } from "./classify-line.ts";
import { openCode, openTable, type OpenBlock } from "./open-block.ts";
import { parseInline } from "./parse-inline.ts";
import { createWrapWriter, type Look, type Prefix, type Span, type WrapWriter } from "./wrap-writer.ts";

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

/** Where lines begin: what stands before them because of the lists and quotes they are in, and the blank lines between them. */
export interface LineLayout {
  /** Begins the first row of a line; returns the looks of its text. */
  begin(line: Line): readonly Look[];
  /** For code, tables and rules: what stands before each of their rows. */
  beginBlock(line: Line): Prefix;
  blank(line: Line): void;
}

function createLineLayout(writer: WrapWriter, hasColours: boolean): LineLayout {
  /** By how many quotes they are in. */
  const lists: ListLevels[] = [createListLevels()];
  let lastQuotes = 0;
  let isFirst = true;
  /** How many quotes a blank line was in; null when the last line was none. */
  let blankQuotes: number | null = null;

  function listsOf(quotes: number): ListLevels {
    // A quote that begins anew has no lists from before.
    if (quotes > lastQuotes) lists.length = lastQuotes + 1;
    while (lists.length <= quotes) lists.push(createListLevels());
    return lists[quotes] ?? createListLevels();
  }

  function open(quotes: number): void {
    if (blankQuotes !== null && !isFirst) {
      const bars = Math.min(quotes, lastQuotes, blankQuotes);
      if (bars > 0) writer.begin(barsOnly(bars));
      writer.endLine();
    }
    isFirst = false;
    blankQuotes = null;
    lastQuotes = quotes;
  }

  function prefixOf({ quotes, outerIndent }: Line, indent: number, marker: string): Prefix {
    const outer = quotes > 0 ? (lists[0]?.place(outerIndent) ?? 0) : 0;
    const before: readonly Span[] = [
      { text: " ".repeat(outer), looks: [] },
      ...Array.from({ length: quotes }, (): Span => ({ text: "│ ", looks: ["dim"] })),
      { text: " ".repeat(indent), looks: [] },
    ];
    return {
      first: [...before, { text: marker, looks: marker === "" ? [] : ["cyan"] }],
      rest: [...before, { text: " ".repeat(displayWidth(marker)), looks: [] }],
    };
  }

  return {
    begin(line) {
      const { kind, quotes, indent } = line;
      const levels = listsOf(quotes);
      const isLazy = blankQuotes === null && !isFirst && quotes === lastQuotes;
      open(quotes);
      if (kind.kind === "item") {
        const marker = kind.task !== null && kind.marker === "•" ? boxes[kind.task] : `${kind.marker} `;
        writer.begin(prefixOf(line, levels.openItem(indent, displayWidth(marker)), marker));
        return [];
      }
      if (kind.kind === "heading") {
        writer.begin(prefixOf(line, levels.place(indent), hasColours ? "" : `${"#".repeat(kind.level)} `));
        return kind.level === 1 ? ["bold", "underline"] : ["bold"];
      }
      const hang = isLazy ? levels.hang() : levels.place(indent);
      writer.begin(prefixOf(line, hang === 0 ? indent : hang, ""));
      return [];
    },
    beginBlock(line) {
      const levels = listsOf(line.quotes);
      open(line.quotes);
      return prefixOf(line, levels.place(line.indent), "");
    },
    blank({ quotes }) {
      blankQuotes = Math.min(quotes, blankQuotes ?? quotes);
    },
  };
}

const boxes = { open: "☐ ", done: "☑ " } as const;

function barsOnly(bars: number): Prefix {
  return { first: [{ text: "│ ".repeat(bars).trimEnd(), looks: ["dim"] }], rest: [] };
}

interface Level {
  /** Where its marker stands in the text. */
  readonly indent: number;
  /** How wide its marker is shown. */
  readonly width: number;
}

/** Which lists a line is in. A level is what is indented by two columns or more: models rarely count the width of a marker. */
interface ListLevels {
  /** A new item begins at this column: it ends its sibling and all below that. Returns the columns before its marker. */
  openItem(indent: number, markerWidth: number): number;
  /** Something else begins at this column; returns the columns before it. */
  place(indent: number): number;
  /** Columns of all levels that are open. */
  hang(): number;
}

function createListLevels(): ListLevels {
  const levels: Level[] = [];

  function close(indent: number): void {
    for (let last = levels.at(-1); last && indent < last.indent + 2; last = levels.at(-1)) levels.pop();
  }

  function hang(): number {
    return levels.reduce((sum, { width }) => sum + width, 0);
  }

  return {
    openItem(indent, markerWidth) {
      close(indent);
      const before = hang();
      levels.push({ indent, width: markerWidth });
      return before;
    },
    place(indent) {
      close(indent);
      return hang();
    },
    hang,
  };
}
