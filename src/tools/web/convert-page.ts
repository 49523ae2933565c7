import type { ConvertedPage } from "./html-to-markdown.ts";

export type PageFormat = "markdown" | "text" | "html";

/** What a server sent, as the model asked to read it. HTML is converted; JSON is indented; everything else is as it came. */
export async function convertPage(
  { text, mediaType, url }: { readonly text: string; readonly mediaType: string; readonly url: string },
  format: PageFormat,
): Promise<ConvertedPage> {
  if (isHtml(mediaType, text)) {
    if (format === "html") return { title: null, text };
    if (format === "text") {
      const { stripHtml } = await import("./strip-html.ts");
      return { title: null, text: stripHtml(text) };
    }
    const { htmlToMarkdown } = await import("./html-to-markdown.ts");
    return htmlToMarkdown(text, url);
  }
  return { title: null, text: isJson(mediaType) ? indentJson(text) : text };
}

function isHtml(mediaType: string, text: string): boolean {
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return true;
  // Where the server does not say, or says "plain", the page itself does.
  return /^(?:\*\/\*)?$/.test(mediaType) && /^\s*(?:<!--[^>]*-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text);
}

function isJson(mediaType: string): boolean {
  return /[/+](?:x-)?json$/.test(mediaType);
}

function indentJson(text: string): string {
  // Numbers beyond 2^53 would come out as others.
  if (/\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
