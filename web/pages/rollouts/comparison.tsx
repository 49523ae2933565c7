import { Section } from "../../components/page.tsx";
import { formatNumber } from "../../format/amount.ts";
import { formatDuration } from "../../../src/core/time.ts";
import { showLine } from "../../format/show-controls.ts";
import { formatShare } from "./format-share.ts";
import type { Assessment, CallFigures, LaneName, RolloutDetail } from "./types.ts";

type Row = readonly [label: string, stable: string, canary: string];

/** Both versions side by side, and what follows from it. Live calls and scheduled runs are judged apart. */
export function Comparison({ detail }: { readonly detail: RolloutDetail }) {
  return (
    <>
      {(["live", "scheduled"] as const).map((lane) => {
        const rows = rowsOf(detail, lane);
        const assessment = detail.lanes[lane];
        if (rows.length === 0) return null;
        return (
          <Section key={lane} title={lane === "live" ? "What is compared" : "Scheduled runs"}>
            <div class="scroll-x" tabIndex={0} role="group" aria-label={`Figures of ${lane} calls`}>
              <table class="figures">
                <thead>
                  <tr>
                    <th scope="col">{lane === "live" ? "live calls" : "scheduled runs"}</th>
                    <th scope="col">stable</th>
                    <th scope="col">canary</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(([label, stable, canary]) => (
                    <tr key={label}>
                      <th scope="row">{label}</th>
                      <td class="number">{stable}</td>
                      <td class="number">{canary}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {assessment ? <Verdict assessment={assessment} view={detail.view} /> : null}
          </Section>
        );
      })}
    </>
  );
}

function Verdict({ assessment, view }: { readonly assessment: Assessment; readonly view: RolloutDetail["view"] }) {
  const { evidence, missing, reason } = assessment;
  // What was rolled back gets no calls: nothing comes of what its counts would say.
  const isRunning = view.status === "running";
  const sentences = [
    ...(!isRunning || reason === view.reason ? [] : [`Asked now: ${showLine(reason)}.`]),
    ...(evidence.canary.calls === 0
      ? []
      : [
          `Worse than stable: ${formatShare(evidence.probability_worse)} probable. Too bad for everybody: ${formatShare(evidence.probability_unsafe)} probable.`,
        ]),
    ...(evidence.tail.calls === 0
      ? []
      : [
          `Slower than stable's p95: ${formatShare(evidence.tail.above_p95)} of its calls, where 5 % is usual; slower than the limit allows: ${formatShare(evidence.tail.above_limit)}.`,
        ]),
    ...(!isRunning || missing === undefined
      ? []
      : [
          `Still missing: ${formatNumber(missing.canary_calls)} canary calls${missing.milliseconds === undefined ? "" : `, about ${formatDuration(missing.milliseconds)}`}.`,
        ]),
  ];
  return (
    <ul class="plain-list">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function rowsOf({ view, lanes, figures }: RolloutDetail, lane: LaneName): Row[] {
  const find = (route: "stable" | "canary", version: string | null): CallFigures | undefined =>
    figures.find((row) => row.lane === lane && row.route === route && row.version === version && row.kind === "all")
      ?.last_calls;
  const evidence = lanes[lane]?.evidence;
  const stable = find("stable", view.stable);
  const canary = find("canary", view.canary);
  const counts: Row[] =
    evidence === undefined || evidence.canary.calls + evidence.stable.calls === 0
      ? []
      : [
          ["calls since it began", formatNumber(evidence.stable.calls), formatNumber(evidence.canary.calls)],
          ["failed", withShare(evidence.stable), withShare(evidence.canary)],
          ["of them timeouts", formatNumber(evidence.stable.timeouts), formatNumber(evidence.canary.timeouts)],
          ...(evidence.stable.wrong + evidence.canary.wrong === 0
            ? []
            : [
                [
                  "of them wrong results",
                  formatNumber(evidence.stable.wrong),
                  formatNumber(evidence.canary.wrong),
                ] as const,
              ]),
        ];
  if ((stable?.calls ?? 0) + (canary?.calls ?? 0) === 0) return counts;
  const last = (key: "p50" | "p95" | "p99"): Row => [
    `${key} of the last 100`,
    latency(stable?.[key]),
    latency(canary?.[key]),
  ];
  return [...counts, last("p50"), last("p95"), last("p99")];
}

function withShare({ calls, failures }: { readonly calls: number; readonly failures: number }): string {
  return failures === 0 ? "0" : `${formatNumber(failures)} (${formatShare(failures / calls)})`;
}

function latency(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : formatDuration(value);
}
