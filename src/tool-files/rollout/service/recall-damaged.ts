import type { RolloutEvent, RolloutReader } from "../../../core/stores.ts";
import type { Workshop } from "../../open-tool-files.ts";
import type { VersionStore } from "../../versions/version-store.ts";
import { isReleaseDamaged } from "../release/release-documents.ts";
import { type Content, firstRelease, makeStable, setOut } from "../release/release-steps.ts";
import type { Origin, RolledBack, ToolRelease } from "../release/tool-release.ts";

export type RecallPlace = Pick<Workshop, "openVersion"> & {
  readonly versions: Pick<VersionStore, "listHashes" | "findLastGood">;
};

/** A history is read to its end, whatever became of the tool since. */
const mostEvents = 5000;

/**
 * What is known of a tool whose release is damaged: by its history, or by the content that worked last. Only what can be run
 * counts. Undefined when it is not damaged, or when nothing tells what was stable. Reads files.
 */
export function recallDamaged(
  reader: RolloutReader,
  content: Content,
  { openVersion, versions }: RecallPlace,
): ToolRelease | undefined {
  const { tool, fileName } = content;
  if (!isReleaseDamaged(reader, tool)) return undefined;
  const hashes = [content.hash, ...versions.listHashes()];
  const fullHash = (beginning: string): string | undefined => hashes.find((hash) => hash.startsWith(beginning));
  const canRun = (hash: string): boolean => openVersion(fileName, hash)?.spec.name === tool;
  const recalled = recallRelease(reader.listEvents({ tool, limit: mostEvents }), content, fullHash);
  if (recalled && canRun(recalled.stable.hash)) return recalled;
  const hash = versions.findLastGood(fileName)?.hash;
  if (hash === undefined || !canRun(hash)) return undefined;
  return { ...firstRelease({ ...content, hash }, 0), fileHash: "", out: recalled?.out ?? {} };
}

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
