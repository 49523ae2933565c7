import type { Times } from "../times/times.ts";

export interface DueTimes {
  /** The latest ones, in order. */
  readonly times: readonly number[];
  /** Those before them, which are too many to be named one by one. */
  readonly earlier: { readonly firstAt: number; readonly untilAt: number; readonly count: number | null } | null;
}

/** Due times after one time and not after the other. How long that takes depends on `most`, not on how many there are. */
export function collectDue(
  times: Times,
  { after, until, most }: { readonly after: number; readonly until: number; readonly most: number },
): DueTimes {
  const first = walk(times, { after, until, most: most + 1 });
  if (first.length <= most) return { times: first, earlier: null };
  const latest = walk(times, { after: Math.max(after, times.beginOfLast(until, most)), until, most: Infinity });
  const [untilAt, firstAt] = [latest[0] ?? until + 1, first[0]!];
  if (untilAt <= firstAt) return { times: latest, earlier: null };
  return { times: latest, earlier: { firstAt, untilAt, count: times.count(after, untilAt - 1) ?? null } };
}

function walk(
  times: Times,
  { after, until, most }: { readonly after: number; readonly until: number; readonly most: number },
): number[] {
  const found: number[] = [];
  let due = times.next(after);
  while (due && due.at <= until && found.length < most) {
    found.push(due.at);
    due = times.next(due.at);
  }
  return found;
}
