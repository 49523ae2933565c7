import { existsSync } from "node:fs";
import type { SimpleCommand, Word } from "../../../packages/command-analysis/src/simple-command.ts";
import { runsCode } from "../code-runners.ts";
import { within } from "./expand-glob.ts";

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
