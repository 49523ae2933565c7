/**
 * - `edited`: a line that does not fit its own hash; `unreadable`: something that is no line at all
 * - `removed`: lines are missing; `truncated`: they are missing at the end
 * - `reordered`, `duplicated`, `inserted`: lines that do not belong where they are
 * - `broken_chain`: whole lines that do not follow each other: one of them was replaced
 * - `segment`: a whole segment is missing, or not the one that its name says
 * - `unknown_writer`: lines of a writer that the store does not know
 * - `not_a_file`: a link, or something else, in the place of the log
 * - `other_head`: the hash that was noted is not in the log; `unaccounted`: it is, but neither it nor the store accounts for
 *   all that stands before it
 */
export type ProblemKind =
  | "edited"
  | "unreadable"
  | "removed"
  | "truncated"
  | "reordered"
  | "duplicated"
  | "inserted"
  | "broken_chain"
  | "segment"
  | "unknown_writer"
  | "not_a_file"
  | "other_head"
  | "unaccounted";

/**
 * - `torn`: a line that its writer could not finish; `gap`: lines that could not be written; `clock_back`: a line is
 *   dated before the one before it
 * - `unconfirmed`: lines of the last moment of a writer, of which the store was not told any more
 * - `heads_unknown`: the store could not be asked
 */
export type WarningKind = "torn" | "gap" | "pruned" | "clock_back" | "unconfirmed" | "heads_unknown";

export interface Finding<Kind extends string = ProblemKind | WarningKind> {
  readonly kind: Kind;
  readonly message: string;
  /** The name of the file, and the line in it; null when it is about none. */
  readonly segment: string | null;
  readonly line: number | null;
  readonly writer: string | null;
  readonly seq: number | null;
}

export interface VerifyReport {
  /**
   * No problem was found, and the end was compared with what the store knows, or a noted head was found. False without a problem:
   * the store could not be asked (`headsChecked` is null), so that what is there fits together, and lines may be missing.
   */
  readonly ok: boolean;
  readonly segments: number;
  readonly lines: number;
  readonly bytes: number;
  readonly writers: number;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
  /** The hash of the last line: whoever notes it can ask later whether it is still there. */
  readonly head: string | null;
  /** How many heads of the store were compared; null when they could not be read. */
  readonly headsChecked: number | null;
  /** The first hundred. */
  readonly problems: readonly Finding<ProblemKind>[];
  readonly problemCount: number;
  readonly warnings: readonly Finding<WarningKind>[];
  readonly warningCount: number;
}

export interface Where {
  readonly segment: string;
  readonly line: number | null;
  readonly writer?: string;
  readonly seq?: number;
}

/** Where a line is, and which line of which writer it is. */
export type LinePlace = Required<Where>;

const mostFindings = 100;

/** Collects, the first hundred in words and the rest in number. */
export interface Findings<Kind extends string> {
  readonly list: readonly Finding<Kind>[];
  readonly count: number;
  /** Returns the way to take it back, or to say it differently. */
  add(kind: Kind, message: string, where: Where | null): Revisable<Kind>;
}

export interface Revisable<Kind extends string> {
  withdraw(): void;
  change(kind: Kind, message: string): void;
}

export function createFindings<Kind extends string>(): Findings<Kind> {
  const found = new Set<{ finding: Finding<Kind> }>();
  let unlisted = 0;
  return {
    get list() {
      return [...found].map(({ finding }) => finding);
    },
    get count() {
      return found.size + unlisted;
    },
    add(kind, message, where) {
      const finding: Finding<Kind> = {
        kind,
        message,
        segment: where?.segment ?? null,
        line: where?.line ?? null,
        writer: where?.writer ?? null,
        seq: where?.seq ?? null,
      };
      if (found.size >= mostFindings) {
        unlisted += 1;
        return { withdraw: () => void (unlisted -= 1), change: () => undefined };
      }
      const holder = { finding };
      found.add(holder);
      return {
        withdraw: () => void found.delete(holder),
        change: (other, words) => void (holder.finding = { ...holder.finding, kind: other, message: words }),
      };
    },
  };
}
