import { findCloser, findCodeEnd, type Found, longestMark, openWindow } from "./find-closer.ts";
import type { Look, Span } from "./wrap-writer.ts";

export type InlinePart = Span | "break";

export interface InlineOptions {
  /** Nothing of this line comes after the text. */
  readonly isWhole: boolean;
  /** The character before the text; empty at the start of a line. */
  readonly before: string;
  readonly looks: readonly Look[];
  /** Without colours, marks that carry meaning stay. */
  readonly hasColours: boolean;
}

export interface InlineResult {
  readonly parts: readonly InlinePart[];
  /** How much of the text has a meaning that no later text can change. */
  readonly consumed: number;
}

/**
 * The Markdown inside one line. What has been consumed once would be the same with more text: an opening mark is only
 * consumed together with its closing one, or when there can be none.
 */
export function parseInline(text: string, options: InlineOptions): InlineResult {
  const parts: InlinePart[] = [];
  let at = 0;
  while (at < text.length) {
    const before = at === 0 ? options.before : (text[at - 1] ?? "");
    const step = readStep(text, at, { ...options, before });
    if (step === "unknown") break;
    parts.push(...step.parts);
    at = step.end;
  }
  return { parts, consumed: at };
}

interface Step {
  readonly parts: readonly InlinePart[];
  readonly end: number;
}

type Read = Step | "unknown";

function readStep(text: string, at: number, options: InlineOptions): Read {
  switch (text[at]) {
    case "\\":
      return readEscape(text, at, options);
    case "`":
      return readCode(text, at, options);
    case "*":
    case "_":
    case "~":
      return readEmphasis(text, at, options);
    case "[":
    case "!":
      return readBracket(text, at, options);
    case "<":
      return (
        fromFound(readAutolink(text, at, options.isWhole), (link, end) =>
          link === "break" ? { parts: ["break"], end } : { parts: linkParts(link, link, options), end },
        ) ?? literal(text, at, { length: 1, options })
      );
    case "&":
      return (
        fromFound(readEntity(text, at, options.isWhole), (decoded, end) => ({
          parts: [{ text: decoded, looks: options.looks }],
          end,
        })) ?? literal(text, at, { length: 1, options })
      );
    default:
      return literal(text, at, { length: plainLength(text, at), options });
  }
}

/** Undefined: it is not there. */
function fromFound<Value>(found: Found<Value>, make: (value: Value, end: number) => Step): Read | undefined {
  if (found === "none") return undefined;
  return found === "unknown" ? found : make(found.value, found.end);
}

function literal(
  text: string,
  at: number,
  { length, options }: { readonly length: number; readonly options: InlineOptions },
): Step {
  return { parts: [{ text: text.slice(at, at + length), looks: options.looks }], end: at + length };
}

const special = /[\\`*_~[!<&]/g;

function plainLength(text: string, at: number): number {
  special.lastIndex = at + 1;
  return (special.exec(text)?.index ?? text.length) - at;
}

function readEscape(text: string, at: number, options: InlineOptions): Read {
  const next = text[at + 1];
  // At the end of a line it asks for a line break, which is there anyway.
  if (next === undefined) return options.isWhole ? { parts: [], end: at + 1 } : "unknown";
  if (!/[!-/:-@[-`{-~]/.test(next)) return literal(text, at, { length: 1, options });
  return { parts: [{ text: next, looks: options.looks }], end: at + 2 };
}

function readCode(text: string, at: number, options: InlineOptions): Read {
  const run = runLength(text, at);
  if (at + run === text.length && !options.isWhole) return "unknown";
  const found = findCodeEnd(text, at, options.isWhole);
  return (
    fromFound(found, (contentEnd, end) => {
      const raw = text.slice(at + run, contentEnd);
      const content = /^ .*[^ ].* $|^ [^ ] $/.test(raw) ? raw.slice(1, -1) : raw;
      const looks: readonly Look[] = [...options.looks, "cyan"];
      const shown = options.hasColours ? content : `\`${content}\``;
      return { parts: [{ text: shown, looks }], end };
    }) ?? literal(text, at, { length: run, options })
  );
}

const looksOf: Readonly<Record<string, readonly Look[]>> = {
  "*": ["italic"],
  _: ["italic"],
  "**": ["bold"],
  __: ["bold"],
  "***": ["bold", "italic"],
  ___: ["bold", "italic"],
  "~~": ["strikethrough"],
};

function readEmphasis(text: string, at: number, options: InlineOptions): Read {
  const run = runLength(text, at);
  if (at + run === text.length && !options.isWhole) return "unknown";
  const mark = text.slice(at, at + run);
  const added = looksOf[mark];
  const asText = literal(text, at, { length: run, options });
  if (!added || !canOpen(mark, options.before, text[at + run] ?? "")) return asText;
  const found = findCloser(text, at, { length: run, isWhole: options.isWhole });
  return (
    fromFound(found, (contentEnd, end) => {
      const content = text.slice(at + run, contentEnd);
      const inner = parseInline(content, {
        ...options,
        isWhole: true,
        before: text[at + run - 1] ?? "",
        looks: [...options.looks, ...added],
      });
      if (options.hasColours || mark !== "~~") return { parts: inner.parts, end };
      const edge: Span = { text: mark, looks: options.looks };
      return { parts: [edge, ...inner.parts, edge], end };
    }) ?? asText
  );
}

