import { dropElements } from "./drop-elements.ts";
import { isConvertible } from "./is-convertible.ts";
import { addTableRules } from "./table-rules.ts";
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
