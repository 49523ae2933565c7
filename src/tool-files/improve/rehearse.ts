import type { ReplayFlip, ReplayReport } from "../rollout/release/tool-release.ts";
import { describeEnd, type CaseRunner, type ReplayCase } from "../rollout/replay/replay-case.ts";
import { replayCases } from "../rollout/replay/replay-cases.ts";
import { beginTrial, type ReplayLimit } from "../rollout/replay/try-case.ts";

export interface Rehearsal {
  readonly replay: ReplayReport;
  /** Of the known failures: tried, and those that the present version still has and the new one has not. */
  readonly failures: { readonly tried: number; readonly mended: number; readonly gone: number };
}

/** Tries a proposed version: first with what fails now, then with what works. Each part has the limit for itself. */
export async function rehearse(order: {
  readonly cases: readonly ReplayCase[];
  readonly failures: readonly ReplayCase[];
  readonly onProposed: CaseRunner;
  readonly onStable: CaseRunner;
  readonly limit: ReplayLimit;
}): Promise<Rehearsal> {
  const { onProposed, onStable, limit } = order;
  const trial = beginTrial(limit);
  const flips: ReplayFlip[] = [];
  const count = { tried: 0, mended: 0, gone: 0 };
  for (const each of order.failures) {
    if (trial.isOver) break;
    const proposed = await trial.tryCase(onProposed, each);
    const stable = proposed && (await trial.tryCase(onStable, each));
    if (!proposed || !stable) break;
    count.tried++;
    if (stable.state === "passed") count.gone++;
    if (proposed.state === "passed" && stable.state !== "passed") count.mended++;
    if (proposed.state !== "passed" && stable.state === "passed") {
      flips.push({ name: each.name, input: each.input, error: describeEnd(proposed) });
    }
  }
  const replay = await replayCases({ cases: order.cases, onCanary: onProposed, onStable, limit });
  return { replay: { ...replay, flips: [...flips, ...replay.flips] }, failures: count };
}
