import { z } from "zod";
import { messageOf } from "../core/errors.ts";
import { jobOverlaps, type JobOverlap, type MissedRule } from "../core/job.ts";
import { defaultSettings } from "../schedule/schedule-parts.ts";
import { checkZone } from "../schedule/times/zone.ts";

const longestDays = 366;

/** The name of a project in a database that several share. */
export function buildScopeSchema() {
  return z.string().min(1).max(1000);
}

/** `schedule` of the settings: how much runs at once, and what jobs have that do not say. */
export function buildScheduleSchema() {
  return z
    .strictObject({
      scope: buildScopeSchema().describe("Older name of store.scope, which wins."),
      max_running: z.int().min(1).max(1000).describe("Runs at once in one process; others wait."),
      time_zone: z
        .string()
        .min(1)
        .superRefine(checkTimeZone)
        .describe("Where the clock hangs that cron means; left out: the machine's."),
      overlap: z.enum(jobOverlaps),
      missed: z.enum(["last", "none", "all"]),
      missed_days: z.number().min(0).max(longestDays).describe("What was missed longer ago is not made up for."),
      timeout_ms: z
        .int()
        .min(1000)
        .max(31 * dayMs),
      retries: z.int().min(0).max(10),
      pause_after_failures: z.int().min(0).max(1000).describe("So many failed runs in a row pause a job; 0: none do."),
      history_days: z.number().positive().describe("How long the rows of ended runs are kept."),
    })
    .partial();
}

function checkTimeZone(name: string, context: z.RefinementCtx): void {
  try {
    checkZone(name);
  } catch (thrown) {
    context.addIssue({ code: "custom", message: messageOf(thrown) });
  }
}

export type ScheduleSettings = z.output<ReturnType<typeof buildScheduleSchema>>;

const texts = ["scope", "time_zone", "overlap", "missed"] as const;
const numbers = [
  "max_running",
  "missed_days",
  "timeout_ms",
  "retries",
  "pause_after_failures",
  "history_days",
] as const satisfies readonly Exclude<keyof ScheduleSettings, (typeof texts)[number]>[];

/** `DECKHAND_SCHEDULE_<KEY>`, before anybody has checked it. */
export function readScheduleEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const read = (keys: readonly string[], parse: (raw: string) => unknown): [string, unknown][] =>
    keys.flatMap((key) => {
      const raw = env[`DECKHAND_SCHEDULE_${key.toUpperCase()}`];
      return raw === undefined || raw === "" ? [] : [[key, parse(raw)]];
    });
  return Object.fromEntries([...read(texts, String), ...read(numbers, Number)]);
}

export interface ScheduleConfiguration {
  readonly maxRunning: number;
  /** Null: the machine's. */
  readonly timeZone: string | null;
  readonly overlap: JobOverlap;
  readonly missed: MissedRule["mode"];
  readonly missedDays: number;
  /** Of tools, prompts and improvements; an agent has its own. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly pauseAfterFailures: number;
  readonly historyDays: number;
}

const dayMs = 24 * 60 * 60_000;

export const defaultSchedule: ScheduleConfiguration = {
  maxRunning: defaultSettings.maxRunning,
  timeZone: null,
  overlap: "skip",
  missed: "last",
  missedDays: 7,
  timeoutMs: 60 * 60_000,
  retries: 0,
  pauseAfterFailures: 3,
  historyDays: 90,
};

export function applySchedule(base: ScheduleConfiguration, settings: ScheduleSettings = {}): ScheduleConfiguration {
  return {
    maxRunning: settings.max_running ?? base.maxRunning,
    timeZone: settings.time_zone ?? base.timeZone,
    overlap: settings.overlap ?? base.overlap,
    missed: settings.missed ?? base.missed,
    missedDays: settings.missed_days ?? base.missedDays,
    timeoutMs: settings.timeout_ms ?? base.timeoutMs,
    retries: settings.retries ?? base.retries,
    pauseAfterFailures: settings.pause_after_failures ?? base.pauseAfterFailures,
    historyDays: settings.history_days ?? base.historyDays,
  };
}

/** Without trust: less at once, shorter, sooner paused. How long the history is kept is the person's word. */
export function narrowSchedule(
  settings: ScheduleSettings = {},
  base: ScheduleConfiguration,
): { readonly narrowed: ScheduleSettings; readonly widening: readonly string[] } {
  const { pause_after_failures: pauseAfter } = settings;
  const pausesLater = pauseAfter !== undefined && (pauseAfter || Infinity) > (base.pauseAfterFailures || Infinity);
  const widens: Partial<Record<keyof ScheduleSettings, boolean>> = {
    // Jobs and tasks of another project would be run with what lies in this folder.
    scope: settings.scope !== undefined,
    max_running: (settings.max_running ?? 0) > base.maxRunning,
    overlap: settings.overlap === "allow" && base.overlap !== "allow",
    missed: settings.missed === "all" && base.missed !== "all",
    missed_days: (settings.missed_days ?? 0) > base.missedDays,
    timeout_ms: (settings.timeout_ms ?? 0) > base.timeoutMs,
    retries: (settings.retries ?? 0) > base.retries,
    pause_after_failures: pausesLater,
    history_days: settings.history_days !== undefined,
  };
  const isWide = (key: string): boolean => widens[key as keyof ScheduleSettings] === true;
  return {
    narrowed: Object.fromEntries(Object.entries(settings).filter(([key]) => !isWide(key))),
    widening: Object.keys(widens)
      .filter(isWide)
      .map((key) => `schedule.${key}`),
  };
}
