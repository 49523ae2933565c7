import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "./identity.ts";
import { readRecord } from "./process-record.ts";
import type { ProcessTable } from "./process-table.ts";

/*
 * A name that is missing can only be kept from being made by a mount on it, and a mount needs something to lie on:
 * for as long as a command runs, an empty folder stands there. A folder, also where a file is expected: git sees no empty
 * folders, and removing one can never take anything of a person's along. The records of running commands name the
 * masks they hold, so the last one takes them away, also for a runtime that was killed.
 */

interface Registry {
  readonly table: ProcessTable;
  readonly runFolder: string;
}

/** The masks of everything that runs, here and in other runtimes on this run folder, except those of one run. */
export function heldMasks({ table, runFolder }: Registry, except?: string): Set<string> {
  const held = new Set<string>();
  for (const name of readdirSync(runFolder)) {
    const record = name === except ? undefined : readRecord(join(runFolder, name));
    if (!record?.masks?.length || record.exitedAt !== null) continue;
    if (isAlive(table, record.child ?? record.owner)) for (const mask of record.masks) held.add(mask);
  }
  return held;
}

/** Gives those that stand. Where no folder can be made, the command can't make anything either. */
export function makeMasks(masks: readonly string[]): string[] {
  for (const mask of masks) attempt(() => mkdirSync(mask, { mode: 0o755 }));
  return masks.filter((mask) => lstatSync(mask, { throwIfNoEntry: false })?.isDirectory());
}

/** What a run has put into the workdir, and what must not be there after it. */
export interface Traces {
  readonly masks: readonly string[];
  /** See `MountPlan`. */
  readonly swept: readonly string[];
}

/** Call it when the run is over: whoever takes a mask away also takes the mount from those that still use it. */
export function removeTraces(
  registry: Registry,
  run: { readonly name: string; readonly traces: Partial<Traces> | undefined },
): void {
  const { masks = [], swept = [] } = run.traces ?? {};
  for (const path of swept) attempt(() => rmSync(path, { recursive: true, force: true }));
  if (masks.length === 0) return;
  attempt(() => {
    const held = heldMasks(registry, run.name);
    for (const mask of masks) if (!held.has(mask)) attempt(() => rmdirSync(mask));
  });
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It is there, or gone, or somebody put something into it: then it is not ours any more.
  }
}
