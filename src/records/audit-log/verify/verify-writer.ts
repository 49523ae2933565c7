import type { JournalHead } from "../../../core/stores.ts";
import type { Line } from "../log-line.ts";
import type { Findings, ProblemKind, Revisable, WarningKind, Where } from "./verify-report.ts";

/** Where a chain goes on that began in segments which were pruned. */
export interface Continued {
  readonly writer: string;
  readonly seq: number;
  readonly hash: string;
}

/** The chain of one writer, as far as it was read. */
export interface WriterChain {
  /** A line whose own hash is true. */
  follow(line: Line, where: Where): void;
  /** A line of it that does not fit its hash: it stands where it should, but says something else. */
  tolerate(claimed: { readonly seq: number; readonly hashes: readonly string[] }): void;
  /** What retention says it has removed of it. */
  continueFrom(continued: Continued): void;
  readonly seq: number;
  /** Its last line said that it was the last. */
  readonly isClosed: boolean;
  /** When all is read. `newest`: what the store knows then. */
  end(name: string, newest: JournalHead | undefined): void;
}

interface Missing {
  readonly from: number;
  readonly to: number;
  readonly finding: Revisable<ProblemKind>;
}

/** A line behind the one that the store knew before the journal was read. */
interface Recent {
  readonly line: Line;
  readonly where: Where;
}

const mostRecent = 10_000;
/** A writer tells the store before it writes what comes more than 0.1 s later; the rest is for a store that is busy. */
const untoldMs = 5000;

export interface ChainOptions {
  readonly head: JournalHead | undefined;
  readonly problems: Findings<ProblemKind>;
  readonly warnings: Findings<WarningKind>;
  /** Was a line with this hash read a short while ago? */
  readonly isKnown: (hash: string) => boolean;
}

export function createWriterChain(writer: string, options: ChainOptions): WriterChain {
  const { head, problems, warnings, isKnown } = options;
  let seq = 0;
  /** More than one after a line that was edited: either its old or its new hash may be cited. */
  let hashes: readonly (string | null)[] = [null];
  let at = "";
  let isClosed = false;
  let headSeen = false;
  const missing: Missing[] = [];
  let recent: Recent[] = [];
  /** The beginning is missing: retention may say why. */
  let beginning: {
    readonly seq: number;
    readonly hash: string | null;
    readonly finding: Revisable<ProblemKind>;
  } | null = null;

  function follow(line: Line, where: Where): void {
    if (line.seq <= seq) return outOfOrder(line, where);
    if (line.seq > seq + 1) {
      lack(line, where);
    } else if (!hashes.includes(line.prev)) {
      problems.add("broken_chain", `does not follow line ${seq} of its writer: that one, or this, was replaced`, where);
    } else if (isClosed) {
      problems.add("inserted", "comes after the line with which its writer ended", where);
    }
    if (head && line.seq === head.seq) compare(line, where);
    if (line.at < at) {
      warnings.add(
        "clock_back",
        `is dated ${line.at}, before the line before it (${at}): the clock was set back, or this line waited; seq gives the order`,
        where,
      );
    }
    advance(line.seq, [line.hash]);
    if (line.seq > (head?.seq ?? 0)) remember({ line, where });
    at = line.at;
    isClosed = line.type === "closed";
  }

  function lack(line: Line, where: Where): void {
    const [from, to] = [seq + 1, line.seq - 1];
    const what =
      from === to ? `line ${from} of its writer is missing` : `lines ${from} to ${to} of its writer are missing`;
    const finding = problems.add("removed", `${what} before this one`, where);
    if (seq === 0) beginning = { seq: to, hash: line.prev, finding };
    else missing.push({ from, to, finding });
  }

  function outOfOrder(line: Line, where: Where): void {
    const gap = missing.find(({ from, to }) => line.seq >= from && line.seq <= to);
    if (gap) {
      gap.finding.change("reordered", `line ${line.seq} of its writer stands further down, at line ${where.line}`);
    } else if (isKnown(line.hash)) {
      problems.add("duplicated", `line ${line.seq} of its writer is there twice`, where);
    } else {
      problems.add("inserted", `its writer had a line ${line.seq} before`, where);
    }
    if (head && line.seq === head.seq) compare(line, where);
  }

  function compare(line: Line, where: Where): void {
    headSeen = true;
    if (head!.hash !== line.hash) tellOther(line, where);
  }

  function remember(behind: Recent): void {
    recent.push(behind);
    if (recent.length >= 2 * mostRecent) recent = recent.slice(-mostRecent);
  }

  /** Lines behind what the store knows can only be of the moment after it was told. */
  function confirm(newest: JournalHead): void {
    const same = recent.find(({ line }) => line.seq === newest.seq);
    if (same && same.line.hash !== newest.hash) tellOther(same.line, same.where);
    const behind = recent.filter(({ line }) => line.seq > newest.seq);
    const [first] = behind;
    if (!first) return;
    const late = behind.find(({ line }) => !(Date.parse(line.at) <= newest.at + untoldMs));
    if (late) {
      const told = new Date(newest.at).toISOString();
      problems.add(
        "inserted",
        `the store knows nothing of its writer after line ${newest.seq} and ${told}`,
        late.where,
      );
    } else {
      const what = behind.length === 1 ? `line ${first.line.seq} is` : `lines ${first.line.seq} to ${seq} are`;
      const message = `${what} of the last moment before its writer stopped, and not confirmed by the store`;
      warnings.add("unconfirmed", message, first.where);
    }
  }

  function tellOther(line: Line, where: Where): void {
    problems.add("broken_chain", `is not the line that the store knows as number ${line.seq} of its writer`, where);
  }

  function advance(to: number, known: readonly string[]): void {
    seq = to;
    hashes = known;
  }

  return {
    follow,
    tolerate(claimed) {
      // Only what could be its next line; anything else is told as missing or unreadable anyway.
      if (claimed.seq === seq + 1) advance(claimed.seq, claimed.hashes);
    },
    continueFrom(continued) {
      if (beginning?.seq !== continued.seq || beginning.hash !== continued.hash) return;
      beginning.finding.withdraw();
      beginning = null;
    },
    get seq() {
      return seq;
    },
    get isClosed() {
      return isClosed;
    },
    end(name, newest) {
      if (newest) confirm(newest);
      if (!head || headSeen || seq >= head.seq) return;
      const message = `ends at line ${seq} of this writer; the store knows of line ${head.seq}`;
      problems.add("truncated", message, { segment: name, line: null, writer, seq: head.seq });
    },
  };
}
