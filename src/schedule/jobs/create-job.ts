import { z } from "zod";
import { RuntimeError } from "../../core/errors.ts";
import { createId, isId } from "../../core/ids.ts";
import {
  jobOverlaps,
  type Job,
  type JobGrant,
  type JobOverlap,
  type JobTimes,
  type JobWork,
  type MissedRule,
} from "../../core/job.ts";
import { clipText, nearest } from "../../core/text.ts";
import { checkTimes, writeDuration } from "../times/read-when.ts";
import { openTimes, type Times } from "../times/times.ts";

/** What somebody wants to be done, and when; the rest has defaults. */
export interface JobOrder {
  readonly name: string;
  readonly work: JobWork;
  readonly when: JobTimes;
  readonly overlap?: JobOverlap;
  readonly missed?: Partial<MissedRule>;
  readonly jitterMs?: number;
  readonly deadlineMs?: number | null;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly pauseAfterFailures?: number;
  readonly isIdempotent?: boolean;
  readonly grant?: Partial<JobGrant>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const longestJitterMs = 60_000;

/** Throws JOB_INVALID with one sentence for what is wrong. */
export async function createJob(order: JobOrder, now: number): Promise<Job> {
  const name = order.name.trim();
  if (name === "" || name.length > 100 || /\p{Cc}|\p{Cs}/u.test(name)) {
    throw invalid(
      `Expected a name of 1 to 100 characters in one line, got ${JSON.stringify(order.name.slice(0, 120))}.`,
    );
  }
  if (isId("job", name.toLowerCase())) throw invalid(`"${name}" looks like the id of a job: give it another name.`);
  checkWork(order.work);
  const when = await checkTimes(order.when, now);
  const times = await openTimes(when);
  const deadlineMs = checkDeadline(order.deadlineMs ?? null);
  return {
    id: createId("job", now),
    name,
    work: order.work,
    when,
    overlap: checkOverlap(order.overlap ?? "skip"),
    missed: checkMissed(order.missed ?? {}),
    jitterMs: checkJitter(order.jitterMs, deadlineMs) ?? defaultJitter(times, { now, deadlineMs }),
    deadlineMs,
    timeoutMs: inTime("time limit", order.timeoutMs ?? defaultTimeout(order.work), { from: 1000, to: 31 * dayMs }),
    retries: inRange("number of retries", order.retries ?? 0, { from: 0, to: 10 }),
    pauseAfterFailures: inRange("number of failures", order.pauseAfterFailures ?? 3, { from: 0, to: 1000 }),
    isIdempotent: order.isIdempotent ?? false,
    paused: null,
    grant: { allow: order.grant?.allow ?? [], deny: order.grant?.deny ?? [] },
    createdAt: now,
    plannedUntilAt: now,
    nextAt: times.next(now)?.at ?? null,
    countedFromAt: now,
    version: 1,
  };
}

function checkWork(work: JobWork): void {
  const missing =
    work.kind === "tool" || work.kind === "improve"
      ? work.toolName.trim() === "" && "the name of a tool"
      : work.kind === "prompt"
        ? work.prompt.trim() === "" && "a prompt"
        : work.order.message.trim() === "" && "a message for the agent";
  if (missing !== false) throw invalid(`The job has nothing to do: expected ${missing}.`);
}

function checkOverlap(overlap: JobOverlap): JobOverlap {
  if (jobOverlaps.includes(overlap)) return overlap;
  throw invalid(`Expected an overlap rule of ${jobOverlaps.join(", ")}; got "${String(overlap)}".`);
}

function checkDeadline(deadlineMs: number | null): number | null {
  return deadlineMs === null ? null : inTime("deadline", deadlineMs, { from: 1000, to: 366 * dayMs });
}

function checkJitter(jitterMs: number | undefined, deadlineMs: number | null): number | undefined {
  if (jitterMs === undefined) return undefined;
  inTime("jitter", jitterMs, { from: 0, to: hourMs });
  if (deadlineMs === null || jitterMs < deadlineMs) return jitterMs;
  throw invalid(
    `Expected a jitter shorter than the deadline of ${writeDuration(deadlineMs)}, got ${writeDuration(jitterMs)}: shorten the jitter, or allow the run to start later.`,
  );
}

function checkMissed({ mode = "last", max = 10, windowMs = 7 * dayMs }: Partial<MissedRule>): MissedRule {
  if (!["last", "none", "all"].includes(mode)) {
    throw invalid(`Expected a rule for missed runs of last, none, all; got "${String(mode)}".`);
  }
  return {
    mode,
    max: inRange("number of missed runs", max, { from: 1, to: 10 }),
    windowMs: inTime("window for missed runs", windowMs, { from: 0, to: 366 * dayMs }),
  };
}

/** Jobs that share their times should not all start at once; one that is due once should start when it was asked to. */
function defaultJitter(
  times: Times,
  { now, deadlineMs }: { readonly now: number; readonly deadlineMs: number | null },
): number {
  const first = times.next(now);
  const second = first && times.next(first.at);
  const longestMs = Math.min(longestJitterMs, Math.floor((deadlineMs ?? Infinity) / 2));
  return second ? Math.min(longestMs, Math.floor((second.at - first.at) / 10)) : 0;
}

/** An agent has a limit of its own; this one is behind it. */
function defaultTimeout(work: JobWork): number {
  return work.kind === "agent" ? Math.min(31 * dayMs, work.order.timeoutMs + 60_000) : hourMs;
}

function inRange(what: string, value: number, { from, to }: { readonly from: number; readonly to: number }): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw invalid(`Expected a ${what} from ${from} to ${to}, got ${value}.`);
}

