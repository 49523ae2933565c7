import { hash } from "node:crypto";
import type { JournalHead } from "../core/journal-heads.ts";
import { readClaim, type Claim } from "./journal-line.ts";
import type { Findings, ProblemKind, WarningKind, Where } from "./verify-report.ts";

/** Bytes that are no line: what a writer could not finish, or what somebody put there. */
export interface Fragments {
  add(bytes: Buffer, where: FragmentPlace, seqOf: (writer: string) => number | undefined): void;
  /** A line says that so many bytes with this hash were left unfinished. */
  explain(bytes: number, sha256: string, where: Where): void;
  endOf(segment: string): void;
  end(seqOf: (writer: string) => number | undefined, heads: ReadonlyMap<string, JournalHead>): void;
}

interface FragmentPlace extends Where {
  /** Another writer's line follows it without a line end between them. */
  readonly isGlued: boolean;
  /** Nothing follows it. */
  readonly isLast?: boolean;
}

interface Fragment extends FragmentPlace {
  readonly bytes: number;
  readonly sha256: string;
  /** Whose line it was going to be. */
  readonly claims: Claim | undefined;
  /** How far that writer had come. */
  readonly seqThen: number | undefined;
}

const mostKept = 10_000;

export function createFragments(problems: Findings<ProblemKind>, warnings: Findings<WarningKind>): Fragments {
  let open: Fragment[] = [];
  let kept: Fragment[] = [];

  function isUnfinished({ claims, seqThen }: Fragment, seqNow: number | undefined): boolean {
    // Its writer had not come further and did not go on: it died there. A line that was changed has one that follows it.
    return claims !== undefined && (seqThen ?? 0) === claims.seq - 1 && (seqNow ?? 0) === (seqThen ?? 0);
  }

  return {
    add(bytes, where, seqOf) {
      const claims = readClaim(bytes);
      const seqThen = claims && seqOf(claims.writer);
      const fragment = { ...where, bytes: bytes.length, sha256: hash("sha256", bytes, "hex"), claims, seqThen };
      if (open.length < mostKept) open.push(fragment);
      else problems.add("unreadable", "is no line of the log", where);
    },
    explain(bytes, sha256, where) {
      const index = open.findLastIndex((each) => each.bytes === bytes && each.sha256 === sha256);
      if (index >= 0) {
        warnings.add(
          "torn",
          `${bytes} bytes at line ${open[index]!.line} were never finished, and are noted here`,
          where,
        );
        open.splice(index, 1);
      }
      // The line end that went before this record, where what looked unfinished was finished at that moment.
      const blank = open.findIndex((each) => each.bytes === 0 && each.line === (where.line ?? 0) - 1);
      if (blank >= 0) open.splice(blank, 1);
    },
    endOf(segment) {
      kept.push(...open.filter((each) => each.segment === segment));
      open = [];
    },
    end(seqOf, heads) {
      for (const fragment of kept) {
        const { claims, bytes, isGlued } = fragment;
        const reached = claims && heads.get(claims.writer)?.seq;
        const isCut = claims !== undefined && reached !== undefined && reached >= claims.seq;
        const where = { ...fragment, ...claims };
        if (!isCut && fragment.isLast) {
          warnings.add(
            "torn",
            `${bytes} bytes at the end are no whole line: it is being written, or its writer died`,
            where,
          );
        } else if (!isCut && isGlued && isUnfinished(fragment, claims && seqOf(claims.writer))) {
          warnings.add("torn", `${bytes} bytes of a writer that died within its line stand before this one`, where);
        } else if (bytes === 0) {
          problems.add("inserted", "is empty", where);
        } else {
          problems.add("unreadable", `${bytes} bytes are no line of the log`, where);
        }
      }
      kept = [];
    },
  };
}
