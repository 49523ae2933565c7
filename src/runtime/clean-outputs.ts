import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../core/errors.ts";

export interface CleanedOutputs {
  readonly files: number;
  readonly bytes: number;
  /** When the youngest of those that were removed was written. */
  readonly until: number | null;
}

/** Removes kept outputs that are too old and, from the oldest on, what is too much. Links and folders are left alone. */
export function cleanOutputs(options: {
  readonly folder: string;
  readonly before: number;
  readonly maxBytes: number;
  readonly isDryRun: boolean;
}): CleanedOutputs {
  const files = listFiles(options.folder).sort((a, b) => b.writtenAt - a.writtenAt);
  let kept = 0;
  const removed = files.filter(({ writtenAt, bytes }) => {
    const isKept = writtenAt >= options.before && kept + bytes <= options.maxBytes;
    if (isKept) kept += bytes;
    return !isKept;
  });
  if (!options.isDryRun) for (const { path } of removed) rmSync(path, { force: true });
  return {
    files: removed.length,
    bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0),
    until: removed[0]?.writtenAt ?? null,
  };
}

function listFiles(folder: string): { readonly path: string; readonly bytes: number; readonly writtenAt: number }[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() ? [{ path, bytes: stats.size, writtenAt: stats.mtimeMs }] : [];
    });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}
