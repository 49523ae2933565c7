/** What a page has that no reader reads. */
const silent = /<(script|style|svg|noscript|template|iframe|object|head)\b|<!--/gi;

/**
 * A page without its scripts, styles, drawings and comments; with `head` also without its head. Looks at each character a
 * bounded number of times: pages are made to make a careless search take hours.
 */
export function dropElements(html: string, options: { readonly head: boolean }): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  silent.lastIndex = 0;
  for (let found = silent.exec(html); found !== null; found = silent.exec(html)) {
    const name = found[1]?.toLowerCase() ?? "!--";
    if (unclosed.has(name) || (name === "head" && !options.head)) continue;
    const closing = closings[name]!;
    closing.lastIndex = silent.lastIndex;
    if (closing.exec(html) === null) {
      unclosed.add(name);
      continue;
    }
    kept.push(html.slice(from, found.index));
    from = silent.lastIndex = closing.lastIndex;
  }
  kept.push(html.slice(from));
  return kept.join(" ");
}

const closings: Readonly<Record<string, RegExp>> = Object.fromEntries([
  ...["script", "style", "svg", "noscript", "template", "iframe", "object", "head"].map((name) => [
    name,
    new RegExp(`</${name}\\s*>`, "gi"),
  ]),
  ["!--", /-->/g],
]);
