import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { FileProblem, Language } from "../host/tool-host.ts";
import { lookAt, stampOf, type Stamp } from "./scan-folder.ts";

/** One content of a tool file, with all that it imports from its folder: what is kept, admitted and run as one. */
export interface Snapshot {
  readonly name: string;
  readonly language: Language;
  readonly hash: string;
  /** The file itself first. */
  readonly parts: readonly SnapshotPart[];
  /** An import that leads out of the folder, and is not part of it. */
  readonly outside: string | undefined;
}

export interface SnapshotPart {
  /** Relative to the folder of tools. */
  readonly path: string;
  readonly content: Buffer;
  readonly stamp: Stamp;
}

/** `stamps`: of all that was looked at, so that a change is noticed also when it can't be read. */
export type ReadFile =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly problem: FileProblem; readonly stamp: Stamp | null };

const mostBytes = 1024 * 1024;
const mostParts = 100;

/** Reads a file as it is at one moment; with `content`, as it would be if it had that. */
export function readToolFile(folder: string, name: string, content?: Buffer): ReadFile {
  const language = languageOf(name);
  const present = readPart(folder, name);
  if (!present.ok) return present;
  const first = content === undefined ? present : { ...present, part: { ...present.part, content } };
  if (first.part.content.length === 0) {
    const problem = tell("It is empty.", "Save the tool into it, or remove it.");
    return { ok: false, problem, stamp: first.part.stamp };
  }
  const parts = new Map([[name, first.part]]);
  for (const { path, content } of parts.values()) {
    if (!isCode.test(path)) continue;
    for (const candidates of findImports(path, content.toString(), languageOf(path))) {
      const found = candidates.find((candidate) => parts.has(candidate) || lookAt(folder, candidate)?.isFile());
      if (found === undefined || parts.has(found)) continue;
      const read = readPart(folder, found);
      if (!read.ok) return { ...read, stamp: first.part.stamp };
      parts.set(found, read.part);
      if (parts.size > mostParts) {
        const problem = tell(`It imports more than ${mostParts} files.`, "Make them a package, and import that.");
        return { ok: false, problem, stamp: first.part.stamp };
      }
    }
  }
  const all = [...parts.values(), ...packageOf(folder)];
  const outside = findOutside(name, first.part.content.toString(), language);
  return { ok: true, snapshot: { name, language, hash: hashParts(all), parts: all, outside } };
}

/** It says whether `.js` and `.ts` are modules. */
function packageOf(folder: string): readonly SnapshotPart[] {
  const read = readPart(folder, "package.json");
  return read.ok ? [read.part] : [];
}

const isCode = /\.(?:[cm]?[jt]s|py)$/;

export function languageOf(name: string): Language {
  if (name.endsWith(".py")) return "python";
  return /\.m?ts$/.test(name) ? "typescript" : "javascript";
}

/** Of a file without imports it is the hash of its bytes, as `sha256sum` says it. Names of the others count, its own does not. */
export function hashParts(parts: readonly Pick<SnapshotPart, "path" | "content">[]): string {
  const [own, ...others] = parts;
  const hash = createHash("sha256").update(own!.content);
  for (const { path, content } of others.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

type ReadPart =
  | { readonly ok: true; readonly part: SnapshotPart }
  | { readonly ok: false; readonly problem: FileProblem; readonly stamp: Stamp | null };

function readPart(folder: string, path: string): ReadPart {
  const stats = lookAt(folder, path);
  const stamp = stats ? stampOf(stats) : null;
  const refuse = (problem: FileProblem): ReadPart => ({ ok: false, problem, stamp });
  if (!stats) return refuse(tell(`${path} is gone.`, null));
  if (stats.isSymbolicLink()) return refuse(tell(`${path} is a symbolic link.`, "Put the file itself there."));
  if (stats.isDirectory())
    return refuse(tell(`${path} is a folder.`, "A tool is a file; give the folder another name."));
  if (!stats.isFile()) return refuse(tell(`${path} is not a regular file.`, "Remove it, or put a file there."));
  if (stats.size > mostBytes) return refuse(tell(`${path} is larger than 1 MB.`, "Read data when the tool runs."));
  let descriptor: number | undefined;
  try {
    // Another file may have come in its place since; what is opened is what is judged.
    descriptor = openSync(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const opened = fstatSync(descriptor);
    if (!opened.isFile() || opened.size > mostBytes) return refuse(tell(`${path} changes too fast.`, "Try again."));
    return {
      ok: true,
      part: { path: posix.normalize(path), content: readFileSync(descriptor), stamp: stampOf(opened) },
    };
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return refuse(tell(`${path} can't be read: ${messageOf(thrown)}.`, "Check its owner and mode."));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function tell(message: string, hint: string | null): FileProblem {
  return { message, line: null, hint };
}

/**
 * Paths, relative to the folder of tools, that a file may import from there; the first of each list that exists is meant. Found by
 * its text: what stands in a comment is found too, which costs a copy and nothing else.
 */
function findImports(file: string, text: string, language: Language): readonly (readonly string[])[] {
  return language === "python" ? pythonImports(file, text) : scriptImports(file, text);
}

/** What leads out of the folder, for the sentence about it. */
function findOutside(file: string, text: string, language: Language): string | undefined {
  if (language === "python") return undefined;
  return specifiers(text).find((specifier) => relativeTo(file, specifier) === null);
}

function scriptImports(file: string, text: string): string[][] {
  return specifiers(text).flatMap((specifier) => {
    const path = relativeTo(file, specifier);
    return path === null ? [] : [[path, ...endings.map((ending) => `${path}${ending}`)]];
  });
}

const endings = [".ts", ".mts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];
const specifier = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g;

function specifiers(text: string): string[] {
  return [...text.matchAll(specifier)].map(([, , found]) => found!);
}

/** Null when it leads out of the folder. */
function relativeTo(file: string, found: string): string | null {
  const path = posix.normalize(posix.join(posix.dirname(file), found));
  return path.startsWith("../") || path === ".." ? null : path;
}

const pythonImport = /^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w \t,]*)|import[ \t]+([\w., \t]+))/gm;

function pythonImports(file: string, text: string): string[][] {
  const found: string[][] = [];
  for (const [, dots = "", from = "", names = "", plain] of text.matchAll(pythonImport)) {
    if (plain !== undefined) {
      for (const name of plain.split(",")) found.push(...modules("", wordOf(name)));
      continue;
    }
    const base = dots === "" ? "" : posix.join(posix.dirname(file), ...Array<string>(dots.length - 1).fill(".."));
    if (base.startsWith("..")) continue;
    const start = base === "." ? "" : base;
    found.push(...modules(start, from));
    for (const name of names.split(",")) found.push(...modules(start, [from, wordOf(name)].filter(Boolean).join(".")));
  }
  return found;
}

/** `helper as h` is about `helper`. */
function wordOf(name: string): string {
  return name.trim().split(/\s/, 1)[0] ?? "";
}

/** `a.b` needs `a` and `a.b`. */
function modules(base: string, dotted: string): string[][] {
  const parts = dotted.split(".").filter(Boolean);
  return parts.map((_, index) => {
    const path = posix.join(base, ...parts.slice(0, index + 1));
    return [`${path}.py`, `${path}/__init__.py`];
  });
}
