import { hash } from "node:crypto";
import { readClaim, type Claim } from "../log-line.ts";
import type { StoreMemory } from "./verify-accounts.ts";
import type { Findings, LinePlace, ProblemKind, WarningKind, Where } from "./verify-report.ts";

/** Bytes that are no line: what a writer could not finish, or what somebody put there. */
export interface Fragments {
  add(bytes: Buffer, where: FragmentPlace, lastOf: FindLast): void;
  /** A line says that so many bytes with this hash were left unfinished. */
  explain(bytes: number, sha256: string, where: LinePlace): void;
  endOf(segment: string): void;
  end(lastOf: FindLast): void;
}

/** How far a writer has come. */
export interface LastLine {
  readonly seq: number;
  readonly isClosed: boolean;
}

type FindLast = (writer: string) => LastLine | undefined;

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
  /** It is so short that it says nothing but that it is a line. */
  readonly isBeginning: boolean;
  /** How far that writer had come. */
  readonly seqThen: number;
  /** The line that tells of it. */
  readonly notedBy?: LinePlace;
}

const mostKept = 10_000;

export function createFragments(
  memory: StoreMemory,
  problems: Findings<ProblemKind>,
  warnings: Findings<WarningKind>,
): Fragments {
  let open: Fragment[] = [];
  let noted: Fragment[] = [];
  let kept: Fragment[] = [];

  /** Its writer had not come further and did not go on: it died there. A line that was changed has one that follows it. */
  function isUnfinished({ claims, seqThen }: Fragment, lastOf: FindLast): boolean {
    if (claims === undefined || !memory.knows(claims.writer)) return false;
    const last = lastOf(claims.writer) ?? { seq: 0, isClosed: false };
    return !last.isClosed && seqThen === claims.seq - 1 && last.seq === seqThen;
  }

  /** The store knows that it was a whole line once. */
  function isCut({ claims }: Fragment): boolean {
    return claims !== undefined && (memory.heads.get(claims.writer)?.seq ?? 0) >= claims.seq;
  }

  function judge(fragment: Fragment, lastOf: FindLast): void {
    const { claims, bytes, isGlued, isBeginning, notedBy } = fragment;
    const where = { ...fragment, ...claims };
    // A note that the store does not confirm may be anybody's: it is believed of what a crash can leave, and nothing else.
    const mayBeTorn = !isCut(fragment) && (isBeginning || isUnfinished(fragment, lastOf));
    if (notedBy && (memory.confirms(notedBy) || mayBeTorn)) {
      warnings.add("torn", `${bytes} bytes at line ${fragment.line} were never finished, and are noted here`, notedBy);
    } else if (!isCut(fragment) && fragment.isLast) {
      const message = `${bytes} bytes at the end are no whole line: it is being written, or its writer died`;
      warnings.add("torn", message, where);
    } else if (isGlued && mayBeTorn) {
      warnings.add("torn", `${bytes} bytes of a writer that died within its line stand before this one`, where);
    } else if (bytes === 0) {
      problems.add("inserted", "is empty", where);
    } else {
      problems.add("unreadable", `${bytes} bytes are no line of the log`, where);
    }
  }

  return {
    add(bytes, where, lastOf) {
      const claims = readClaim(bytes);
      const fragment: Fragment = {
        ...where,
        bytes: bytes.length,
        sha256: hash("sha256", bytes, "hex"),
        claims,
        isBeginning: bytes.length <= longestBeginning && isBeginning(bytes.toString("latin1")),
        seqThen: (claims && lastOf(claims.writer)?.seq) ?? 0,
      };
      if (open.length < mostKept) open.push(fragment);
      else problems.add("unreadable", "is no line of the log", where);
    },
    explain(bytes, sha256, where) {
      const index = open.findLastIndex((each) => each.bytes === bytes && each.sha256 === sha256);
      if (index >= 0) noted.push(...open.splice(index, 1).map((each) => ({ ...each, notedBy: where })));
      // The line end that went before this record, where what looked unfinished was finished at that moment.
      const blank = open.findIndex((each) => each.bytes === 0 && each.line === (where.line ?? 0) - 1);
      if (blank >= 0) open.splice(blank, 1);
    },
    endOf(segment) {
      kept.push(...[...noted, ...open].filter((each) => each.segment === segment));
      [open, noted] = [[], []];
    },
    end(lastOf) {
      for (const fragment of kept) judge(fragment, lastOf);
      kept = [];
    },
  };
}

/** What a line of any writer begins with, as far as it came. */
function isBeginning(text: string): boolean {
  const ofAny = text
    .replace(/(?<=^\{"v":1,"writer":")[0-9a-z_-]{1,64}/, "w")
    .replace(/(?<=^\{"v":1,"writer":"w","seq":)[1-9][0-9]{0,14}/, "1");
  return text !== "" && '{"v":1,"writer":"w","seq":1,'.startsWith(ofAny);
}

const longestBeginning = 110;
