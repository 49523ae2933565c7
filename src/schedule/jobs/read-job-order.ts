import { RuntimeError } from "../../core/errors.ts";
import type { JobWork } from "../../core/job.ts";
import type { CanonicalName } from "../../permissions/rules/permission-rule.ts";
import { parseRule } from "../../permissions/rules/permission-rule.ts";
import type { JobOrder } from "./create-job.ts";
import { readDuration, readWhen } from "../times/read-when.ts";
import type { ScheduleConfiguration } from "../../config/schedule-settings.ts";
import { readJobWork, type WorkParts } from "./read-job-work.ts";
import type { WrittenJob } from "./written-job.ts";

export interface OrderParts extends WorkParts {
  readonly settings: ScheduleConfiguration;
  readonly timeZone: string;
  readonly canonicalName: CanonicalName;
  readonly now: number;
}

const dayMs = 24 * 60 * 60_000;

/** What somebody wrote, checked against what is here, with the defaults of the settings. Throws JOB_INVALID. */
export async function readJobOrder(parts: OrderParts, written: WrittenJob): Promise<JobOrder> {
  const { settings, now } = parts;
  const { cron, every, at, time_zone: timeZone = parts.timeZone } = written;
  const when = await readWhen({ timeZone, ...(cron && { cron }), ...(every && { every }), ...(at && { at }) }, now);
  const work = await readJobWork(parts, written);
  const { jitter, deadline } = written;
  return {
    name: written.name,
    work,
    when,
    overlap: written.overlap ?? settings.overlap,
    missed: {
      mode: written.missed ?? settings.missed,
      windowMs: windowOf(written) ?? Math.round(settings.missedDays * dayMs),
    },
    ...(jitter === undefined ? {} : { jitterMs: readDuration(jitter, "jitter") }),
    ...(deadline === undefined ? {} : { deadlineMs: readDuration(deadline, "deadline") }),
    ...timeoutOf(work, durationOf(written, "timeout"), settings),
    retries: written.retries ?? settings.retries,
    pauseAfterFailures: written.pause_after ?? settings.pauseAfterFailures,
    isIdempotent: written.idempotent ?? false,
    grant: { allow: checkRules(parts, written.allow), deny: checkRules(parts, written.deny) },
  };
}

function durationOf(written: WrittenJob, key: "missed_window" | "timeout"): number | undefined {
  const text = written[key];
  return text === undefined ? undefined : readDuration(text, key.replaceAll("_", " "));
}

function windowOf(written: WrittenJob): number | undefined {
  const windowMs = durationOf(written, "missed_window");
  if (windowMs !== 0) return windowMs;
  throw new RuntimeError(
    "JOB_INVALID",
    "A window of 0 for missed runs makes up for none of them: say so by missed none, or give at least 1s.",
  );
}

/** An agent's own limit is in its order, and the run's is a little behind it. */
function timeoutOf(
  { kind }: JobWork,
  given: number | undefined,
  { timeoutMs }: ScheduleConfiguration,
): { readonly timeoutMs?: number } {
  return kind === "agent" ? {} : { timeoutMs: given ?? timeoutMs };
}

function checkRules({ canonicalName }: OrderParts, rules: readonly string[] = []): readonly string[] {
  for (const rule of rules) {
    try {
      parseRule(rule, canonicalName);
    } catch (thrown) {
      throw new RuntimeError("JOB_INVALID", (thrown as Error).message, { cause: thrown });
    }
  }
  return rules;
}
