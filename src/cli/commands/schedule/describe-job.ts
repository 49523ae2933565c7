import { clipText } from "../../../core/text.ts";
import { isFinalRun, type Job, type JobTimes, type JobWork, type Run } from "../../../core/job.ts";
import { formatAge, formatDuration } from "../../../core/time.ts";
import type { JobView, PreviewedTime } from "../../../schedule/schedule-service.ts";

const longestSummary = 200;

/** `0 9 * * 1-5 Europe/Berlin`, `every 15 min`, `once`. */
export function describeTimes(when: JobTimes): string {
  if ("cron" in when) return `${when.cron} ${when.timeZone}`;
  return "at" in when ? "once" : `every ${formatDuration(when.everyMs)}`;
}

/** What is done, in one line. */
export function summarizeWork(work: JobWork): string {
  switch (work.kind) {
    case "tool": {
      const input = JSON.stringify(work.input) ?? "";
      const from = work.toolRef ? ` (${work.toolRef.file})` : "";
      return clipText(`tool ${work.toolName}${from}${input === "{}" ? "" : ` ${input}`}`, longestSummary);
    }
    case "prompt":
      return clipText(`prompt: ${work.prompt}`, longestSummary);
    case "agent":
      return clipText(`agent ${work.order.agent}: ${work.order.message}`, longestSummary);
    case "improve":
      return `improve ${work.toolName}`;
  }
}

/** How its latest run stands, and what nobody should overlook. */
export function summarizeLast({ lastRun, passedOver }: JobView, now: number): string {
  if (!lastRun) return "-";
  const { state, endedAt, startedAt, dueAt, startAt } = lastRun;
  // It waits for another try, or for a time that was planned while the clock was ahead.
  const isLater = state === "due" && startAt > now;
  const age = isLater ? `in ${formatAge(startAt - now)}` : formatAge(now - (endedAt ?? startedAt ?? dueAt));
  const isPassedOver = state === "missed" || state === "skipped";
  const others = passedOver - (isPassedOver ? 1 : 0);
  return `${state} ${age}${others > 0 ? `, ${others} missed or skipped` : ""}`;
}

/** `2026-03-29 03:00:00 +02:00`, with what is odd about it. */
export function describeNext({ local, note }: PreviewedTime): string {
  return note === null ? local : `${local}  (${note})`;
}

/** Empty for one that waits, also to be tried again, and where nobody saw the end. Of one that was, the time of its last try. */
export function durationOfRun({ state, startedAt, endedAt, attempt }: Run, now: number): string {
  if (startedAt === null || state === "due" || state === "claimed") return "";
  if (endedAt === null && isFinalRun(state)) return "";
  return `${formatDuration(Math.max(0, (endedAt ?? now) - startedAt))}${attempt > 1 ? " (last try)" : ""}`;
}

/** Why it stands as it does, or what came of it; in one line. */
export function summarizeRun({ state, reason, summary, span, attempt, waitsFor }: Run): string {
  const many = span ? `stands for ${span.count ?? "many"} due times from ${new Date(span.fromAt).toISOString()}; ` : "";
  const tries = attempt > 1 ? `attempt ${attempt}; ` : "";
  const waits = state === "due" && waitsFor !== null ? `waits for ${waitsFor} to end; ` : "";
  return clipText(`${many}${tries}${waits}${reason ?? summary ?? ""}`.trim().replace(/;$/, ""), longestSummary);
}

/** All that there is to know of the job, for a person. */
export function describeJob(job: Job, next: readonly PreviewedTime[]): string {
  const { missed, grant, paused } = job;
  const facts: [string, string | null][] = [
    ["does", summarizeWork(job.work)],
    ["when", describeTimes(job.when)],
    ["asked for", "at" in job.when && job.when.asked ? `${job.when.asked.text} ${job.when.asked.timeZone}` : null],
    [
      "paused",
      paused &&
        `by ${paused.by}${paused.reason === null ? "" : `: ${paused.reason}`}\nresume it with ${resumeCommand(job.name)}`,
    ],
    ["next", next.length === 0 ? (paused ? null : "never again") : next.map(describeNext).join("\n")],
    ["overlap", overlaps[job.overlap]],
    [
      "missed",
      missed.mode === "none" || missed.windowMs === 0
        ? "not made up for"
        : `${missed.mode === "last" ? "the latest is" : `the latest ${missed.max} are`} made up for, up to ${formatDuration(missed.windowMs)} late`,
    ],
    [
      "jitter",
      job.jitterMs === 0 ? null : `starts up to ${formatDuration(job.jitterMs)} after its time, always the same`,
    ],
    [
      "deadline",
      job.deadlineMs === null ? null : `missed when it can't start within ${formatDuration(job.deadlineMs)}`,
    ],
    ["time limit", formatDuration(job.timeoutMs)],
    ["retries", String(job.retries)],
    [
      "pauses after",
      job.pauseAfterFailures === 0 ? "no number of failures" : `${job.pauseAfterFailures} failed runs in a row`,
    ],
    ["twice", job.isIdempotent ? "is the same as once: a lost run is started again" : null],
    ["may", grant.allow.length === 0 ? null : grant.allow.join(", ")],
    ["may not", grant.deny.length === 0 ? null : grant.deny.join(", ")],
    ["added", new Date(job.createdAt).toISOString()],
    ["id", job.id],
  ];
  const lines = facts.flatMap(([label, fact]) => (fact ? [`  ${label.padEnd(12)}  ${indentRest(fact)}`] : []));
  return [job.name, ...lines, ""].join("\n");
}

/** What goes on with a job that is paused, to be copied. */
export function resumeCommand(name: string): string {
  return `\`deckhand schedule resume ${quoteArgument(name)}\``;
}

function quoteArgument(text: string): string {
  return /^\w[\w.:-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const overlaps = {
  skip: "a run is skipped while an earlier one is under way",
  queue_one: "one run waits while an earlier one is under way, further ones are skipped",
  cancel_old: "a run cancels the earlier one that is under way",
  allow: "runs may be under way at once",
} as const;

function indentRest(text: string): string {
  return text.replaceAll("\n", `\n${" ".repeat(16)}`);
}
