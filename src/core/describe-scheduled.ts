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
