import type { StoreMemory } from "./verify-memory.ts";
import type { Findings, LinePlace, ProblemKind, Revisable, WarningKind } from "./verify-report.ts";
import type { Continued } from "./verify-writer.ts";

/** Lines that say what retention has removed. */
export interface Prunes {
  /** One that a known writer wrote. */
  add(entry: Readonly<Record<string, unknown>>, where: LinePlace): void;
  /**
   * When all is read: up to which segment, and where chains go on. Only what the store knows of as well counts, and only in
   * a line that it confirms: anyone can say more of the same pruning in the name of a writer that was killed.
   */
  end(): { readonly to: number; readonly continued: readonly Continued[] };
}

interface Claim {
  readonly firstSegment: number;
  readonly lastSegment: number;
  readonly lastHash: string | null;
  readonly continued: readonly Continued[];
  readonly where: LinePlace;
  readonly remark: Revisable<WarningKind>;
}

export function createPrunes(
  memory: StoreMemory,
  problems: Findings<ProblemKind>,
  warnings: Findings<WarningKind>,
): Prunes {
  const claims: Claim[] = [];
  return {
    add(entry, where) {
      const { what, count, until } = entry;
      const message = `${textOf(count)} ${textOf(what)} until ${textOf(until)} were removed by retention`;
      const remark = warnings.add("pruned", message, where);
      if (what === "segments") claims.push({ ...claimOf(entry), where, remark });
    },
    end() {
      const known = claims.filter((claim) => {
        const { firstSegment, lastSegment, where, remark } = claim;
        if (memory.knowsPrune(claim)) {
          const isConfirmed = memory.confirms(where);
          if (!isConfirmed) remark.withdraw();
          return isConfirmed;
        }
        const message = `says that retention removed segments ${firstSegment} to ${lastSegment}; the store knows nothing of it`;
        problems.add("segment", message, where);
        return false;
      });
      return {
        to: Math.max(0, ...known.map(({ lastSegment }) => lastSegment)),
        continued: known.flatMap(({ continued }) => continued),
      };
    },
  };
}

function claimOf(entry: Readonly<Record<string, unknown>>): Omit<Claim, "where" | "remark"> {
  const { first_segment: first, last_segment: last, last_hash: hash, continued } = entry;
  return {
    firstSegment: Number(first) || 0,
    lastSegment: Number(last) || 0,
    lastHash: typeof hash === "string" ? hash : null,
    continued: Array.isArray(continued) ? continued.filter(isContinued) : [],
  };
}

function isContinued(value: unknown): value is Continued {
  return typeof value === "object" && value !== null && "writer" in value && "seq" in value && "hash" in value;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
