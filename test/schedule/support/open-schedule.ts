import type { TestContext } from "node:test";
import type { RuntimeEvent } from "../../../src/core/events.ts";
import type { ProcessIdentity } from "../../../src/core/process.ts";
import type { Job, Run, ScheduleStore } from "../../../src/core/job.ts";
import type { JobRunner, RunContext, RunOutcome } from "../../../src/schedule/jobs/job-runner.ts";
import type { JobOrder } from "../../../src/schedule/jobs/create-job.ts";
import { createJobs, type Jobs } from "../../../src/schedule/jobs/change-jobs.ts";
import { defaultSettings, type ScheduleSettings } from "../../../src/schedule/schedule-parts.ts";
import { createScheduler, type Scheduler } from "../../../src/schedule/scheduler.ts";
import { openTimes } from "../../../src/schedule/times/times.ts";
import { createMemoryScheduleStore } from "../../../src/records/memory/memory-schedule-store.ts";
import { afterTest } from "../../support/after-test.ts";
import { createTimeMachine, type TimeMachine } from "./time-machine.ts";

export const succeeded: RunOutcome = { state: "succeeded", reason: null, summary: "done" };
export const failed: RunOutcome = { state: "failed", reason: "It broke.", summary: null };

type Work = (job: Job, run: Run, context: RunContext) => Promise<RunOutcome>;

export interface TestSchedule {
  readonly clock: TimeMachine;
  readonly store: ScheduleStore;
  readonly jobs: Jobs;
  readonly scheduler: Scheduler;
  /** What was begun, in order. */
  readonly begun: readonly Run[];
  readonly events: readonly Pick<RuntimeEvent, "type">[];
  /** Thought to be dead by others, though it may live. */
  readonly dead: Set<number>;
  /** `kill -9` */
  readonly kill: (pid: number) => void;
  /** Another scheduler on the same store and clock, as of another process. */
  readonly open: (pid: number, work?: Work, adopt?: JobRunner["adopt"]) => Scheduler;
  /** Of all jobs, in the order of their due times, with what is told of them. */
  readonly history: () => Promise<string[]>;
}

export interface TestScheduleOptions {
  readonly at?: string;
  readonly work?: Work;
  readonly settings?: Partial<ScheduleSettings>;
  /** What a process has in place of the store. */
  readonly wrapStore?: (store: ScheduleStore, pid: number) => ScheduleStore;
}

/** A schedule in memory whose time is the test's; its work is done by a function. */
export async function openSchedule(t: TestContext, options: TestScheduleOptions = {}): Promise<TestSchedule> {
  // Loaded once: the library is no timer that a clock could wait for.
  await openTimes({ cron: "* * * * *", timeZone: "UTC" });
  const startAt = Date.parse(options.at ?? "2026-11-16T12:00:00Z");
  const clock = createTimeMachine(startAt);
  const store = createMemoryScheduleStore();
  const begun: Run[] = [];
  const events: Pick<RuntimeEvent, "type">[] = [];
  const dead = new Set<number>();
  const kills = new Map<number, () => void>();
  const emit = (type: RuntimeEvent["type"], payload: object): void => void events.push({ type, ...payload });
  const identify = (pid: number): ProcessIdentity => ({ pid, startTime: "1", bootId: "boot" });

  function open(pid: number, work: Work = async () => succeeded, adopt?: JobRunner["adopt"]): Scheduler {
    const runner: JobRunner = {
      run: (job, run, context) => {
        begun.push(run);
        return work(job, run, context);
      },
      ...(adopt && { adopt }),
    };
    const settings = { ...defaultSettings, pollMs: 60_000, recoverMs: 600_000, ...options.settings };
    const isAlive = (owner: ProcessIdentity): boolean => !dead.has(owner.pid);
    const process = clock.fork();
    kills.set(pid, process.kill);
    const own = options.wrapStore?.(store, pid) ?? store;
    return createScheduler({ store: own, clock: process.clock, runner, owner: identify(pid), isAlive, emit, settings });
  }

  const scheduler = open(1, options.work);
  afterTest(t, async () => {
    const closed = scheduler.close();
    await clock.pass(600_000);
    await closed;
  });
  return {
    clock,
    store,
    jobs: createJobs({ store, clock, emit }),
    scheduler,
    begun,
    events,
    dead,
    kill(pid) {
      dead.add(pid);
      kills.get(pid)?.();
    },
    open,
    async history() {
      const runs = await store.listRuns({ limit: 100_000 });
      return runs.toReversed().map(({ dueAt, state, trigger, attempt, startedAt }) => {
        const due = new Date(dueAt).toISOString().slice(5, 19).replace("T", " ");
        const late = startedAt === null ? "" : ` +${(startedAt - dueAt) / 1000}s`;
        return `${due} ${state}${trigger === "time" ? "" : ` ${trigger}`}${attempt > 1 ? ` #${attempt}` : ""}${late}`;
      });
    },
  };
}

/** A job whose times are exact, so that what a test expects is easy to read. */
export function orderOf(given: Partial<JobOrder> = {}): JobOrder {
  return {
    name: "nightly",
    work: { kind: "tool", toolName: "echo_tool", toolRef: null, input: {} },
    when: { cron: "0 * * * *", timeZone: "UTC" },
    jitterMs: 0,
    ...given,
  };
}
