import type { Scan } from "./scan-folder.ts";
import { hasChanged, readEntry, type ToolEntry } from "./tool-entry.ts";

/** Reads what is new or different, forgets what is gone. False when all is as it was, and nobody waits for a person. */
export function readChanged(
  entries: Map<string, ToolEntry>,
  found: Scan,
  { folder, before, now }: { readonly folder: string; readonly before: Scan | null; readonly now: number },
): boolean {
  let isWorth = found !== before && forget(entries, new Set(found.names));
  for (const name of found.names) {
    const entry = entries.get(name);
    // What it imports may be there now, in whatever folder.
    const mayBeMended = entry?.state === "broken";
    if (entry && !mayBeMended && !hasChanged(folder, entry, now)) {
      isWorth ||= entry.state === "untrusted" || entry.state === "quarantined";
      continue;
    }
    const read = readEntry(folder, name, { now, good: entry?.good ?? null });
    const isSame = entry?.snapshot && read.snapshot?.hash === entry.snapshot.hash;
    if (isSame) {
      const { state, problem, candidate, author } = entry;
      entries.set(name, { ...read, state, problem, candidate, author });
    } else {
      entries.set(name, read);
      isWorth = true;
    }
  }
  return isWorth;
}

function forget(entries: Map<string, ToolEntry>, names: ReadonlySet<string>): boolean {
  let isAny = false;
  for (const name of entries.keys()) if (!names.has(name)) isAny = entries.delete(name);
  return isAny;
}
