import { posix } from "node:path";
import type { Language } from "../host/tool-host.ts";

/**
 * Paths, relative to the folder of tools, that a file may import from there; the first of each list that exists is meant. Found by
 * its text: what stands in a comment is found too, which costs a copy and nothing else.
 */
export function findImports(file: string, text: string, language: Language): readonly (readonly string[])[] {
  return language === "python" ? pythonImports(file, text) : scriptImports(file, text);
}

/** What leads out of the folder, for the sentence about it. */
export function findOutside(file: string, text: string, language: Language): string | undefined {
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