function inTime(what: string, valueMs: number, { from, to }: { readonly from: number; readonly to: number }): number {
  if (Number.isInteger(valueMs) && valueMs >= from && valueMs <= to) return valueMs;
  throw invalid(
    `Expected a ${what} from ${writeDuration(from)} to ${writeDuration(to)}, got ${writeDuration(valueMs)}.`,
  );
}

function invalid(message: string): RuntimeError {
  return new RuntimeError("JOB_INVALID", message);
}

/** When, exactly one of cron, every and at. */
export type WrittenTimes = Pick<WrittenJob, "cron" | "every" | "at" | "time_zone">;
export type WrittenJob = z.output<ReturnType<typeof buildSchema>>;

function buildSchema() {
  const text = z.string().min(1);
  /** `90s`, `15m`, `1h30m`, or 0. */
  const duration = z.string().min(1);
  const rules = z.array(text);
  return z.strictObject({
    name: text,
    cron: text.optional(),
    every: duration.optional(),
    at: text.optional(),
    time_zone: text.optional(),
    /** One of these five says what is done. */
    tool: text.optional(),
    file: text.optional(),
    prompt: text.optional(),
    agent: text.optional(),
    improve: text.optional(),
    /** Of `tool` and `file`. */
    input: z.record(z.string(), z.unknown()).optional(),
    /** Of `agent`. */
    message: text.optional(),
    cwd: text.optional(),
    /** Of `prompt` and `agent`. */
    model: text.optional(),
    overlap: z.enum(jobOverlaps).optional(),
    missed: z.enum(["last", "none", "all"]).optional(),
    missed_window: duration.optional(),
    jitter: duration.optional(),
    deadline: duration.optional(),
    timeout: duration.optional(),
    retries: z.int().optional(),
    pause_after: z.int().optional(),
    idempotent: z.boolean().optional(),
    allow: rules.optional(),
    deny: rules.optional(),
  });
}

let built: ReturnType<typeof buildSchema> | undefined;

/** Throws JOB_INVALID with one sentence that names what is wrong. */
export function readWrittenJob(value: unknown): WrittenJob {
  const schema = (built ??= buildSchema());
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    checkWrittenTimes(parsed.data);
    return parsed.data;
  }
  const keys = Object.keys(schema.shape);
  const told = joinTold(parsed.error.issues.map((issue) => tellIssue(issue, { value, keys })));
  throw new RuntimeError("JOB_INVALID", told.endsWith("?") ? told : `${told}.`);
}

/** Throws JOB_INVALID for a zone that would mean nothing: who gave it expects another time than the one that comes. */
export function checkWrittenTimes({ cron, every, at, time_zone: timeZone }: WrittenTimes): void {
  if (every === undefined || timeZone === undefined || cron !== undefined || at !== undefined) return;
  throw new RuntimeError(
    "JOB_INVALID",
    "every counts from now, the same in every zone: leave time_zone out, or say when by cron.",
  );
}

function tellIssue(
  issue: z.core.$ZodIssue,
  { value, keys }: { readonly value: unknown; readonly keys: readonly string[] },
): string {
  const where = issue.path.join(".") || "The job";
  const came = issue.path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown>)[step], value);
  switch (issue.code) {
    case "invalid_type":
      if (came === undefined) return `${where} is missing`;
      return `${where}: expected ${expectations[issue.expected] ?? issue.expected}, got ${clipText(JSON.stringify(came) ?? typeof came, 80)}`;
    case "invalid_value":
      return `${where}: expected one of ${issue.values.join(", ")}; got ${clipText(JSON.stringify(came) ?? typeof came, 80)}`;
    // Only texts have a least size.
    case "too_small":
      return `${where} is empty`;
    case "unrecognized_keys":
      return joinTold(issue.keys.map((key) => tellUnknown(key, keys)));
    default:
      return `${where}: ${issue.message}`;
  }
}

function joinTold(told: readonly string[]): string {
  return told.reduce((before, each) => `${before}${before.endsWith("?") ? "" : ";"} ${each}`);
}

const expectations: Readonly<Record<string, string>> = {
  string: "a text",
  object: "an object",
  record: "an object",
  array: "a list",
  int: "a whole number",
  number: "a whole number",
  boolean: "true or false",
};

/** As a job is shown, and as its command spells it. */
const otherNames: Readonly<Record<string, string>> = { tool_name: "tool", tool_ref: "file", zone: "time_zone" };

function tellUnknown(key: string, keys: readonly string[]): string {
  const meant = otherNames[key] ?? nearest(key, keys, 1)[0];
  return `A job has no "${key}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}
