import type TurndownService from "turndown";
import { dropElements } from "./drop-elements.ts";
import { stripHtml } from "./strip-html.ts";

export interface ConvertedPage {
  readonly title: string | null;
  readonly text: string;
}

/** What a converter needs of a document; the library's own types ask for those of a browser. */
interface HtmlDocument {
  readonly body: HtmlNode;
  querySelectorAll(selector: string): Iterable<HtmlNode>;
  cloneNode(deep: boolean): HtmlDocument;
}

interface HtmlNode {
  readonly textContent: string;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
}

/** The main content of a page as Markdown, its links absolute. A page that is too much for the converters becomes plain text. */
export async function htmlToMarkdown(html: string, url: string): Promise<ConvertedPage> {
  const lean = dropElements(html, { head: false }).replaceAll(embedded, "");
  if (!isConvertible(lean)) return { title: titleIn(lean), text: stripHtml(lean) };
  try {
    return await convert(lean, url);
  } catch {
    // What broke them is of no interest: the text is there.
    return { title: titleIn(lean), text: stripHtml(lean) };
  }
}

/** Pictures inside the page: many bytes, no text. */
const embedded = /\bdata:[\w/+.-]{1,100};base64,[\w+/=]+/gi;

async function convert(html: string, url: string): Promise<ConvertedPage> {
  const [{ parseHTML }, { Readability }, { default: TurndownService }, { gfm }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("turndown"),
    import("@truto/turndown-plugin-gfm"),
  ]);
  const title = titleIn(html);
  const { document } = parseHTML(
    `<!doctype html><html><head></head><body>${bodyOf(html)}</body></html>`,
  ) as unknown as { readonly document: HtmlDocument };
  for (const link of document.querySelectorAll("a[href]")) resolveAttribute(link, "href", url);
  for (const image of document.querySelectorAll("img[src]")) resolveAttribute(image, "src", url);

  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.use(gfm);
  addTableRules(turndown);
  turndown.remove(["script", "style", "noscript"] as never[]);
  const toMarkdown = (content: string): string => {
    // Turndown looks for a browser when it is given text.
    const parsed = parseHTML(`<!doctype html><html><body>${content}</body></html>`) as unknown as {
      readonly document: { readonly body: never };
    };
    return turndown.turndown(parsed.document.body).trim();
  };

  const whole = document.body.innerHTML;
  const wholeText = document.body.textContent.trim();
  const reader = new Readability(document.cloneNode(true), { keepClasses: true });
  const article = reader.parse();
  // Where the reader keeps little of it, the page is a list or an index, and all of it is its content.
  const isArticle = article?.content && (article.length ?? 0) >= Math.min(250, wholeText.length / 4);
  const text = isArticle ? toMarkdown(article.content!) : "";
  return { title, text: text === "" ? toMarkdown(whole) : text };
}

function resolveAttribute(node: HtmlNode, name: string, base: string): void {
  const given = node.getAttribute(name) ?? "";
  const absolute = given.startsWith("#") ? null : URL.parse(given, base);
  if (absolute !== null) node.setAttribute(name, absolute.href);
}

/** The parser is no browser: it does not put right what stands in no body, or in two. */
function bodyOf(html: string): string {
  return dropElements(html, { head: true }).replaceAll(
    /<\/?(?:html|head|body)\b[^<>]*>|<!doctype[^<>]*>|<title\b[^<>]*>[^<]*<\/title\s*>/gi,
    "",
  );
}

function titleIn(html: string): string | null {
  const inside = /<title\b[^<>]*>([^<]*)<\/title/i.exec(html)?.[1];
  return inside === undefined ? null : stripHtml(inside) || null;
}

/** The converters walk the whole page in this thread, several times, and call themselves for every level of it. */
const largest = 1_500_000;
const mostElements = 25_000;
const deepest = 250;

/** Elements that end where the next one begins, or have nothing inside. */
const flat = new Set(
  "p li td th tr dt dd option thead tbody tfoot br hr img input meta link source col wbr area base embed param track".split(
    " ",
  ),
);

/** Whether a page is small and shallow enough to be taken apart at once. */
function isConvertible(html: string): boolean {
  if (html.length > largest) return false;
  let elements = 0;
  let depth = 0;
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)/gi)) {
    if (slash === "") elements += 1;
    if (!flat.has(name.toLowerCase())) depth = Math.max(0, depth + (slash === "" ? 1 : -1));
    if (elements > mostElements || depth > deepest) return false;
  }
  return true;
}

/** What the rules need of elements; see `HtmlDocument`. */
interface Element {
  closest(selector: string): Element | null;
  querySelector(selector: string): unknown;
}

/**
 * Tables as GitHub writes them. The plugin's own rules ask the document for more than a parser without a browser has.
 * Tables inside tables are there for the layout: their cells are paragraphs.
 */
function addTableRules(turndown: TurndownService): void {
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
