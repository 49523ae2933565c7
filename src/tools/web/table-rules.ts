import type TurndownService from "turndown";

/** What the rules need of elements; see `HtmlDocument`. */
interface Element {
  closest(selector: string): Element | null;
  querySelector(selector: string): unknown;
}

/**
 * Tables as GitHub writes them. The plugin's own rules ask the document for more than a parser without a browser has.
 * Tables inside tables are there for the layout: their cells are paragraphs.
 */
export function addTableRules(turndown: TurndownService): void {
  const layouts = new WeakMap<Element, boolean>();
  const isLayout = (node: unknown): boolean => {
    const table = (node as Element).closest("table");
    if (table === null) return true;
    const known = layouts.get(table) ?? table.querySelector("table, pre") !== null;
    layouts.set(table, known);
    return known;
  };
  turndown.addRule("tableCell", {
    filter: ["th", "td"],
    replacement: (content, node) => (isLayout(node) ? `\n\n${content.trim()}\n\n` : ` ${oneLine(content)} |`),
  });
  turndown.addRule("tableRow", {
    filter: "tr",
    replacement: (content, node) => (isLayout(node) || content.trim() === "" ? content : `\n|${content}`),
  });
  turndown.addRule("table", {
    filter: "table",
    replacement: (content, node) =>
      isLayout(node) ? `\n\n${content.trim()}\n\n` : `\n\n${withSeparator(content)}\n\n`,
  });
}

function oneLine(content: string): string {
  return content
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(?<!\\)\|/g, "\\|");
}

/** The first row is the heading: Markdown knows no table without. */
function withSeparator(content: string): string {
  const [heading, ...rows] = content.split("\n").filter((line) => line.trim() !== "");
  if (heading === undefined) return "";
  const columns = (heading.match(/(?<!\\)\|/g)?.length ?? 2) - 1;
  return [heading, `|${" --- |".repeat(columns)}`, ...rows].join("\n");
}
