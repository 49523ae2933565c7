import { foldName } from "./fold-name.ts";
import type { PathGuard } from "./open-path-guard.ts";
import { isWithin, namesBetween } from "./path-name.ts";

/** The folder in a workdir where Deckhand keeps its store, its log and the outputs that were too long to show. */
export const ownFolder = ".deckhand";

/** Whether a place (absolute, without links) is such a folder or lies in one, also one of a workdir further down or up. */
export function isOwn(guard: PathGuard, path: string): boolean {
  if (namesBetween("/", path).some((name) => foldName(name) === ownFolder)) return true;
  const records = realRecords(guard);
  return records !== undefined && isWithin(records, path);
}

/** It may be a link itself; one that leads in a circle or outside leads to no file of the workdir. */
function realRecords(guard: PathGuard): string | undefined {
  try {
    const place = guard.find(ownFolder);
    if (!place.ok) return undefined;
    guard.release(place);
    return place.path;
  } catch {
    return undefined;
  }
}
