import { z } from "zod";
import { clipText, nearest } from "../../core/text.ts";
import { RuntimeError } from "../../core/errors.ts";
import { jobOverlaps } from "../../core/job.ts";

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
