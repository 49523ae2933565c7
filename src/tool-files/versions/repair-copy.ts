import { basename } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { FileProblem, ToolFile } from "../host/tool-host.ts";
import type { Snapshot } from "../scan/read-tool-file.ts";
import type { VersionStore } from "./version-store.ts";

/** What runs must be what its version says: a copy that is damaged is written again, from what the file is known to have. */
export function mendCopy(
  { shown, hash }: ToolFile,
  { versions, snapshots }: { readonly versions: VersionStore; readonly snapshots: Iterable<Snapshot> },
): FileProblem | null {
  const name = basename(shown);
  if (versions.find(name, hash)) return null;
  const hint = `Save ${shown} once more, and look at the folder .deckhand/versions: something changed it.`;
  for (const snapshot of snapshots) {
    if (snapshot.hash !== hash || snapshot.name !== name) continue;
    try {
      versions.restore(snapshot);
      return null;
    } catch (thrown) {
      return { message: `Its copy is damaged and could not be written again: ${messageOf(thrown)}.`, line: null, hint };
    }
  }
  return { message: `The copy of ${shown} that this version runs from is damaged.`, line: null, hint };
}
