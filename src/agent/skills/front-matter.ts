export type FrontMatter =
  | { readonly ok: true; readonly fields: ReadonlyMap<string, string | readonly string[]>; readonly body: string }
  | { readonly ok: false; readonly problem: string };

/**
 * The part of YAML that heads of skills use: `key: text`, quoted text, `[a, b]`, lists of `- item` lines, and folded text
 * (`>`, `|`). Anything else under a key is passed over, because other programs keep settings of their own there.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return { ok: false, problem: "it does not begin with a line ---" };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) return { ok: false, problem: "its head has no closing line ---" };
  const fields = new Map<string, string | readonly string[]>();
  for (let at = 1; at < end; at++) {
    const line = lines[at]!;
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const found = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line);
    if (!found) return { ok: false, problem: `line ${at + 1} is not "key: value": ${line.trim().slice(0, 60)}` };
    const below = linesBelow(lines.slice(at + 1, end));
    const value = readValue(found[2]?.trim() ?? "", below);
    if (value === undefined) return { ok: false, problem: `line ${at + 1} has a quote or bracket that is not closed` };
    fields.set(found[1]!, value);
    at += below.length;
  }
  return {
    ok: true,
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

/** What belongs to the key above: indented lines, and list items. */
function linesBelow(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => !/^(?:\s|-\s|-$)/.test(line) && line !== "");
  return lines.slice(0, end < 0 ? lines.length : end);
}

function readValue(value: string, below: readonly string[]): string | readonly string[] | undefined {
  if (/^[>|][+-]?$/.test(value))
    return below
      .map((line) => line.trim())
      .join(value.startsWith(">") ? " " : "\n")
      .trim();
  if (value.startsWith("[")) return readFlowList([value, ...below.map((line) => line.trim())].join(" "));
  if (value !== "") {
    // A long text may go on below, indented.
    return readText([value, ...below.map((line) => line.trim())].join(" ").trim());
  }
  const items = below
    .filter((line) => /^\s*-(?:\s|$)/.test(line))
    .map((line) => readText(line.replace(/^\s*-\s*/, "")));
  return items.includes(undefined)
    ? undefined
    : (items.filter((item) => item !== undefined && item !== "") as string[]);
}

function readFlowList(text: string): readonly string[] | undefined {
  const inner = /^\[(.*)\]\s*(?:#.*)?$/s.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const items = splitOutside(inner, ",").map((item) => readText(item.trim()));
  return items.includes(undefined) ? undefined : (items.filter((item) => item !== "") as string[]);
}

function readText(value: string): string | undefined {
  const quote = value[0];
  if (quote !== '"' && quote !== "'") return value.replace(/\s+#.*$/, "");
  const body =
    quote === '"' ? /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(value) : /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(value);
  if (!body) return undefined;
  if (quote === "'") return body[1]!.replaceAll("''", "'");
  return body[1]!.replaceAll(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t" };

/** At a separator that is not inside quotes or brackets: `bash(git add, git commit), read` has two parts. */
export function splitOutside(text: string, separators: string): string[] {
  const parts: string[] = [];
  let part = "";
  let depth = 0;
  let quote = "";
  for (const character of text) {
    if (quote) quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    if (!quote && depth === 0 && separators.includes(character)) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part].map((each) => each.trim()).filter(Boolean);
}
