import { createId } from "../../../core/ids.ts";
import {
  type Lane,
  type LaneName,
  type Origin,
  type RolledBack,
  type Rollout,
  type ToolRelease,
  versionName,
} from "./tool-release.ts";

/** The steps of a release, each from one document to the next. They decide nothing. */

/** A content of a tool file that could be in use. */
export interface Content {
  readonly tool: string;
  readonly fileName: string;
  readonly hash: string;
  readonly origin: Origin;
}

/** So many of what was stable, and of what was rolled back, are remembered. */
const remembered = 50;

export function firstRelease({ tool, fileName, hash, origin }: Content, now: number): ToolRelease {
  const stable = { hash, origin, since: now };
  return { v: 1, tool, fileName, fileHash: hash, stable, earlier: [], pinned: null, out: {}, rollout: null };
}

/** It was told, and something was done since. */
export function forgetDamage(release: ToolRelease): ToolRelease {
  const { damage: _, ...rest } = release;
  return rest;
}

/** Another content is stable from now on. */
export function makeStable(
  release: ToolRelease,
  { hash, origin }: Pick<Content, "hash" | "origin">,
  now: number,
): ToolRelease {
  const earlier = [{ ...release.stable, until: now }, ...release.earlier.filter((each) => each.hash !== hash)];
  const out = Object.fromEntries(Object.entries(release.out).filter(([each]) => each !== hash));
  const { toReplace: _, ...rest } = release;
  const replaces = release.rollout?.hash === hash ? release.rollout.replaces : undefined;
  return {
    ...rest,
    // A person who changed the file meanwhile keeps what is in it.
    ...(replaces !== undefined && replaces === release.fileHash && { toReplace: replaces }),
    stable: { hash, origin, since: now },
    earlier: earlier.slice(0, remembered),
    out,
    rollout: release.rollout?.hash === hash ? null : release.rollout,
  };
}

export function setOut(release: ToolRelease, hash: string, entry: RolledBack): ToolRelease {
  // The newest first, whatever the clock said then.
  const others = Object.entries(release.out).filter(([each]) => each !== hash);
  return { ...release, out: Object.fromEntries([[hash, entry], ...others.slice(0, remembered - 1)]) };
}

/** Nobody gets the canary any more. */
export function rollBack(release: ToolRelease, entry: RolledBack): ToolRelease {
  const { rollout } = release;
  if (!rollout) return release;
  const stopped = withLanes({ ...rollout, status: "rolled_back", owner: null, reason: entry.reason }, () => ({
    percent: 0,
  }));
  const pinned = entry.kind === "hard" ? { ...pick(entry), by: entry.by } : release.pinned;
  return { ...setOut({ ...release, rollout: stopped }, rollout.hash, entry), pinned };
}

/** From the first stage on, for other conversations than before. */
export function beginAgain(
  rollout: Rollout,
  { at, firstShare }: { readonly at: number; readonly firstShare: (lane: LaneName) => number },
): Rollout {
  const lane = (name: LaneName): Lane => ({ index: 0, percent: firstShare(name), isUsed: false, last: null });
  return {
    ...rollout,
    id: createId("roll", at),
    startedAt: at,
    status: "replaying",
    owner: null,
    reason: "A person resumed it.",
    lanes: { live: lane("live"), scheduled: lane("scheduled") },
  };
}

function withLanes(rollout: Rollout, change: (lane: Lane) => Partial<Lane>): Rollout {
  const { live, scheduled } = rollout.lanes;
  return {
    ...rollout,
    lanes: { live: { ...live, ...change(live) }, scheduled: { ...scheduled, ...change(scheduled) } },
  };
}

/** Also the one before: whoever looks after a promotion wants to compare. */
export function versionsInUse({ tool, stable, rollout, earlier }: ToolRelease): string[] {
  const hashes = [stable.hash, rollout?.hash, earlier[0]?.hash].filter((hash) => hash !== undefined);
  return hashes.map((hash) => versionName(tool, hash));
}

function pick({ at, who, reason }: RolledBack): Pick<RolledBack, "at" | "who" | "reason"> {
  return { at, who, reason };
}
