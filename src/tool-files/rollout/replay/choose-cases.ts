import type { ToolTraits } from "../../../core/tool.ts";
import type { ReplayCase } from "./replay-case.ts";
import { joinReasons } from "./replay-cases.ts";

/** A call that completed. */
export interface RecordedCall {
  readonly executionId: string;
  readonly input: unknown;
}

export interface ChosenCases {
  readonly fixed: readonly ReplayCase[];
  readonly recorded: readonly ReplayCase[];
  /** Why there are not more; null when there is nothing to say. */
  readonly skipped: string | null;
}

/** What to try a version with: all cases of the spec, then recorded inputs, the newest first, each of them once. */
export function chooseCases(order: {
  readonly fixed: readonly ReplayCase[];
  /** Newest first. */
  readonly recorded: readonly RecordedCall[];
  readonly traits: Pick<ToolTraits, "readOnly">;
  readonly most: number;
}): ChosenCases {
  const { fixed, recorded, traits, most } = order;
  if (!mayReplay(traits)) {
    const skipped =
      "Recorded calls were not tried: the tool changes things, and an old order is not to be carried out again.";
    return { fixed, recorded: [], skipped };
  }
  const known = new Set(fixed.map(({ input }) => keyOf(input)));
  const chosen: ReplayCase[] = [];
  let damaged = 0;
  for (const { executionId, input } of recorded) {
    if (chosen.length >= most) break;
    const key = keyOf(input);
    if (known.has(key)) continue;
    known.add(key);
    if (isWhole(input)) chosen.push({ name: executionId, input });
    else damaged++;
  }
  return { fixed, recorded: chosen, skipped: joinReasons(tellDamaged(damaged)) };
}

/**
 * Only what changes nothing. `idempotent` and `replay: "safe"` are about a repetition right after: to write what was written
 * last week once more would undo all that came since.
 */
export function mayReplay({ readOnly }: Pick<ToolTraits, "readOnly">): boolean {
  return readOnly;
}

/** Records hold no secrets and nothing very long: such an input is not the one that was given. */
export function isWhole(input: unknown): boolean {
  return !changed.test(JSON.stringify(input) ?? "");
}

const changed =
  /\[MASKED:[a-z0-9.-]{1,40}:[0-9a-f]{6}\]|\[\d+ (?:characters|more items|more keys) cut\]|"\[(?:circular|nested too deep|function|symbol|unreadable|invalid date|\d+ bytes)/;

/** The same for inputs that differ only in the order of their keys. */
export function keyOf(input: unknown): string {
  return JSON.stringify(input, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

function tellDamaged(count: number): string | null {
  if (count === 0) return null;
  return count === 1
    ? "1 recorded input was left out: its secrets are masked, or it was cut."
    : `${count} recorded inputs were left out: their secrets are masked, or they were cut.`;
}
