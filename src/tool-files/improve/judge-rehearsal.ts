import type { ToolVersion } from "../custom-tool.ts";
import type { ToolFile } from "../host/tool-host.ts";
import type { ReplayFlip, ReplayReport } from "../rollout/release/tool-release.ts";
import type { ChosenCases } from "../rollout/replay/choose-cases.ts";
import { type CaseRunner, describeEnd, type ReplayCase } from "../rollout/replay/replay-case.ts";
import { joinReasons, replayCases } from "../rollout/replay/replay-cases.ts";
import { beginTrial, type ReplayLimit } from "../rollout/replay/try-case.ts";
import { createCaseRunner, type TrialPlace } from "../rollout/service/case-runner.ts";
import type { Finding } from "./improvement.ts";

export interface RehearsalPlace extends TrialPlace {
  readonly caseMs: number;
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

export interface RehearsalOrder {
  readonly cases: ChosenCases;
  /** What failed, as far as it may be run again; the reason when there is none. */
  readonly failures: readonly ReplayCase[];
  readonly whyNone: string;
}

/** What is still right, and what is mended. A model is not told the recorded calls that it is tried with. */
export async function judgeRehearsal(
  place: RehearsalPlace,
  versions: { readonly stable: ToolVersion; readonly proposed: ToolFile },
  { cases, failures, whyNone }: RehearsalOrder,
): Promise<{ readonly findings: readonly Finding[]; readonly replay: ReplayReport }> {
  const rehearsal = await rehearse({
    cases: [...cases.fixed, ...cases.recorded],
    failures,
    onProposed: createCaseRunner(place, versions.proposed),
    onStable: createCaseRunner(place, versions.stable.file),
    limit: place,
  });
  const replay = { ...rehearsal.replay, skipped: joinReasons(cases.skipped, rehearsal.replay.skipped) };
  const kept = judgeCases(replay, cases);
  const findings = kept.state === "failed" ? [kept] : [kept, judgeFailures(rehearsal, whyNone)];
  return { findings, replay };
}

function judgeCases({ cases, passed, flips, skipped }: ReplayReport, { fixed }: ChosenCases): Finding {
  const more = skipped === null ? "" : ` ${skipped}`;
  if (flips.length > 0) {
    const told = flips.map(({ name, error }) => `${name}: ${error}`);
    const named = flips.filter(({ name }) => fixed.some((each) => each.name === name));
    const hidden = flips.length - named.length;
    const forModel = [
      ...named.map(({ name, error }) => `The case "${name}" worked and now fails: ${error}`),
      ...(hidden === 0 ? [] : [`${hidden} of the recorded calls worked with the present version and fail with yours.`]),
    ];
    const detail = `${flips.length} of what worked before fails now. ${told.join("; ").replace(/[.]?$/, ".")}`;
    return { check: "cases", state: "failed", detail, forModel: forModel.join(" ") };
  }
  if (cases === 0) return { check: "cases", state: "not_checked", detail: skipped ?? "There are no cases." };
  const rest = passed === cases ? "" : ` ${cases - passed} fail as before.`;
  return { check: "cases", state: "passed", detail: `${passed} of ${cases} cases pass, none got worse.${rest}${more}` };
}

function judgeFailures({ failures }: Rehearsal, whyNone: string): Finding {
  const { tried, mended, gone } = failures;
  if (tried === 0) return { check: "failures", state: "not_checked", detail: whyNone };
  if (mended > 0) {
    return { check: "failures", state: "passed", detail: `${mended} of ${tried} recorded failures pass with it.` };
  }
  const detail =
    gone === tried
      ? `It mends nothing: with the present version the ${tried} recorded failures do not happen any more.`
      : `It mends nothing: none of the ${tried - gone} recorded failures passes with it.`;
  return { check: "failures", state: "failed", detail };
}

interface Rehearsal {
  readonly replay: ReplayReport;
  /** Of the known failures: tried, and those that the present version still has and the new one has not. */
  readonly failures: { readonly tried: number; readonly mended: number; readonly gone: number };
}

/** Tries a proposed version: first with what fails now, then with what works. Each part has the limit for itself. */
async function rehearse(order: {
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
