import { readEntries } from "./read-entries.ts";

export interface ToolStatistics {
  readonly tool: string;
  readonly calls: number;
  readonly ok: number;
  readonly errors: number;
  /** Of the errors: what a rule or a person refused. */
  readonly refused: number;
  /** Calls with wrong input, which never ran: neither ok nor errors of the tool. */
  readonly invalid: number;
  /** Of the errors: repeats of a failing call that were not run again. */
  readonly blocked: number;
  /** Of those that are ok: the first after one error or more in the same conversation. */
  readonly recovered: number;
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
  /** Errors in a row up to the last call, and the longest such row; each within one conversation. */
  readonly consecutiveErrors: number;
  readonly longestErrorRow: number;
}

interface Tally {
  calls: number;
  errors: number;
  refused: number;
  invalid: number;
  blocked: number;
  recovered: number;
  readonly latencies: number[];
}

/** Counted from the outcomes in the journal. `since`: only those of this time and later. */
export async function readStatistics(folder: string, since?: string): Promise<JournalStatistics> {
  const tools = new Map<string, Tally>();
  const days = new Map<string, Tally>();
  const errorRows = new Map<unknown, number>();
  let [consecutiveErrors, longestErrorRow] = [0, 0];
  for await (const { entry } of readEntries(folder, '"latency_ms":')) {
    if (entry["type"] !== "tool_result" && entry["type"] !== "tool_error") continue;
    const at = String(entry["at"]);
    if (since !== undefined && at < since) continue;
    const conversation = entry["conversation_id"] ?? null;
    const before = errorRows.get(conversation) ?? 0;
    count(tools, String(entry["tool_name"]), { entry, isRecovery: entry["status"] === "ok" && before > 0 });
    count(days, at.slice(0, 10), { entry, isRecovery: false });
    consecutiveErrors = entry["status"] === "ok" ? 0 : before + 1;
    longestErrorRow = Math.max(longestErrorRow, consecutiveErrors);
    errorRows.set(conversation, consecutiveErrors);
  }
  return {
    tools: [...tools]
      .map(([tool, { latencies, calls, errors, ...tally }]) => {
        const sorted = Float64Array.from(latencies).sort();
        const quantiles = { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
        return { tool, calls, ok: calls - errors - tally.invalid, errors, ...tally, ...quantiles };
      })
      .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1)),
    days: [...days]
      .map(([day, { calls, errors, refused }]) => ({ day, calls, errors, refused }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
    consecutiveErrors,
    longestErrorRow,
  };
}

interface Outcome {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly isRecovery: boolean;
}

function count(into: Map<string, Tally>, key: string, { entry, isRecovery }: Outcome): void {
  const none: Tally = { calls: 0, errors: 0, refused: 0, invalid: 0, blocked: 0, recovered: 0, latencies: [] };
  const tally = into.get(key) ?? none;
  into.set(key, tally);
  tally.calls += 1;
  if (entry["error_type"] === "invalid_input" && entry["run_phase"] === "not_started") tally.invalid += 1;
  else if (entry["status"] !== "ok") tally.errors += 1;
  if (entry["error_type"] === "denied") tally.refused += 1;
  if (entry["error_type"] === "repeated_failure") tally.blocked += 1;
  if (isRecovery) tally.recovered += 1;
  const latency = entry["latency_ms"];
  if (typeof latency === "number") tally.latencies.push(latency);
}

/** The nearest rank; null when nothing was measured. */
function quantile(sorted: Float64Array, share: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
