import { suffixBytes, suffixForm } from "../log-line.ts";
import { readLines } from "../read-log-lines.ts";
import type { FrozenSegment } from "../segments.ts";
import type { Findings, ProblemKind, Where } from "./verify-report.ts";

/** So many hashes are remembered: whoever cites a line cites one of the last. */
const remembered = 50_000;

/** Lines that say which line of somebody else they come after. */
export interface Citations {
  know(hash: string): void;
  isRecent(hash: string): boolean;
  /** `mayBePruned`: what it cites is in the segment before the first one. */
  cite(hash: string, where: Where, mayBePruned: boolean): void;
  /** Looks once more, through everything, for what was cited and not seen before. */
  resolve(segments: readonly FrozenSegment[], problems: Findings<ProblemKind>, isPruned: boolean): Promise<void>;
}

export function createCitations(): Citations {
  let recent = new Set<string>();
  let older = new Set<string>();
  const open = new Map<string, Where & { readonly mayBePruned: boolean }>();

  return {
    know(hash) {
      recent.add(hash);
      if (recent.size < remembered) return;
      older = recent;
      recent = new Set();
    },
    isRecent: (hash) => recent.has(hash) || older.has(hash),
    cite(hash, where, mayBePruned) {
      if (recent.has(hash) || older.has(hash)) return;
      if (open.size < remembered) open.set(hash, { ...where, mayBePruned });
    },
    async resolve(segments, problems, isPruned) {
      if (isPruned) for (const [hash, { mayBePruned }] of open) if (mayBePruned) open.delete(hash);
      if (open.size === 0) return;
      const places = await locate(segments, open);
      for (const [hash, where] of open) {
        const place = places.get(hash);
        if (place === undefined) {
          problems.add("removed", `comes after a line that is not there any more (hash ${hash.slice(0, 16)}…)`, where);
        } else if (isLater(place, where, segments)) {
          problems.add("reordered", `comes after a line that stands further down, at line ${place.line}`, where);
        }
      }
    },
  };
}

async function locate(
  segments: readonly FrozenSegment[],
  wanted: ReadonlyMap<string, unknown>,
): Promise<Map<string, Where>> {
  const places = new Map<string, Where>();
  for (const segment of segments) {
    for await (const block of readLines(segment)) {
      for (const { bytes, number } of block) {
        const hash = suffixForm.exec(bytes.toString("latin1", Math.max(0, bytes.length - suffixBytes)))?.[1];
        if (hash !== undefined && wanted.has(hash) && !places.has(hash)) {
          places.set(hash, { segment: segment.name, line: number });
        }
      }
    }
  }
  return places;
}

function isLater(place: Where, where: Where, segments: readonly FrozenSegment[]): boolean {
  const order = (name: string): number => segments.findIndex((segment) => segment.name === name);
  return (
    order(place.segment) - order(where.segment) > 0 ||
    (place.segment === where.segment && (place.line ?? 0) > (where.line ?? 0))
  );
}
