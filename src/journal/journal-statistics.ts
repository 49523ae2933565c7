import { readEntries } from "./read-entries.ts";

export interface ToolStatistics {
  readonly tool: string;
  readonly calls: number;
  readonly ok: number;
  readonly errors: number;
  /** Of the errors: what a rule or a person refused. */
  readonly refused: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface DayStatistics {
  readonly day: string;
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
}

export interface JournalStatistics {
  /** Most calls first. */
  readonly tools: readonly ToolStatistics[];
  /** Oldest first; days in UTC. */
  readonly days: readonly DayStatistics[];
}

interface Tally {
  calls: number;
  errors: number;
  refused: number;
  readonly latencies: number[];
}

/** Counted from the outcomes in the journal. `since`: only those of this time and later. */
export async function readStatistics(folder: string, since?: string): Promise<JournalStatistics> {
  const tools = new Map<string, Tally>();
  const days = new Map<string, Tally>();
  for await (const { entry } of readEntries(folder, '"latency_ms":')) {
    if (entry["type"] !== "tool_result" && entry["type"] !== "tool_error") continue;
    const at = String(entry["at"]);
    if (since !== undefined && at < since) continue;
    count(tools, String(entry["tool_name"]), entry);
    count(days, at.slice(0, 10), entry);
  }
  return {
    tools: [...tools]
      .map(([tool, { calls, errors, refused, latencies }]) => {
        const sorted = Float64Array.from(latencies).sort();
        const quantiles = { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
        return { tool, calls, ok: calls - errors, errors, refused, ...quantiles };
      })
      .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1)),
    days: [...days]
      .map(([day, { calls, errors, refused }]) => ({ day, calls, errors, refused }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
  };
}

function count(into: Map<string, Tally>, key: string, entry: Readonly<Record<string, unknown>>): void {
  const tally = into.get(key) ?? { calls: 0, errors: 0, refused: 0, latencies: [] };
  into.set(key, tally);
  tally.calls += 1;
  if (entry["status"] !== "ok") tally.errors += 1;
  if (entry["error_type"] === "denied") tally.refused += 1;
  const latency = entry["latency_ms"];
  if (typeof latency === "number") tally.latencies.push(latency);
}

/** The nearest rank; null when nothing was measured. */
function quantile(sorted: Float64Array, share: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
