import { lstat, opendir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../../core/errors.ts";

export interface OldOutputs {
  readonly paths: readonly string[];
  readonly bytes: number;
  /** When the youngest of them was written. */
  readonly until: number | null;
}

/**
 * Kept outputs, and what files were before tools changed them, that are too old and, from the oldest on, what is too much.
 * Links are left alone.
 */
export async function findOldOutputs(options: {
  readonly folders: readonly string[];
  readonly before: number;
  readonly maxBytes: number;
}): Promise<OldOutputs> {
  const files: KeptFile[] = [];
  for (const folder of options.folders) for await (const file of walkFiles(folder)) files.push(file);
  files.sort((a, b) => b.writtenAt - a.writtenAt);
  let kept = 0;
  const old = files.filter(({ writtenAt, bytes }) => {
    const isKept = writtenAt >= options.before && kept + bytes <= options.maxBytes;
    if (isKept) kept += bytes;
    return !isKept;
  });
  return {
    paths: old.map(({ path }) => path),
    bytes: old.reduce((sum, { bytes }) => sum + bytes, 0),
    until: old[0]?.writtenAt ?? null,
  };
}

/** One after the other, so that nobody waits for all of them; and folders that are empty then. */
export async function removeOutputs(paths: readonly string[], tops: readonly string[], signal?: AbortSignal) {
  for (const path of paths) {
    if (signal?.aborted) return;
    await rm(path, { force: true });
  }
  for (const folder of new Set(paths.map((path) => dirname(path)))) await removeIfEmpty(folder, tops);
}

interface KeptFile {
  readonly path: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

async function* walkFiles(folder: string): AsyncGenerator<KeptFile> {
  try {
    for await (const { name } of await opendir(folder)) {
      const path = join(folder, name);
      const stats = await lstat(path).catch(ignoreGone);
      if (stats?.isDirectory()) yield* walkFiles(path);
      else if (stats?.isFile()) yield { path, bytes: stats.size, writtenAt: stats.mtimeMs };
    }
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOTDIR") ignoreGone(thrown);
  }
}

/** Somebody else cleans, too. */
function ignoreGone(thrown: unknown): undefined {
  if (codeOf(thrown) !== "ENOENT") throw thrown;
}

async function removeIfEmpty(folder: string, tops: readonly string[]): Promise<void> {
  if (tops.includes(folder)) return;
  try {
    await rmdir(folder);
  } catch {
    return; // something is still in it
  }
  await removeIfEmpty(dirname(folder), tops);
}
