import type { AskedTime, JobTimes } from "../../core/job.ts";
import { readInstant } from "./read-when.ts";
import { openTimes, type DueTime } from "./times.ts";
import { openZone } from "./zone.ts";

/** One time to come, as a person reads it. */
export interface PreviewedTime {
  readonly at: number;
  /** `2026-03-29 03:00:00 +02:00` */
  readonly local: string;
  /** What is odd about it; null when nothing is. */
  readonly note: string | null;
}

/** `timeZone`: in which times are shown that have none of their own. */
export interface PreviewOptions {
  readonly after: number;
  readonly count: number;
  readonly timeZone: string;
}

/** The next times, before anything else of the job is taken into account. Throws JOB_INVALID. */
export async function previewTimes(when: JobTimes, options: PreviewOptions): Promise<PreviewedTime[]> {
  const times = await openTimes(when);
  const asked = "at" in when ? when.asked : undefined;
  const zone = "cron" in when ? when.timeZone : (asked?.timeZone ?? options.timeZone);
  const previewed: PreviewedTime[] = [];
  let due = times.next(options.after);
  while (due && previewed.length < options.count) {
    previewed.push({ at: due.at, local: formatLocal(due.at, zone), note: notes[kindOf(due, asked)] });
    due = times.next(due.at);
  }
  return previewed;
}

/** What clocks do to the one time of `at` is known by what was asked for; the time itself does not tell. */
function kindOf({ at, local }: DueTime, asked: AskedTime | undefined): DueTime["local"] {
  const meant = asked && readInstant(asked.text, asked.timeZone);
  // The rules of a zone may change after it was asked for.
  return meant?.at === at ? meant.kind : local;
}

const notes: Readonly<Record<DueTime["local"], string | null>> = {
  plain: null,
  repeated: "clocks are set back: the first of the two",
  skipped: "clocks are set forward past its time: the first moment after that",
};

/** Date, time and offset of the zone. */
function formatLocal(at: number, timeZone: string): string {
  const offsetMs = openZone(timeZone).offsetAt(at);
  const local = new Date(at + offsetMs).toISOString().slice(0, 19).replace("T", " ");
  return `${local} ${formatOffset(offsetMs)}`;
}

function formatOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
