import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../stop/process-identity-check.ts";
import { readRecord } from "../run/process-record.ts";
import type { ProcessTable } from "../stop/process-table.ts";

export interface Registry {
  readonly table: ProcessTable;
  readonly runFolder: string;
}

/** What the commands that run just now hold, here and in other runtimes on this run folder. */
export interface RunningHolds {
  readonly masks: ReadonlySet<string>;
  /**
   * One of them can put something else at this place of a writable folder, because it has no mount there. Whoever mounted
   * something there by its name could be led anywhere in that moment, as often as it takes.
   */
  canSwap(path: string): boolean;
}

/** `except`: the name of a run that does not count. */
export function readRunningHolds({ table, runFolder }: Registry, except?: string): RunningHolds {
  const masks = new Set<string>();
  const pinned: ReadonlySet<string>[] = [];
  for (const name of readdirSync(runFolder)) {
    const record = name === except ? undefined : readRecord(join(runFolder, name));
    if (!record?.pins || record.exitedAt !== null || !isAlive(table, record.child ?? record.owner)) continue;
    for (const mask of record.masks ?? []) masks.add(mask);
    pinned.push(new Set(record.pins));
  }
  return { masks, canSwap: (path) => pinned.some((pins) => !pins.has(path)) };
}
