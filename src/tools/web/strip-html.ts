import { dropElements } from "./drop-elements.ts";

/** The text of a page without its tags, one line for each block. Takes time in proportion to the page, whatever is in it. */
export function stripHtml(html: string): string {
  const text = dropElements(html, { head: true })
    .replaceAll(
      /<(?:br|hr)\b[^<>]*>|<\/?(?:p|div|section|article|header|footer|main|nav|aside|h[1-6]|ul|ol|dl|dt|dd|table|tr|pre|blockquote|form|figure)\b[^<>]*>/gi,
      "\n",
    )
    .replaceAll(/<li\b[^<>]*>/gi, "\n- ")
    .replaceAll(/<\/t[dh]\s*>/gi, "\t")
    .replaceAll(/<\/?[a-z][^<>]*>|<![^<>]*>/gi, "");
  return decodeEntities(text)
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
};

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, entity: string) => {
    if (!entity.startsWith("#")) return named[entity.toLowerCase()] ?? whole;
    const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
