import { displayWidth } from "../../terminal/terminal-text.ts";
import type { Line } from "./classify-line.ts";
import { createListLevels, type ListLevels } from "./list-levels.ts";
import type { Look, Prefix, Span, WrapWriter } from "./wrap-writer.ts";

/** Where lines begin: what stands before them because of the lists and quotes they are in, and the blank lines between them. */
export interface LineLayout {
  /** Begins the first row of a line; returns the looks of its text. */
  begin(line: Line): readonly Look[];
  /** For code, tables and rules: what stands before each of their rows. */
  beginBlock(line: Line): Prefix;
  blank(line: Line): void;
}

export function createLineLayout(writer: WrapWriter, hasColours: boolean): LineLayout {
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
