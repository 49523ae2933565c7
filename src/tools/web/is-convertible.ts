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
export function isConvertible(html: string): boolean {
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
