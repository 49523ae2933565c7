/**
 * One figure with its budget. A file `bench/<subject>.bench.ts` exports `benches: Bench[]` and does nothing at import; each
 * bench runs in a fresh Node process of its own, with `globalThis.gc`.
 */
export interface Bench {
  readonly name: string;
  /** Of the figure: "µs", "ms", "MB"; for a bench with a baseline it is "×". */
  readonly unit: string;
  /** The figure must not be larger. Left out: it is only shown. */
  readonly budget?: number;
  /** How often it is measured; the smallest figure counts. Default 5, and 1 makes sense for memory. */
  readonly rounds?: number;
  measure(): number | Promise<number>;
  /** With it, the figure is the ratio `measure / baseline`: both are measured in turn, round after round. */
  baseline?(): number | Promise<number>;
}

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly figure: number;
  readonly budget: number | null;
  readonly verdict: "kept" | "missed" | "shown" | "failed";
  /** For a ratio the two sides; for a failure its reason. */
  readonly detail?: string;
}

/** Measures in turn, so that a slow moment of the machine hits both sides; the smallest is the least disturbed. */
export async function takeFigure(bench: Bench): Promise<Figure> {
  let [own, base] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < (bench.rounds ?? 5); round += 1) {
    if (bench.baseline) base = Math.min(base, await bench.baseline());
    own = Math.min(own, await bench.measure());
  }
  const { name, unit, budget = null } = bench;
  const figure = bench.baseline ? own / base : own;
  const verdict = budget === null ? "shown" : figure <= budget ? "kept" : "missed";
  return { name, unit, figure, budget, verdict, ...(bench.baseline && { detail: `${short(own)} / ${short(base)}` }) };
}

export function short(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
