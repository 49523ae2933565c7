import { RuntimeError } from "../../core/errors.ts";
import { checkFields } from "./cron-fields.ts";

/** The local times that a cron pattern names, whether a zone has them or not; each as the milliseconds of that reading in UTC. */
export interface Calendar {
  /** Whether each hour of the day has its times. */
  readonly isHourly: boolean;
  /** Undefined: none is left. */
  next(after: number): number | undefined;
  /** The latest ones up to a time, latest first. */
  previous(until: number, count: number): number[];
}

/** Throws JOB_INVALID with a sentence that names the field that is wrong. */
export async function openCalendar(cron: string): Promise<Calendar> {
  const { Cron, CronPattern } = await import("croner");
  const fields = checkFields(cron, (pattern) => void new CronPattern(pattern));
  const pattern = fields.join(" ");
  const calendar = new Cron(pattern, { paused: true, utcOffset: 0 });
  if (calendar.nextRun(new Date(0)) === null) {
    throw new RuntimeError(
      "JOB_INVALID",
      `The cron "${cron}" never comes: no year has such a date (30 February, 31 April). Correct the day or the month; "L" is the last day of a month.`,
    );
  }
  return {
    isHourly: new CronPattern(pattern).hour.every(Boolean),
    next: (after) => calendar.nextRun(new Date(after))?.getTime(),
    previous: (until, count) => calendar.previousRuns(count, new Date(until + 1000)).map((date) => date.getTime()),
  };
}
