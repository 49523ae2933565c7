import { join } from "node:path";
import { failure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { followLinks, isWithin, locate } from "./locate.ts";
import type { Located } from "./locate.ts";
import { ownFolder } from "./own-folder.ts";

/** As `locate`, for a file that is to be changed: Deckhand's own records in the workdir are refused. */
export async function locateTarget(given: string, workdir: string): Promise<Located | Failure> {
  const located = await locate(given, workdir);
  if (!located.ok) return located;
  const own = join(located.root, ownFolder);
  // It may be a link itself; one that leads in a circle leads to no file.
  const real = await followLinks(own).catch(() => own);
  if (!isWithin(own, located.path) && !isWithin(real, located.path)) return located;
  return failure(
    "access",
    `${given} belongs to Deckhand's own records, which no tool may change.`,
    "Use another path.",
  );
}
