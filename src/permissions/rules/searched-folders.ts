import { type Dirent, existsSync, readdirSync } from "node:fs";
import type { SimpleCommand, Word } from "../../../packages/command-analysis/src/simple-command.ts";
import { runsCode } from "../code-runners.ts";
import { within } from "./match-glob.ts";

/** A folder whose files a command reads without naming them. */
export interface SearchedFolder {
  /** As the command says it. */
  readonly folder: string;
  /** Whether also what lies behind names that begin with a dot. */
  readonly hidden: boolean;
  /** Their content is shown; otherwise it is copied, or handed to a program. */
  readonly isShown: boolean;
  /** Only files whose last name fits this. */
  readonly pattern?: string;
}

/** The folders that a command reads whole: recursive searches, comparisons and copies. */
export function searchedFolders({ name, words }: SimpleCommand): SearchedFolder[] {
  const options = words.slice(1).filter(({ text }) => text.startsWith("-") && text.length > 1);
  const has = (pattern: RegExp): boolean => options.some(({ text }) => pattern.test(text));
  const isPlainSearch =
    /^(?:e|f|z|bz|xz|p)?grep$/.test(name) && has(/^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive|^-d$|^--directories/);
  const isComparison = name === "diff" && has(/^-[A-Za-z]*r|^--recursive/);
  const isTreeSearch = ["rg", "ag", "ack", "ugrep"].includes(name);
  if (name === "find") return foundFolders(words.slice(1));
  if (!isPlainSearch && !isComparison && !isTreeSearch) return copiedFolders(name, words.slice(1));
  const hidden = !isTreeSearch || has(/^-[A-Za-z]*[u.]|^--(?:hidden|unrestricted|no-ignore|all-types)/);
  const operands = operandsOf(words.slice(1));
  // The first one is what is searched for; as a folder it hardly exists.
  const folders = operands.length > (isComparison ? 0 : 1) ? operands : ["."];
  return folders.map((folder) => ({ folder, hidden, isShown: true }));
}

/** `find` only lists names, unless it starts a program for what it finds. */
function foundFolders(words: readonly Word[]): SearchedFolder[] {
  const texts = words.map(({ text }) => text);
  if (!texts.some((text) => /^-(?:exec|execdir|ok|okdir)$/.test(text))) return [];
  const first = texts.findIndex((text) => /^[-(!]/.test(text));
  const folders = first === 0 ? ["."] : texts.slice(0, first);
  const isPlain = !texts.some((text) => /^(?:-o|-or|-not|!|,)$/.test(text));
  const name = isPlain ? texts[texts.indexOf("-name") + 1] : undefined;
  const pattern = texts.includes("-name") && name !== undefined ? { pattern: name } : {};
  return folders.map((folder) => ({ folder, hidden: true, isShown: false, ...pattern }));
}

function copiedFolders(name: string, words: readonly Word[]): SearchedFolder[] {
  const letters = copying[name];
  if (letters === undefined || !words.some(({ text }) => letters.test(text))) return [];
  return operandsOf(words).map((folder) => ({ folder, hidden: true, isShown: false }));
}

/** Programs that copy folders with all that is in them, and the words that make them do it. */
const copying: Readonly<Record<string, RegExp>> = {
  cp: /^-[A-Za-z]*[aRr]|^--(?:recursive|archive)/,
  scp: /^-[A-Za-z]*r/,
  rsync: /^-[A-Za-z]*[ar]|^--(?:recursive|archive)/,
  tar: /^-?[A-Za-z]*[cru]|^--(?:create|append|update)/,
  zip: /^-[A-Za-z]*r|^--recurse/,
};

function operandsOf(words: readonly Word[]): string[] {
  return words.flatMap(({ text, kind }) => (kind === "literal" && !text.startsWith("-") ? [text] : []));
}

const mostEntries = 20_000;

/**
 * Whether a file below a folder passes a test of its path from there. Yes as well when there are too many to look at: whoever asks
 * wants to know what may be.
 */
export function someFileBelow(
  folder: string,
  { hidden, fits }: { readonly hidden: boolean; readonly fits: (path: string) => boolean },
): boolean {
  const waiting = [""];
  let seen = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of entriesOf(`${folder}/${at}`)) {
      seen += 1;
      if (seen > mostEntries) return true;
      if (!hidden && entry.name.startsWith(".")) continue;
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (fits(path)) return true;
      if (entry.isDirectory()) waiting.push(path);
    }
  }
  return false;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not a folder, or not ours to read: then the command can't read it either.
    return [];
  }
}

/** The word itself, what comes after `=` in `--file=/etc/x`, what is glued to letters: `-f/etc/x`, and `file:///etc/x`. */
export function pathsIn(text: string): string[] {
  if (text === "") return [];
  const address = /^(?:--?[\w-]+=)?file:(?:\/\/[^/]*)?(\/.*)$/i.exec(text)?.[1];
  if (address !== undefined) return [decode(address)];
  const equals = text.indexOf("=");
  const value = equals >= 0 && equals < text.length - 1 ? [text.slice(equals + 1)] : [];
  if (!text.startsWith("-")) return [text, ...value];
  if (!/^-[A-Za-z]./.test(text)) return value;
  // What looks like a path by itself may stand behind any number of letters.
  const glued = /^-[A-Za-z]{2,}?((?:\/|\.\.?\/|\.\.$|~).*)$/.exec(text)?.[1];
  return [text.slice(2), ...value, ...(glued === undefined ? [] : [glued])];
}

/** `:hidden.txt` and `HEAD:hidden.txt` of git: a file as it was committed or put into the index. */
export function revisionPathsIn({ name }: SimpleCommand, { text }: Word): string[] {
  if (name !== "git") return [];
  return [...text.matchAll(/:/g)]
    .map(({ index }) => text.slice(index + 1).replace(/^\([^)]*\)|^\//, ""))
    .filter(Boolean);
}

const mostPieces = 200;

/**
 * What may be a path although nobody can say so: each ending of letters in a bundle (`-uoout/x`), what stands behind a colon, and
 * the names in code that an interpreter gets.
 */
export function possiblePathsIn(command: SimpleCommand, word: Word, folder: string): string[] {
  const { text } = word;
  const code = runsCode(command.name) ? namesInCode(text) : [];
  const bundle = /^-[A-Za-z]{2}/.test(text) ? endingsOf(text.slice(3, 160)) : [];
  const colons = text.includes(":") && !text.includes("://") ? text.split(":").slice(1) : [];
  return [...code, ...[...bundle, ...colons].filter((each) => /[./]/.test(each) || existsSync(within(folder, each)))]
    .filter((each) => each.length > 1)
    .slice(0, mostPieces);
}

/** The names in what an interpreter reads from its stdin. */
export function possiblePathsInInput({ name, input }: SimpleCommand): string[] {
  if (!runsCode(name) || (input.kind !== "text" && input.kind !== "dynamic")) return [];
  return pathsInCode(input.text);
}

/** What in a piece of code could be a path. */
export function pathsInCode(text: string): string[] {
  return namesInCode(text).slice(0, mostPieces);
}

function namesInCode(text: string): string[] {
  const pieces = text.split(/[\s"'`<>|;&(){}[\],=:]+/);
  // `rhidden.txt` and `w/tmp/x` of sed need no space.
  return pieces
    .flatMap((piece) => (/^[\d$!/]*[rRwW][./\w]/.test(piece) ? [piece, piece.replace(/^[^rRwW]*./, "")] : [piece]))
    .filter((piece) => /[./]/.test(piece) && !/^[./\d]+$/.test(piece));
}

function endingsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length) }, (_, index) => text.slice(index));
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
