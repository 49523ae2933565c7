import { lstatSync } from "node:fs";
import type { ToolContext } from "../../core/tool.ts";
import type { Failure } from "../failure.ts";
import type { Held } from "./locate-file.ts";
import { readStart } from "./read-start.ts";

/** Larger ones are changed without a way back. */
const largestKept = 32_000_000;

/**
 * Hands what a file is now to whoever keeps it, to be asked right before it takes its new content. Says why when it can't be
 * read; throws when it can't be kept.
 */
export async function keepBefore(held: Held, after: Buffer, context: ToolContext): Promise<Failure | undefined> {
  if (!context.keepBefore) return undefined;
  const { path, place } = held;
  const isNew = place.missing.length > 0;
  // Looked at again: somebody may have made it since the place was taken.
  const stats = isNew ? undefined : lstatSync(place.folder.at(place.name), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) {
    const newFolders = place.missing.length;
    await context.keepBefore({ path, before: null, mode: null, after, ...(newFolders > 0 ? { newFolders } : {}) });
    return undefined;
  }
  const now = await readStart({ ...held, place: { ...place, stats } }, largestKept);
  if (!now.ok) return now;
  const mode = Number(now.stats.mode & 0o7777n);
  await context.keepBefore({ path, before: now.isWhole ? now.bytes : null, mode, after });
  return undefined;
}
