import type { RolloutEvent } from "../../../core/rollout-store.ts";
import { firstRelease, makeStable, setOut, type Content } from "./release-steps.ts";
import type { Origin, RolledBack, ToolRelease } from "./tool-release.ts";

/** Where the full hash of a version comes from, of which the history has the beginning; undefined when it is not to be had. */
export type FullHash = (beginning: string) => string | undefined;

/**
 * What the history of a tool, newest first, says about its versions, for when the release itself can't be read: which content
 * was stable, which were before, which stay out, and what is pinned. What was being tried begins again. Undefined when the
 * history does not tell what was stable, or when that is not there any more.
 */
export function recallRelease(
  events: readonly RolloutEvent[],
  content: Content,
  fullHash: FullHash,
): ToolRelease | undefined {
  const origins = new Map<string, Origin>();
  let release: ToolRelease | undefined;
  for (const event of events.toReversed()) {
    const hash = hashIn(event.version, content.tool);
    if (hash === null) continue;
    const { origin } = (event.figures ?? {}) as { readonly origin?: Origin };
    if (event.type === "started" && origin !== undefined) origins.set(hash, origin);
    const next: Content = { ...content, hash, origin: origins.get(hash) ?? "person" };
    release = release ? replayEvent(release, event, next) : beginWith(event, next);
  }
  return release && withFullHashes({ ...release, fileHash: "" }, fullHash);
}

/** Older ones may have been removed: what was promoted was stable then as well. */
function beginWith({ type, at }: RolloutEvent, content: Content): ToolRelease | undefined {
  return type === "live" || type === "promoted" ? firstRelease(content, at) : undefined;
}

function replayEvent(release: ToolRelease, event: RolloutEvent, content: Content): ToolRelease {
  const { type, at, who, reason, by } = event;
  switch (type) {
    case "live":
    case "promoted":
      return { ...makeStable(release, content, at), pinned: null };
    case "started":
      return { ...release, pinned: null };
    case "resumed": {
      const out = Object.entries(release.out).filter(([hash]) => hash !== content.hash);
      return { ...release, out: Object.fromEntries(out), pinned: null };
    }
    case "rolled_back": {
      const { kind = "soft", to, also = [] } = (event.figures ?? {}) as RollbackFigures;
      const whose: RolledBack["by"] = by === "person" ? "person" : "rule";
      const before = hashIn(to ?? null, release.tool);
      const known = release.earlier.find(({ hash }) => hash === before)?.origin;
      const back = before === null ? release : makeStable(release, { hash: before, origin: known ?? "person" }, at);
      const pinned = kind === "hard" ? { at, who, reason, by: whose } : release.pinned;
      const gone = [...also.flatMap((version) => hashIn(version, release.tool) ?? []), content.hash];
      const entry: RolledBack = { at, who, reason, kind, by: whose };
      return { ...gone.reduce((each, hash) => setOut(each, hash, entry), back), pinned };
    }
    default:
      return release;
  }
}

interface RollbackFigures {
  readonly kind?: RolledBack["kind"];
  /** What was stable before, and is again. */
  readonly to?: string;
  /** What was stable between the two. */
  readonly also?: readonly string[];
}

function withFullHashes(release: ToolRelease, fullHash: FullHash): ToolRelease | undefined {
  const stable = fullHash(release.stable.hash);
  if (stable === undefined) return undefined;
  const earlier = release.earlier.flatMap((each) => {
    const hash = fullHash(each.hash);
    return hash === undefined ? [] : [{ ...each, hash }];
  });
  const out = Object.entries(release.out).flatMap(([beginning, entry]) => {
    const hash = fullHash(beginning);
    return hash === undefined ? [] : [[hash, entry] as const];
  });
  return { ...release, stable: { ...release.stable, hash: stable }, earlier, out: Object.fromEntries(out) };
}

function hashIn(version: string | null, tool: string): string | null {
  const prefix = `${tool}@`;
  return version !== null && version.startsWith(prefix) && version.length > prefix.length
    ? version.slice(prefix.length)
    : null;
}
