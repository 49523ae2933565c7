import { RuntimeError } from "../../../core/errors.ts";
import type { RolloutTransaction } from "../../../core/stores.ts";
import { writeRelease } from "../release/release-documents.ts";
import { makeStable, setOut } from "../release/release-steps.ts";
import { type RolledBack, tell, type ToolRelease, versionName } from "../release/tool-release.ts";

/**
 * What was stable before is stable again; with `to` that content, also when it was rolled back once: a person names it. All that
 * was stable after it stays out. `there`: the contents whose copies can be opened.
 */
export function rollBackStable(
  transaction: RolloutTransaction,
  release: ToolRelease,
  { entry, there, to }: { readonly entry: RolledBack; readonly there: readonly string[]; readonly to?: string },
): void {
  const { tool, stable, out } = release;
  const all = release.earlier.filter(
    ({ hash }) => (to === undefined ? !out[hash] : hash === to) && hash !== stable.hash,
  );
  const before = all.find(({ hash }) => there.includes(hash));
  if (!before) {
    const why = all.length === 0 ? "" : ": the copies of those it had are gone from .deckhand/versions";
    const sentence = `${tool} has no earlier version to go back to${why}.`;
    throw new RuntimeError("ROLLOUT_STATE", to === undefined ? sentence : tellGone(tool, to));
  }
  const { at, kind, by, who, reason } = entry;
  const back = makeStable(release, before, at);
  const pinned = kind === "hard" ? { at, who, reason, by } : release.pinned;
  // Whoever goes back past a version does not want it either.
  const newer = to === undefined ? [] : release.earlier.slice(0, release.earlier.indexOf(before)).toReversed();
  const passed = [...newer.filter(({ hash }) => !out[hash]), stable];
  const next = passed.reduce((each, { hash }) => setOut(each, hash, entry), back);
  writeRelease(transaction, { ...next, pinned });
  const also = passed.slice(0, -1).map(({ hash }) => versionName(tool, hash));
  const figures = { kind, to: versionName(tool, before.hash), ...(also.length > 0 && { also }) };
  tell(transaction, { ...release, rollout: null }, { at, type: "rolled_back", by, who, reason, figures });
}

function tellGone(tool: string, hash: string): string {
  return `The copy of ${versionName(tool, hash)} is gone from .deckhand/versions, or damaged: nobody can go back to it.`;
}
