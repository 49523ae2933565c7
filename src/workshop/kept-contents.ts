import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { hashParts } from "./read-tool-file.ts";

/** Of what is really there: somebody may have changed it, or removed a part. */
export function hashOfKept(place: string, name: string): string | undefined {
  try {
    const others = readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".tmp"))
      .map((entry) => relative(place, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => path !== name && !path.startsWith("node_modules/"));
    return hashParts([name, ...others].map((path) => ({ path, content: readFileSync(join(place, path)) })));
  } catch {
    return undefined;
  }
}

/** The contents of this file that were once asked what they are, the latest first: for when nobody knows which one worked last. */
export function listKept(folder: string, name: string): string[] {
  const found: { readonly hash: string; readonly at: number }[] = [];
  for (const hash of namesIn(folder)) {
    try {
      if (!statSync(join(folder, hash, "files", name)).isFile()) continue;
      found.push({ hash, at: statSync(join(folder, hash, "spec.json")).mtimeMs });
    } catch {
      // Of another file, or damaged.
    }
  }
  return found.toSorted((a, b) => b.at - a.at).map(({ hash }) => hash);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
  } catch {
    return [];
  }
}
