import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { readRunningHolds, type Registry } from "../background/hold-background.ts";

/*
 * A name that is missing can only be kept from being made by a mount on it, and a mount needs something to lie on:
 * for as long as a command runs, an empty folder stands there. A folder, also where a file is expected: git sees no empty
 * folders, and removing one can never take anything of a person's along. The records of running commands name the
 * masks they hold, so the last one takes them away, also for a runtime that was killed.
 */

/** Gives those that stand. Where no folder can be made, the command can't make anything either. */
export function makeMasks(masks: readonly string[]): string[] {
  return masks.filter((mask) => {
    attempt(() => atName(mask, (steady) => mkdirSync(steady, { mode: 0o755 })));
    return attempt(() => atName(mask, (steady) => lstatSync(steady).isDirectory())) === true;
  });
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
  for (const path of swept) attempt(() => atName(path, sweep));
  if (masks.length === 0) return;
  attempt(() => {
    const held = readRunningHolds(registry, run.name).masks;
    for (const mask of masks) if (!held.has(mask)) attempt(() => atName(mask, rmdirSync));
  });
}

/** A folder in that place means nothing to git, and what is in it may be a person's; only an empty one goes. */
function sweep(steady: string): void {
  try {
    unlinkSync(steady);
  } catch (thrown) {
    if (codeOf(thrown) === "EISDIR") return rmdirSync(steady);
    if (codeOf(thrown) !== "EACCES") throw thrown;
    // The command took the right to change the folder away, so that this would fail.
    const folder = dirname(steady);
    const { mode } = statSync(folder);
    chmodSync(folder, mode | 0o700);
    try {
      unlinkSync(steady);
    } finally {
      chmodSync(folder, mode);
    }
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined; // it is there, or gone, or somebody put something into it: then it is not ours any more
  }
}

/** Node does not name it. It opens a folder only to stand in it, which needs no right to list it. */
const standIn = 0o10000000;

/**
 * Calls `act` with another way to the same name: through its folder itself, which was reached without following any
 * link. Whatever somebody renames meanwhile, that folder stays the one it was. Throws when there is a link on the way. Linux only.
 */
function atName<Result>(path: string, act: (steady: string) => Result): Result {
  const names = dirname(path).split(sep).filter(Boolean);
  const flags = standIn | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let folder = openSync(sep, flags);
  try {
    for (const name of names) {
      const next = openSync(`/proc/self/fd/${folder}/${name}`, flags);
      closeSync(folder);
      folder = next;
    }
    return act(join(`/proc/self/fd/${folder}`, basename(path)));
  } finally {
    closeSync(folder);
  }
}