function canOpen(mark: string, before: string, after: string): boolean {
  if (after === "" || /\s/.test(after)) return false;
  if (mark.startsWith("_") && /[\p{Letter}\p{Number}]/u.test(before)) return false;
  return !/[\p{Letter}\p{Number}]/u.test(before) || !/[\p{Punctuation}\p{Symbol}]/u.test(after);
}

function readBracket(text: string, at: number, options: InlineOptions): Read {
  const isImage = text[at] === "!";
  if (isImage && at + 1 === text.length) return options.isWhole ? literal(text, at, { length: 1, options }) : "unknown";
  if (isImage && text[at + 1] !== "[") return literal(text, at, { length: 1, options });
  const found = readLink(text, isImage ? at + 1 : at, options.isWhole);
  return (
    fromFound(found, ({ label, url }, end) => {
      if (isImage) return { parts: linkParts(label === "" ? "image" : `image: ${label}`, url, options), end };
      return { parts: linkParts(label, url, options), end };
    }) ?? literal(text, at, { length: 1, options })
  );
}

/** The address is always shown: where a link leads must not depend on what its text claims. */
function linkParts(label: string, url: string, options: InlineOptions): InlinePart[] {
  const looks: readonly Look[] = [...options.looks, "underline"];
  if (label === url || label === "") return [{ text: url, looks }];
  const inner = parseInline(label, { ...options, isWhole: true, before: "[", looks });
  return [...inner.parts, { text: " ", looks: options.looks }, { text: `(${url})`, looks: [...options.looks, "dim"] }];
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end++;
  return end - at;
}

export interface Link {
  readonly label: string;
  readonly url: string;
}

/** `[label](url "title")` at `at`. Links by reference are text: what they refer to may come much later. */
function readLink(text: string, at: number, isWhole: boolean): Found<Link> {
  const label = findBracket(text, at, { open: "[", close: "]", isWhole });
  if (typeof label === "string") return label;
  const next = text[label.end];
  if (next === undefined) return isWhole ? "none" : "unknown";
  if (next !== "(") return "none";
  const target = findBracket(text, label.end, { open: "(", close: ")", isWhole });
  if (typeof target === "string") return target;
  const url = /^\s*(?:<([^<>]*)>|(\S+))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/.exec(target.value);
  if (!url) return "none";
  return { value: { label: label.value, url: url[1] ?? url[2] ?? "" }, end: target.end };
}

interface Brackets {
  readonly open: string;
  readonly close: string;
  readonly isWhole: boolean;
}

/** What the bracket at `at` encloses. */
function findBracket(all: string, at: number, { open, close, ...options }: Brackets): Found<string> {
  const { text, isWhole } = openWindow(all, at, options.isWhole);
  let depth = 0;
  let index = at;
  while (index < text.length) {
    const character = text[index];
    if (character === "\\") {
      index++;
    } else if (character === "`" && open === "[") {
      const code = findCodeEnd(text, index, isWhole);
      if (code === "unknown") return "unknown";
      if (code !== "none") index = code.end - 1;
    } else if (character === open) {
      depth++;
    } else if (character === close) {
      depth--;
      if (depth === 0) return { value: text.slice(at + 1, index), end: index + 1 };
    }
    index++;
  }
  return isWhole ? "none" : "unknown";
}

/** `<https://…>`, `<name@host>` or `<br>`; every other tag is shown as it is. */
function readAutolink(text: string, at: number, isWhole: boolean): Found<string> {
  const rest = text.slice(at, at + longestMark);
  const lineBreak = /^<br\s*\/?>/i.exec(rest);
  if (lineBreak) return { value: "break", end: at + lineBreak[0].length };
  const link = /^<((?:https?:|mailto:)[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>/i.exec(rest);
  if (link?.[1] !== undefined) return { value: link[1], end: at + link[0].length };
  const mayGoOn = /^<(?:[^\s<>]*|br\s*\/?)$/i.test(rest) && rest.length < longestMark;
  return mayGoOn && !isWhole ? "unknown" : "none";
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** Only those that can't stand for a control character. */
function readEntity(text: string, at: number, isWhole: boolean): Found<string> {
  const rest = text.slice(at, at + 6);
  const name = /^&([a-z]{2,4});/.exec(rest);
  const decoded = name?.[1] === undefined ? undefined : entities[name[1]];
  if (name && decoded !== undefined) return { value: decoded, end: at + name[0].length };
  return /^&[a-z]{0,4}$/.test(rest) && !isWhole ? "unknown" : "none";
}
