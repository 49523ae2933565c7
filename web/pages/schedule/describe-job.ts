import type { Job, Run, RunState } from "./types.ts";

/** When it runs, in a few words; cron stays cron, with its zone. */
export function describeWhen(when: Job["when"]): string {
  if ("cron" in when) return `${when.cron} (${when.time_zone})`;
  if ("every_ms" in when) return `every ${describeInterval(when.every_ms)}`;
  return "once";
}

/** What it does, in a few words. */
export function describeWork(work: Job["work"]): string {
  switch (work.kind) {
    case "tool":
      return work.tool_ref === null ? `calls ${work.tool_name}` : `calls ${work.tool_name} of ${work.tool_ref.file}`;
    case "prompt":
      return `asks the model: ${work.prompt}`;
    case "agent":
      return `starts ${work.order.agent}: ${work.order.message}`;
    case "improve":
      return `improves ${work.tool_name}`;
  }
}

/** The zone in which its times are meant; undefined where there is none. */
export function zoneOf(when: Job["when"]): string | undefined {
  return "cron" in when ? when.time_zone : undefined;
}

/**
 * `Mon 16 Nov, 09:00` on the clocks of the zone; of this machine when none is given. A zone that this browser does not know
 * yet, though the daemon does, is told in UTC.
 */
export function formatInZone(iso: string, timeZone?: string, withSeconds = !isWholeMinute(iso)): string {
  const showIn = (zone: string | undefined): string =>
    new Intl.DateTimeFormat("en-GB", {
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      second: withSeconds ? "2-digit" : undefined,
      timeZone: zone,
    }).format(new Date(iso));
  try {
    return showIn(timeZone);
  } catch {
    return `${showIn("UTC")} UTC`;
  }
}

/** Whether two zones show the same time then, so that one of them is enough. */
export function isSameTime(iso: string, timeZone: string | undefined): boolean {
  return timeZone === undefined || formatInZone(iso, timeZone) === formatInZone(iso);
}

/** A sign of the strip: each state has a shape and a word, so that no colour is needed to tell them apart. */
export interface RunMark {
  readonly icon: "clock" | "spin" | "check" | "cross" | "timer" | "stop" | "minus" | "warning" | "question";
  readonly word: string;
  readonly tone: "good" | "bad" | "warn" | "run" | "plain";
}

export function markOf(state: RunState): RunMark {
  return marks[state];
}

const marks: Readonly<Record<RunState, RunMark>> = {
  due: { icon: "clock", word: "due", tone: "plain" },
  claimed: { icon: "spin", word: "starting", tone: "run" },
  running: { icon: "spin", word: "running", tone: "run" },
  succeeded: { icon: "check", word: "succeeded", tone: "good" },
  failed: { icon: "cross", word: "failed", tone: "bad" },
  timed_out: { icon: "timer", word: "timed out", tone: "bad" },
  cancelled: { icon: "stop", word: "cancelled", tone: "warn" },
  skipped: { icon: "minus", word: "skipped", tone: "warn" },
  missed: { icon: "warning", word: "missed", tone: "warn" },
  lost: { icon: "question", word: "lost", tone: "bad" },
};

/** `12 runs: 10 succeeded, 1 failed, 1 missed` */
export function summarizeRuns(runs: readonly Pick<Run, "state">[]): string {
  if (runs.length === 0) return "It has not run yet.";
  const counts = new Map<string, number>();
  for (const { state } of runs) counts.set(marks[state].word, (counts.get(marks[state].word) ?? 0) + 1);
  const parts = [...counts].toSorted(([, one], [, other]) => other - one).map(([word, count]) => `${count} ${word}`);
  return `${runs.length} ${runs.length === 1 ? "run" : "runs"}: ${parts.join(", ")}`;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

export function describeInterval(ms: number): string {
  let rest = ms;
  const parts = units.flatMap(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [count === 1 ? name : `${count} ${name}s`];
  });
  if (parts.length > 1 && parts[0] !== undefined && !/^\d/.test(parts[0])) parts[0] = `1 ${parts[0]}`;
  return parts.join(" ") || `${ms} ms`;
}

export function isWholeMinute(iso: string): boolean {
  return new Date(iso).getUTCSeconds() === 0;
}
