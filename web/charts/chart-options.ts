import type uPlot from "uplot";
import type { BandedColumns } from "./rollout-series.ts";

/** Colours and letters as the canvas wants them: it knows no custom properties. */
export interface ChartColors {
  readonly text: string;
  readonly grid: string;
  readonly stable: string;
  readonly canary: string;
  readonly stableBand: string;
  readonly canaryBand: string;
  readonly font: string;
  /** How large letters are: 1 where the browser's are 16 pixels. */
  readonly scale: number;
}

export interface ChartShape {
  readonly width: number;
  readonly height: number;
  readonly unit: "%" | "ms";
}

/** Time first, then low, line and high of stable, and the same of the canary. What is open upwards goes to the upper edge. */
export function alignedData({ times, arms }: BandedColumns): uPlot.AlignedData {
  const { stable, canary } = arms;
  const columns = [stable.low, stable.line, stable.high, canary.low, canary.line, canary.high];
  const edge = topOf(Math.max(...columns.flat().map((value) => (value === Infinity ? 0 : (value ?? 0)))));
  return [[...times], ...columns.map((column) => column.map((value) => (value === Infinity ? edge : value)))];
}

export function chartOptions({ width, height, unit }: ChartShape, colors: ChartColors): uPlot.Options {
  // The edges are drawn by their band alone.
  const edge: uPlot.Series = { stroke: "transparent", points: { show: false }, spanGaps: true };
  const axis: uPlot.Axis = {
    stroke: colors.text,
    font: `${11 * colors.scale}px ${colors.font}`,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 22 * colors.scale, 0, 0],
    scales: { y: unit === "%" ? sharesScale : latencyScale },
    axes: [
      { ...axis, size: 28 * colors.scale, space: 64 * colors.scale, values: (_, splits) => labelTimes(splits) },
      {
        ...axis,
        size: 52 * colors.scale,
        values: (_, splits) => splits.map((value) => (value === null ? null : labelOf(value, unit))),
      },
    ],
    series: [
      {},
      edge,
      { stroke: colors.stable, width: 2, points: dots(colors.stable), spanGaps: true },
      edge,
      edge,
      { stroke: colors.canary, width: 2, dash: [6, 4], points: dots(colors.canary), spanGaps: true },
      edge,
    ],
    bands: [
      { series: [3, 1], fill: colors.stableBand },
      { series: [6, 4], fill: colors.canaryBand },
    ],
  };
}

/** One point makes no line: it shows as a dot. Where points are many, the library leaves the dots out. */
function dots(color: string): uPlot.Series.Points {
  return { size: 6, width: 1, stroke: color, fill: color };
}

const sharesScale: uPlot.Scale = { range: (_, __, max) => [0, Math.max(max * 1.1, 2)] };

/** By powers of ten: one slow start would press everything else to the ground. */
const latencyScale: uPlot.Scale = {
  distr: 3,
  range: (_, min, max) => [10 ** Math.floor(Math.log10(Math.max(min, 1))), topOf(max)],
};

/** The upper edge of a picture whose highest value this is. */
function topOf(max: number): number {
  return 10 ** Math.ceil(Math.log10(Math.max(max, 10)));
}

/** As fine as the steps are: no two labels of an axis are the same. */
export function labelTimes(splits: readonly number[]): string[] {
  const step = splits.length < 2 ? 60 : splits[1]! - splits[0]!;
  const time: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const isWithinDay = (splits.at(-1) ?? 0) - (splits[0] ?? 0) < 86_400;
  return splits.map((seconds) => {
    const at = new Date(seconds * 1000);
    if (step < 60) return at.toLocaleTimeString([], { ...time, second: "2-digit" });
    const date = isWithinDay ? "" : `${at.toLocaleDateString([], { day: "2-digit", month: "2-digit" })} `;
    return step >= 86_400 ? date.trimEnd() : date + at.toLocaleTimeString([], time);
  });
}

/** Short enough for the room beside the axis: `20 %`, `100 ms`, `10 s`. */
export function labelOf(value: number, unit: ChartShape["unit"]): string {
  if (unit === "ms" && value >= 1000) return `${round(value / 1000)} s`;
  return `${round(value)} ${unit}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
