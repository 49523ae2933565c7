import type { SessionEntry, SessionEntryBody } from "../../core/session.ts";

type Compaction = Extract<SessionEntry, { type: "compaction" }>;

/** The last compaction that was not taken back, and where the part begins that it left as it is. */
export function findStandingCompaction(
  branch: readonly SessionEntry[],
): { readonly compaction: Compaction; readonly firstKept: number } | null {
  const undone = new Set(branch.flatMap((entry) => (entry.type === "compaction_undone" ? [entry.compactionId] : [])));
  const at = branch.findLastIndex((entry) => entry.type === "compaction" && !undone.has(entry.id));
  const compaction = branch[at];
  if (compaction?.type !== "compaction") return null;
  const kept = branch.findIndex(({ id }) => id === compaction.firstKeptId);
  return { compaction, firstKept: kept === -1 ? at : kept };
}

/** The body of the entry that takes the last compaction back; null when none stands. */
export function undoCompaction(
  branch: readonly SessionEntry[],
): Extract<SessionEntryBody, { type: "compaction_undone" }> | null {
  const standing = findStandingCompaction(branch);
  return standing && { type: "compaction_undone", compactionId: standing.compaction.id };
}
