import { createId } from "../../src/core/ids.ts";
import type { Job, Run } from "../../src/core/job.ts";

let now = Date.UTC(2026, 0, 1);

export function makeJob(given: Partial<Job> = {}): Job {
  now += 1;
  const id = createId("job", now);
  return {
    id,
    name: `job ${id.slice(-12)}`,
    work: { kind: "tool", toolName: "echo_tool", toolRef: null, input: { text: "hello" } },
    when: { everyMs: 60_000, anchorAt: 0 },
    overlap: "skip",
    missed: { mode: "last", max: 10, windowMs: 604_800_000 },
    jitterMs: 0,
    deadlineMs: null,
    timeoutMs: 3_600_000,
    retries: 0,
    pauseAfterFailures: 3,
    isIdempotent: false,
    paused: null,
    grant: { allow: [], deny: [] },
    createdAt: now,
    plannedUntilAt: now,
    nextAt: null,
    countedFromAt: 0,
    version: 1,
    ...given,
  };
}

export function makeRun(job: Pick<Job, "id" | "name">, given: Partial<Run> = {}): Run {
  now += 1;
  const dueAt = given.dueAt ?? now;
  return {
    id: createId("run", now),
    jobId: job.id,
    jobName: job.name,
    dueAt,
    trigger: "time",
    startAt: dueAt,
    attempt: 1,
    state: "due",
    reason: null,
    createdAt: now,
    startedAt: null,
    endedAt: null,
    owner: null,
    fence: 0,
    waitsFor: null,
    cancelReason: null,
    executionId: null,
    taskId: null,
    sessionId: null,
    summary: null,
    span: null,
    ...given,
  };
}
