import type { Execution } from "../../../core/call.ts";
import { beginningOfIds } from "../../../core/ids.ts";
import { outcomeOf } from "../release/tool-release.ts";
import type { RolloutExplanation } from "./rollouts.ts";
import type { Runtime } from "../../../runtime/runtime.ts";

/** The calls of one version on one way in a span of time. */
export interface SeriesBucket {
  /** When it begins. */
  readonly at: number;
  /** How long it is. */
  readonly spanMs: number;
  readonly version: string;
  readonly route: "stable" | "canary";
  readonly calls: number;
  /** Also time limits, and calls that only stable could answer. */
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Where the true p95 lies with 95 % confidence. */
  readonly p95LowMs: number | null;
  /** Null: open upwards. Below 72 calls the slowest of them may well be faster than the true p95. */
  readonly p95HighMs: number | null;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const spans = [1, 5, 15, 60, 240].map((minutes) => minutes * minuteMs);
const mostBuckets = 60;
/** The latest calls; what is before them is no part of the picture. */
const mostCalls = 5000;
const lookedThrough = 50_000;

/**
 * How the versions of a tool did over time, from the calls that are on record: since the trial began, or of the last day. It
 * judges a call as the rollout does, so what was cancelled, or was wrong in the input, does not count.
 */
export async function readSeries(
  { list }: Pick<Runtime, "list">,
  { view, release }: Pick<RolloutExplanation, "view" | "release">,
  now: number,
): Promise<SeriesBucket[]> {
  const since = release.rollout?.startedAt ?? now - dayMs;
  const afterId = beginningOfIds("call", since);
  const states = ["completed", "failed", "timeout"] as const;
  const calls = await list({ toolId: release.tool, states, afterId, limit: mostCalls, mostRows: lookedThrough });
  const first = calls.at(-1)?.createdAt ?? now;
  const spanMs = spans.find((span) => (now - first) / span <= mostBuckets) ?? dayMs;
  const buckets = new Map<string, Tally>();
  for (const call of calls) count(buckets, call, { spanMs, canary: view.canary });
  return [...buckets.values()].map(toBucket).sort((a, b) => a.at - b.at || compare(a, b));
}

interface Tally extends Pick<SeriesBucket, "at" | "spanMs" | "version" | "route"> {
  calls: number;
  errors: number;
  readonly latencies: number[];
}

function count(
  buckets: Map<string, Tally>,
  call: Execution,
  { spanMs, canary }: { readonly spanMs: number; readonly canary: string | null },
): void {
  const outcome = outcomeOf(call, null);
  if (outcome === null || call.version === null || call.route === null) return;
  // Stable answered what the canary could not: the record has the version that did.
  const wasSaved = call.route === "canary" && canary !== null && call.version !== canary;
  const version = wasSaved ? canary : call.version;
  const at = Math.floor(call.createdAt / spanMs) * spanMs;
  const key = `${at} ${call.route} ${version}`;
  const tally = buckets.get(key) ?? { at, spanMs, version, route: call.route, calls: 0, errors: 0, latencies: [] };
  buckets.set(key, tally);
  tally.calls += 1;
  if (wasSaved || outcome !== "ok") tally.errors += 1;
  // How long the canary took before it failed is not on record.
  if (!wasSaved && call.durationMs !== null) tally.latencies.push(call.durationMs);
}

function toBucket({ latencies, ...tally }: Tally): SeriesBucket {
  const sorted = latencies.toSorted((a, b) => a - b);
  const ranks = ranksAroundP95(sorted.length);
  return {
    ...tally,
    p50Ms: ranked(sorted, Math.ceil(sorted.length * 0.5)),
    p95Ms: ranked(sorted, Math.ceil(sorted.length * 0.95)),
    p95LowMs: ranked(sorted, ranks.low),
    p95HighMs: ranks.high === null ? null : ranked(sorted, ranks.high),
  };
}

/**
 * The ranks between which the true p95 lies with 95 % confidence: how many calls are slower than it is a binomial count,
 * whatever the latencies are. Where no rank is high enough, all of the doubt goes to the lower end.
 */
function ranksAroundP95(calls: number): { readonly low: number; readonly high: number | null } {
  let slower = 0;
  let chance = 0.95 ** calls;
  let sum = chance;
  let high: number | null = null;
  const enough = sum <= 0.025 ? 0.975 : 0.95;
  while (sum < enough && slower < calls) {
    if (sum <= 0.025) high = calls - slower;
    slower += 1;
    chance *= ((calls - slower + 1) / slower) * (0.05 / 0.95);
    sum += chance;
  }
  return { low: calls - slower, high };
}

/** The value of a rank, which counts from 1; null when nothing was measured. */
function ranked(sorted: readonly number[], rank: number): number | null {
  return sorted[rank - 1] ?? null;
}

function compare(a: SeriesBucket, b: SeriesBucket): number {
  return `${a.route} ${a.version}` < `${b.route} ${b.version}` ? 1 : -1;
}
