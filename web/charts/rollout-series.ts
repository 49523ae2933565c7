import { shareInterval } from "./interval.ts";

/** A stretch of time of one version, as the daemon counts it. */
export interface SeriesBucket {
  readonly at: string;
  readonly route: string;
  readonly version: string;
  readonly calls: number;
  readonly errors: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p95_low_ms: number | null;
  /** `null`: open upwards. */
  readonly p95_high_ms: number | null;
}

/** Columns for a chart: one time axis (seconds), and for each arm a line with its band. `null`: nothing is known there. */
export interface BandedColumns {
  readonly times: readonly number[];
  readonly arms: Readonly<Record<Arm, BandedLine>>;
}

export interface BandedLine {
  readonly low: readonly (number | null)[];
  readonly line: readonly (number | null)[];
  /** `Infinity`: open upwards. */
  readonly high: readonly (number | null)[];
}

export type Arm = "stable" | "canary";
export const arms = ["stable", "canary"] as const;

/**
 * Share of failed calls since the beginning of the series, with its 95 % interval: the more calls there are, the narrower
 * it gets, so the chart shows what is known by then.
 */
export function errorColumns(buckets: readonly SeriesBucket[]): BandedColumns {
  return columnsOf(buckets, () => {
    let calls = 0;
    let errors = 0;
    return (bucket) => {
      calls += bucket?.calls ?? 0;
      errors += bucket?.errors ?? 0;
      const interval = shareInterval(errors, calls);
      return interval && { low: interval.low * 100, line: interval.share * 100, high: interval.high * 100 };
    };
  });
}

/** What 95 of 100 calls stayed under, with where that lies with 95 % confidence: with few calls, anywhere above the low end. */
export function latencyColumns(buckets: readonly SeriesBucket[]): BandedColumns {
  return columnsOf(buckets, () => (bucket) => {
    if (!bucket || bucket.p95_ms === null) return null;
    const { p95_ms: line, p95_low_ms: low, p95_high_ms: high } = bucket;
    return { low: low ?? line, line, high: high ?? Infinity };
  });
}

interface Point {
  readonly low: number;
  readonly line: number;
  readonly high: number;
}

function columnsOf(
  buckets: readonly SeriesBucket[],
  openArm: () => (bucket: SeriesBucket | undefined) => Point | null,
): BandedColumns {
  const times = [...new Set(buckets.map(({ at }) => Date.parse(at) / 1000))].toSorted((a, b) => a - b);
  const lineOf = (arm: Arm): BandedLine => {
    const byTime = new Map<number, SeriesBucket>();
    for (const bucket of buckets) {
      if (bucket.route !== arm) continue;
      const time = Date.parse(bucket.at) / 1000;
      byTime.set(time, merge(byTime.get(time), bucket));
    }
    const read = openArm();
    const points = times.map((time) => read(byTime.get(time)));
    return {
      low: points.map((point) => point?.low ?? null),
      line: points.map((point) => point?.line ?? null),
      high: points.map((point) => point?.high ?? null),
    };
  };
  return { times, arms: { stable: lineOf("stable"), canary: lineOf("canary") } };
}

/** Two versions had the same part in one stretch of time: counts add up, latencies are those of whichever was called more. */
function merge(one: SeriesBucket | undefined, other: SeriesBucket): SeriesBucket {
  if (!one) return other;
  const more = one.calls > other.calls ? one : other;
  return { ...more, calls: one.calls + other.calls, errors: one.errors + other.errors };
}
