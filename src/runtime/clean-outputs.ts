import { lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../core/errors.ts";

export interface CleanedOutputs {
  readonly files: number;
  readonly bytes: number;
  /** When the youngest of those that were removed was written. */
  readonly until: number | null;
}

/**
 * Removes kept outputs, and what files were before tools changed them, that are too old and, from the oldest on, what is too
 * much. Links are left alone.
 */
export function cleanOutputs(options: {
  readonly folders: readonly string[];
  readonly before: number;
  readonly maxBytes: number;
  readonly isDryRun: boolean;
}): CleanedOutputs {
  const files = options.folders.flatMap(listFiles).sort((a, b) => b.writtenAt - a.writtenAt);
  let kept = 0;
  const removed = files.filter(({ writtenAt, bytes }) => {
    const isKept = writtenAt >= options.before && kept + bytes <= options.maxBytes;
    if (isKept) kept += bytes;
    return !isKept;
  });
  if (!options.isDryRun) {
    for (const { path } of removed) rmSync(path, { force: true });
    for (const folder of new Set(removed.map(({ path }) => dirname(path)))) removeIfEmpty(folder, options.folders);
  }
  return {
    files: removed.length,
    bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0),
    until: removed[0]?.writtenAt ?? null,
  };
}

interface KeptFile {
  readonly path: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

function listFiles(folder: string): KeptFile[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory()) return listFiles(path);
      return stats?.isFile() ? [{ path, bytes: stats.size, writtenAt: stats.mtimeMs }] : [];
    });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}

function removeIfEmpty(folder: string, tops: readonly string[]): void {
  if (tops.includes(folder)) return;
  try {
    rmdirSync(folder);
  } catch {
    return; // something is still in it
  }
  removeIfEmpty(dirname(folder), tops);
}
