import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { hashParts } from "../scan/read-tool-file.ts";

/**
 * The name under which a content was kept whole, this one if it can be: the file may have got another name since. Undefined
 * when it is not what is really there: somebody may have changed it, or removed a part.
 */
export function nameOfKept(place: string, { name, hash }: { name: string; hash: string }): string | undefined {
  try {
    const parts = readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".tmp"))
      .map((entry) => relative(place, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => !path.startsWith("node_modules/"))
      .map((path) => ({ path, content: readFileSync(join(place, path)) }));
    const names = parts.map(({ path }) => path).filter((path) => path !== name && !path.includes("/"));
    return [name, ...names].find((each) => isWhole(parts, { name: each, hash }));
  } catch {
    return undefined;
  }
}

type Part = Parameters<typeof hashParts>[0][number];

function isWhole(parts: readonly Part[], { name, hash }: { name: string; hash: string }): boolean {
  const own = parts.find(({ path }) => path === name);
  if (!own) return false;
  const others = parts.filter((part) => part !== own);
  if (hashParts([own, ...others]) === hash) return true;
  // It was kept under two names: the other one is no part of it.
  const isTwin = ({ content }: Part): boolean => content.equals(own.content);
  return others.some(isTwin) && hashParts([own, ...others.filter((part) => !isTwin(part))]) === hash;
}

/** The contents of this file that were once asked what they are, the latest first: for when nobody knows which one worked last. */
export function listKept(folder: string, name: string): string[] {
  const found: { readonly hash: string; readonly at: number }[] = [];
  for (const hash of listHashes(folder)) {
    try {
      if (!statSync(join(folder, hash, "files", name)).isFile()) continue;
      found.push({ hash, at: statSync(join(folder, hash, "spec.json")).mtimeMs });
    } catch {
      // Of another file, or damaged.
    }
  }
  return found.toSorted((a, b) => b.at - a.at).map(({ hash }) => hash);
}

/** Of all contents that were kept, in no order. */
export function listHashes(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
  } catch {
    return [];
  }
}
