import { findCodeEnd, longestMark, openWindow, type Found } from "./find-closer.ts";

export interface Link {
  readonly label: string;
  readonly url: string;
}

/** `[label](url "title")` at `at`. Links by reference are text: what they refer to may come much later. */
export function readLink(text: string, at: number, isWhole: boolean): Found<Link> {
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
export function readAutolink(text: string, at: number, isWhole: boolean): Found<string> {
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
export function readEntity(text: string, at: number, isWhole: boolean): Found<string> {
  const rest = text.slice(at, at + 6);
  const name = /^&([a-z]{2,4});/.exec(rest);
  const decoded = name?.[1] === undefined ? undefined : entities[name[1]];
  if (name && decoded !== undefined) return { value: decoded, end: at + name[0].length };
  return /^&[a-z]{0,4}$/.test(rest) && !isWhole ? "unknown" : "none";
}
