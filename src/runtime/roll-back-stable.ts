import { RuntimeError } from "../core/errors.ts";
import type { RolloutTransaction } from "../core/rollout-store.ts";
import { writeRelease } from "../rollout/release/release-documents.ts";
import { makeStable, setOut } from "../rollout/release/release-steps.ts";
import { tell } from "../rollout/release/tell-event.ts";
import type { RolledBack, ToolRelease } from "../rollout/release/tool-release.ts";
import { versionName } from "../rollout/release/version-name.ts";

/** What was stable before is stable again. `there`: the contents whose copies can be opened. */
export function rollBackStable(
  transaction: RolloutTransaction,
  release: ToolRelease,
  { entry, there }: { readonly entry: RolledBack; readonly there: readonly string[] },
): void {
  const { tool, stable, out } = release;
  const all = release.earlier.filter(({ hash }) => !out[hash] && hash !== stable.hash);
  const before = all.find(({ hash }) => there.includes(hash));
  if (!before) {
    const why = all.length === 0 ? "" : ": the copies of those it had are gone from .deckhand/versions";
    throw new RuntimeError("ROLLOUT_STATE", `${tool} has no earlier version to go back to${why}.`);
  }
  const { at, kind, by, who, reason } = entry;
  const back = makeStable(release, before, at);
  const pinned = kind === "hard" ? { at, who, reason, by } : release.pinned;
  writeRelease(transaction, { ...setOut(back, stable.hash, entry), pinned });
  const figures = { kind, to: versionName(tool, before.hash) };
  tell(transaction, { ...release, rollout: null }, { at, type: "rolled_back", by, who, reason, figures });
}
