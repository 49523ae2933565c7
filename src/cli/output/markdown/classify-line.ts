/** What a line is, by its beginning. `content` is where its text begins. */
export type LineKind =
  | { readonly kind: "blank" }
  | { readonly kind: "heading"; readonly level: number; readonly content: number }
  /** Also what may turn out to be text when the line is whole. */
  | { readonly kind: "fence" }
  | { readonly kind: "table" }
  | { readonly kind: "rule" }
  | {
      readonly kind: "item";
      readonly marker: string;
      readonly task: "open" | "done" | null;
      readonly content: number;
    }
  | { readonly kind: "text"; readonly content: number };

export interface Line {
  readonly kind: LineKind;
  /** How many quotes it is in. */
  readonly quotes: number;
  /** Columns before the first quote mark. */
  readonly outerIndent: number;
  /** Columns before its own beginning, inside the quotes. */
  readonly indent: number;
  /** Where it begins, behind quotes and indentation. */
  readonly start: number;
}

/** Undefined: more of the line is needed. With more text the answer never changes. */
export function classifyLine(text: string, isWhole: boolean): Line | undefined {
  let { indent, start } = readIndent(text, 0);
  const outerIndent = indent;
  let quotes = 0;
  while (text[start] === ">" && quotes < mostQuotes) {
    quotes++;
    if (start + 1 === text.length && !isWhole) return undefined;
    const inner = readIndent(text, start + 1);
    indent = Math.max(0, inner.indent - 1);
    start = inner.start;
  }
  const kind = classifyBeginning(text, start, isWhole);
  return kind && { kind, quotes, outerIndent: quotes > 0 ? outerIndent : 0, indent, start };
}

function readIndent(text: string, from: number): { indent: number; start: number } {
  let indent = 0;
  let start = from;
  const most = from + mostIndent;
  for (; start < most && (text[start] === " " || text[start] === "\t"); start++)
    indent += text[start] === "\t" ? 4 - (indent % 4) : 1;
  return { indent, start };
}

function classifyBeginning(text: string, start: number, isWhole: boolean): LineKind | undefined {
  const rest = text.slice(start, start + beginning);
  if (rest === "") return isWhole ? { kind: "blank" } : undefined;
  const asText: LineKind = { kind: "text", content: start };
  switch (rest[0]) {
    case "#":
      return classifyHeading(rest, start, isWhole);
    case "`":
    case "~":
      if (/^(?:```|~~~)/.test(rest)) return { kind: "fence" };
      return rest.length < 3 && /^(?:`+|~+)$/.test(rest) && !isWhole ? undefined : asText;
    case "|":
      return { kind: "table" };
    case "-":
    case "*":
    case "_":
    case "+":
      return classifyDash(text, start, isWhole);
    default:
      return classifyNumber(rest, start, isWhole);
  }
}

/** What goes beyond is text: a line without an end must not be looked at over and over. */
const mostIndent = 200;
const mostQuotes = 20;
const longestRule = 400;

/** No mark that begins a line is longer, but for a rule. */
const beginning = 24;

function classifyHeading(rest: string, start: number, isWhole: boolean): LineKind | undefined {
  const marks = /^#+/.exec(rest)?.[0].length ?? 0;
  if (marks > 6) return { kind: "text", content: start };
  if (marks === rest.length) return isWhole ? { kind: "heading", level: marks, content: start + marks } : undefined;
  const isHeading = /^#+[ \t]/.test(rest);
  return isHeading ? { kind: "heading", level: marks, content: start + marks } : { kind: "text", content: start };
}

function classifyDash(text: string, start: number, isWhole: boolean): LineKind | undefined {
  const rest = text.slice(start, start + longestRule + 1);
  if (rest.length <= longestRule && /^([-*_])(?:[ \t]*\1)*[ \t]*$/.test(rest)) {
    if (!isWhole) return undefined;
    if (rest.replaceAll(/[ \t]/g, "").length >= 3) return { kind: "rule" };
  }
  const marker = /^[-*+](?=[ \t]|$)/.exec(rest)?.[0];
  if (marker === undefined) return { kind: "text", content: start };
  if (rest.trimEnd() === marker && !isWhole) return undefined;
  return classifyItem("•", { rest, start, from: 1 }, isWhole);
}

function classifyNumber(rest: string, start: number, isWhole: boolean): LineKind | undefined {
  if (/^\d{1,9}[.)]?$/.test(rest) && !isWhole) return undefined;
  const marker = /^\d{1,9}[.)](?=[ \t]|$)/.exec(rest)?.[0];
  if (marker === undefined) return { kind: "text", content: start };
  if (rest.trimEnd() === marker && !isWhole && rest.length < beginning) return undefined;
  return classifyItem(marker, { rest, start, from: marker.length }, isWhole);
}

function classifyItem(
  marker: string,
  { rest, start, from }: { readonly rest: string; readonly start: number; readonly from: number },
  isWhole: boolean,
): LineKind | undefined {
  const spaces = /^[ \t]*/.exec(rest.slice(from))?.[0].length ?? 0;
  const content = from + spaces;
  const box = rest.slice(content, content + 4);
  const task = /^\[([ xX])\](?:[ \t]|$)/.exec(box)?.[1];
  if (!isWhole && /^\[(?:[ xX]\]?)?$/.test(box) && content + box.length === rest.length) return undefined;
  if (task === undefined) return { kind: "item", marker, task: null, content: start + content };
  return { kind: "item", marker, task: task === " " ? "open" : "done", content: start + content + 3 };
}
