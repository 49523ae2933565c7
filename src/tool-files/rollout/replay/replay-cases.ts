import type { ReplayFlip, ReplayReport } from "../release/tool-release.ts";
import { describeEnd, type CaseRunner, type ReplayCase } from "./replay-case.ts";
import { beginTrial, type ReplayLimit, type Trial } from "./try-case.ts";

/**
 * Tries the canary with cases, in their order. One that fails there is run on stable now: the world may have changed since it
 * was recorded, so only what still works on stable is held against the canary. Cases that need a person, or that end in time
 * on neither, count as not tried.
 */
export async function replayCases(order: {
  readonly cases: readonly ReplayCase[];
  readonly onCanary: CaseRunner;
  readonly onStable: CaseRunner;
  readonly limit: ReplayLimit;
  /** Before the first one and after each; not where there is none. */
  readonly onTried?: ((tried: number, cases: number) => void) | undefined;
}): Promise<ReplayReport> {
  const { cases, limit, onTried } = order;
  const trial = beginTrial(limit);
  const flips: ReplayFlip[] = [];
  let passed = 0;
  let tried = 0;
  let untold = 0;
  if (cases.length > 0) onTried?.(0, cases.length);
  for (const [index, each] of cases.entries()) {
    if (trial.isOver) break;
    const verdict = await compareOn(trial, order, each);
    if (verdict === "stopped") break;
    onTried?.(index + 1, cases.length);
    if (verdict === "untold") {
      untold++;
      continue;
    }
    tried++;
    if (verdict === "passed") passed++;
    else if (verdict !== "failed_on_both") flips.push(verdict);
  }
  const left = cases.length - tried - untold;
  return { cases: tried, passed, flips, skipped: joinReasons(tellUntold(untold), tellLeft(left, limit)) };
}

/** Sentences one after the other; null when there is none. */
export function joinReasons(...reasons: readonly (string | null)[]): string | null {
  const told = reasons.filter((reason) => reason !== null);
  return told.length === 0 ? null : told.join(" ");
}

type Comparison = "passed" | "failed_on_both" | "untold" | "stopped" | ReplayFlip;

async function compareOn(
  trial: Trial,
  { onCanary, onStable }: { readonly onCanary: CaseRunner; readonly onStable: CaseRunner },
  tried: ReplayCase,
): Promise<Comparison> {
  const canary = await trial.tryCase(onCanary, tried);
  if (canary === null) return "stopped";
  if (canary.state === "passed") return "passed";
  const stable = await trial.tryCase(onStable, tried);
  if (stable === null) return "stopped";
  if (stable.state === "passed") return { name: tried.name, input: tried.input, error: describeEnd(canary) };
  const isTold = canary.state === "failed" || stable.state === "failed";
  return isTold ? "failed_on_both" : "untold";
}

function tellUntold(count: number): string | null {
  if (count === 0) return null;
  return `${countCases(count)} could not be judged: ${count === 1 ? "it needs" : "they need"} a person, or more time than a case gets.`;
}

function tellLeft(count: number, { totalMs, signal }: ReplayLimit): string | null {
  if (count === 0) return null;
  const why = signal.aborted ? "it was stopped" : `the limit of ${totalMs / 1000} s for all of them was reached`;
  return `${countCases(count)} ${count === 1 ? "was" : "were"} not tried: ${why}.`;
}

function countCases(count: number): string {
  return count === 1 ? "1 case" : `${count} cases`;
}
