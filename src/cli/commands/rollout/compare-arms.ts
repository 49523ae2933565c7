import type { FiguresRow, RolloutExplanation } from "../../../tool-files/rollout/service/rollouts.ts";
import { formatShare } from "../../terminal/format-share.ts";
import { formatDuration } from "../../../core/format-time.ts";

type Figures = FiguresRow["lastCalls"];
type Row = readonly [label: string, stable: string, canary: string];

/** Stable and canary side by side: since it began, over the last calls, over the last minutes. */
export function compareArms({ view, lanes, figures }: RolloutExplanation, lane: FiguresRow["lane"]): Row[] {
  const find = (route: FiguresRow["route"], version: string | null): FiguresRow | undefined =>
    figures.find((row) => row.lane === lane && row.route === route && row.version === version && row.kind === "all");
  const stable = find("stable", view.stable);
  const canary = find("canary", view.canary);
  const evidence = lanes[lane]?.evidence;
  return [
    ...(evidence && evidence.canary.calls + evidence.stable.calls > 0
      ? compareCounts(evidence.stable, evidence.canary)
      : []),
    ...compareFigures("last 100 calls", stable?.lastCalls, canary?.lastCalls),
    ...compareFigures("last 30 minutes", stable?.lastMinutes, canary?.lastMinutes),
  ];
}

type Counts = NonNullable<RolloutExplanation["lanes"]["live"]>["evidence"]["canary"];

function compareCounts(stable: Counts, canary: Counts): Row[] {
  const row = (label: string, tell: (counts: Counts) => string): Row => [label, tell(stable), tell(canary)];
  const rows = [
    row("since it began", ({ calls }) => String(calls)),
    row("  failed", ({ calls, failures }) => (failures === 0 ? "0" : `${failures} (${formatShare(failures / calls)})`)),
    row("  of them timeouts", ({ timeouts }) => String(timeouts)),
  ];
  if (stable.wrong + canary.wrong > 0) rows.push(row("  of them wrong results", ({ wrong }) => String(wrong)));
  return stable.fatal + canary.fatal === 0 ? rows : [...rows, row("  of them fatal", ({ fatal }) => String(fatal))];
}

/** What is known of neither is left out. */
function compareFigures(window: string, stable: Figures | undefined, canary: Figures | undefined): Row[] {
  if ((stable?.calls ?? 0) + (canary?.calls ?? 0) === 0) return [];
  const cell = (figures: Figures | undefined, [, key, format]: Line): string => {
    const value = figures?.[key] ?? null;
    return value === null ? "-" : format(value);
  };
  const rows = lines.map((line): Row => [`  ${line[0]}`, cell(stable, line), cell(canary, line)]);
  return [
    [window, String(stable?.calls ?? 0), String(canary?.calls ?? 0)],
    ...rows.filter(([, ...cells]) => cells.some((text) => text !== "-")),
  ];
}

type Line = readonly [label: string, key: Exclude<keyof Figures, "calls">, format: (value: number) => string];

const lines: readonly Line[] = [
  ["errors", "errorRate", formatShare],
  ["timeouts", "timeoutRate", formatShare],
  ["p50", "p50", formatDuration],
  ["p95", "p95", formatDuration],
  ["p99", "p99", formatDuration],
  ["retries", "retryRate", formatShare],
  ["right form", "formatPassRate", formatShare],
  ["asked again", "followUpRate", formatShare],
  ["corrected", "correctionRate", formatShare],
];
