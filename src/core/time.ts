/** A duration for people: `3 ms`, `1.2 s`, `4 min 5 s`, `2 h 3 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1) return "<1 ms";
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 59_950) return `${Number((durationMs / 1000).toFixed(1))} s`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 3600) return join([Math.floor(seconds / 60), "min"], [seconds % 60, "s"]);
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return join([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
  const hours = Math.round(minutes / 60);
  return join([Math.floor(hours / 24), "d"], [hours % 24, "h"]);
}

/** How long ago, in one unit. A clock that was set back gives `now`, not a negative age. */
export function formatAge(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1000);
  if (seconds < 1) return "now";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function join([large, largeUnit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** What a line of the log about jobs says, in one line for a person. */
export function tellScheduled(entry: Readonly<Record<string, unknown>>): string {
  const job = textOf(entry["job_name"] ?? entry["name"] ?? "");
  const why = entry["reason"] ? `: ${textOf(entry["reason"])}` : "";
  switch (entry["event"]) {
    case "run:started":
      return `${job}: a run began${entry["trigger"] === "time" ? "" : ` (${textOf(entry["trigger"]).replaceAll("_", " ")})`}`;
    case "run:settled":
      return `${job}: ${textOf(entry["state"])}${why}`;
    case "run:retried":
      return `a run is tried again${why}`;
    case "job:changed":
      return `${job}: ${textOf(entry["change"])} by ${textOf(entry["by"])}${why}`;
    case "clock:jumped":
      return `the clock jumped by ${Math.round(Number(entry["by_ms"]) / 1000)} s`;
    default:
      return `${textOf(entry["event"])} ${job}${why}`;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
