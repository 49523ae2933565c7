import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { alignedData, chartOptions, type ChartColors, type ChartShape } from "./chart-options.ts";
import type { BandedColumns } from "./rollout-series.ts";
import "./band-chart.css";

interface BandChartProps {
  readonly title: string;
  /** What the line and what the band means. */
  readonly caption: string;
  readonly unit: ChartShape["unit"];
  readonly columns: BandedColumns;
  /** The same as text, for whoever does not see the picture or wants the figures. */
  readonly children: ComponentChildren;
}

const height = 180;

/** Two lines with bands around them, stable and canary. The picture is for the eye only; the text beside it says the same. */
export function BandChart({ title, caption, unit, columns, children }: BandChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(columns);
  const drawn = useRef<uPlot | undefined>(undefined);
  latest.current = columns;

  useEffect(() => {
    const element = box.current!;
    const stop = new AbortController();
    void draw(element, {
      unit,
      stop: stop.signal,
      columns: () => latest.current,
      keep: (plot) => (drawn.current = plot),
    });
    return () => stop.abort();
  }, [unit]);

  useEffect(() => drawn.current?.setData(alignedData(columns)), [columns]);

  return (
    <figure class="chart card">
      <figcaption>
        <strong>{title}</strong>
        <span class="chart-legend" aria-hidden="true">
          <span class="chart-key stable">stable</span>
          <span class="chart-key canary">canary</span>
        </span>
      </figcaption>
      <div class="chart-box" ref={box} aria-hidden="true" />
      <p class="chart-note">{caption}</p>
      {children}
    </figure>
  );
}

interface Drawing {
  readonly unit: ChartShape["unit"];
  readonly stop: AbortSignal;
  readonly columns: () => BandedColumns;
  readonly keep: (plot: uPlot | undefined) => void;
}

/** Drawn anew when the theme changes: a canvas keeps the colours it was drawn with. */
async function draw(element: HTMLElement, { unit, stop, columns, keep }: Drawing): Promise<void> {
  // Only who looks at a rollout loads it.
  const { default: Plot } = await import("uplot");
  if (stop.aborted) return;
  let plot: uPlot | undefined;
  const make = (): void => {
    plot?.destroy();
    const shape = { width: Math.max(200, element.clientWidth), height, unit };
    plot = new Plot(chartOptions(shape, readColors(element)), alignedData(columns()), element);
    keep(plot);
  };
  make();
  const theme = new MutationObserver(make);
  theme.observe(document.documentElement, { attributes: true });
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", make, { signal: stop });
  const size = new ResizeObserver(() => {
    const width = Math.max(200, element.clientWidth);
    if (plot && plot.width !== width) plot.setSize({ width, height });
  });
  size.observe(element);
  stop.addEventListener("abort", () => {
    theme.disconnect();
    size.disconnect();
    plot?.destroy();
    keep(undefined);
  });
}

/** A custom property may be a mix: only a real property of an element has the colour itself. */
function readColors(element: HTMLElement): ChartColors {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    text: read("--chart-text"),
    grid: read("--chart-line"),
    stable: read("--chart-stable"),
    canary: read("--chart-canary"),
    stableBand: read("--chart-stable-band"),
    canaryBand: read("--chart-canary-band"),
    font: getComputedStyle(element).fontFamily,
    scale: (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16,
  };
  probe.remove();
  return colors;
}
