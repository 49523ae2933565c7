/** What JavaScript or TypeScript can reach, by its text. */
export function scriptCapabilities(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  // An identifier may be spelt with escapes.
  for (const spelling of new Set([text, unescape(text)])) {
    for (const name of findModules(spelling)) found.add(name);
    for (const [name, pattern] of words) if (pattern.test(spelling)) found.add(name);
  }
  return found;
}

/** White space and comments may stand between any two words. */
const gap = String.raw`(?:\s|/\*[\s\S]*?\*/|//[^\n]*(?:\n|$))*`;
const literal = new RegExp(String.raw`\b(?:from|import|require)${gap}\(?${gap}(["'])([^"'\n]+)\1`, "g");
const called = new RegExp(String.raw`\b(?:import|require)${gap}(?:\?\.)?${gap}\(`, "g");
const plainArgument = new RegExp(String.raw`^${gap}(["'])[^"'\n]+\1${gap}[,)]`);
/** `require` under another name, or a part of it. */
const borrowed = /[=(,[:?|&]\s*require\b(?!\s*\()|\brequire\s*(?:\.|\?\.|\[)/;

function findModules(text: string): string[] {
  const names = [...text.matchAll(literal)].flatMap(([, , specifier]) => nameModule(specifier!));
  const isComputed = [...text.matchAll(called)].some(({ 0: head, index }) => {
    const start = index + head.length;
    return !plainArgument.test(text.slice(start, start + longestArgument));
  });
  return isComputed || borrowed.test(text) ? [...names, "anything"] : names;
}

const longestArgument = 1000;

function nameModule(specifier: string): string[] {
  if (/^[a-z]+:/i.test(specifier) && !specifier.startsWith("node:")) return ["anything"];
  if (/^[./]/.test(specifier)) return [specifier];
  const parts = specifier.replace(/^node:/, "").split("/");
  const name = specifier.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0]!;
  if (name === "" || loaders.has(name)) return ["anything"];
  return harmless.has(name) ? [] : [name];
}

/** Modules that only compute. */
const harmless = new Set(
  "assert buffer crypto events path punycode querystring stream string_decoder timers url util zlib".split(" "),
);
/** What has one of these has all. */
const loaders = new Set("module vm v8 repl inspector".split(" "));

const words: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["network", /\b(?:fetch|WebSocket|EventSource|XMLHttpRequest)\b/],
  ["eval", /\b(?:eval|Function)\b|\.\s*constructor\b|\[\s*["'`]constructor/],
  ["env", /\bprocess\s*(?:\?\.|\.)\s*env\b/],
  [
    "process",
    /\bprocess\s*(?:\?\.|\.)\s*(?!env\b)[\w$]|\bprocess\s*(?:\?\.)?\s*\[|[=(,:]\s*process\b(?!\s*(?:\?\.|\.))/,
  ],
  ["anything", /\bglobalThis\b|\bglobal\s*(?:\?\.|\.|\[)|[=(,:]\s*global\b/],
  ["import.meta", /\bimport\s*\.\s*meta\b/],
  ["WebAssembly", /\bWebAssembly\b/],
];

function unescape(text: string): string {
  return text.replaceAll(/\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (whole) => {
    const code = Number.parseInt(whole.replaceAll(/[\\ux{}]/gi, ""), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
