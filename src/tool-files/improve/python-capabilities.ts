/** What Python can reach, by its text. */
export function pythonCapabilities(text: string): ReadonlySet<string> {
  const joined = text.replaceAll(/\\\r?\n/g, " ");
  const found = new Set<string>();
  for (const name of findModules(joined)) if (!harmless.has(name)) found.add(loaders.has(name) ? "anything" : name);
  for (const [name, pattern] of words) if (pattern.test(joined)) found.add(name);
  return found;
}

function findModules(text: string): string[] {
  const plain = [...text.matchAll(/\bimport[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w. \t]+)*)/g)];
  // What follows `from x import` are names of x.
  const named = [...text.matchAll(/\bfrom[ \t]+(\.*[\w.]*)[ \t]+import\b/g)];
  const starts = new Set(named.map(({ 0: whole, index }) => index + whole.length - "import".length));
  return [
    ...named.map(([, from]) => nameModule(from!)),
    ...plain.filter(({ index }) => !starts.has(index)).flatMap(([, list]) => list!.split(",").map(nameModule)),
  ].filter((name) => name !== "");
}

/** A module of the folder keeps its dots: it is no package. */
function nameModule(dotted: string): string {
  const name = dotted.trim().split(/\s/, 1)[0]!;
  return name.startsWith(".") ? name : name.split(".", 1)[0]!;
}

/** Modules that only compute. */
const harmless = new Set(
  (
    "__future__ abc array base64 bisect calendar cmath collections colorsys copy csv dataclasses datetime decimal difflib " +
    "enum fractions functools hashlib heapq hmac html itertools json keyword locale math numbers operator random re " +
    "statistics string struct textwrap time typing unicodedata uuid zlib zoneinfo"
  ).split(" "),
);
/** What has one of these has all. */
const loaders = new Set("builtins code codeop ctypes gc imp importlib inspect pkgutil runpy sys zipimport".split(" "));

const words: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["eval", /(?<![.\w])(?:eval|exec|compile)\s*\(|[=(,:]\s*(?:eval|exec|compile)\b/],
  ["open", /(?<![.\w])open\s*\(|[=(,:]\s*open\b/],
  [
    "anything",
    /__(?:import|builtins|subclasses|loader|spec|globals|getattribute|mro|bases|class|code)__|\b(?:globals|vars|locals)\s*\(/,
  ],
];
