import type { Finding } from "./improvement.ts";
import { rehearse, type Rehearsal } from "./rehearse.ts";
import type { ReplayReport } from "../rollout/release/tool-release.ts";
import type { ChosenCases } from "../rollout/replay/choose-cases.ts";
import type { ReplayCase } from "../rollout/replay/replay-case.ts";
import { joinReasons } from "../rollout/replay/replay-cases.ts";
import type { ToolVersion } from "../custom-tool.ts";
import type { ToolFile } from "../host/tool-host.ts";
import { createCaseRunner, type TrialPlace } from "../rollout/service/case-runner.ts";

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
