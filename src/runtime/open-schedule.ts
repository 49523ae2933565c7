import { join } from "node:path";
import { clipText } from "../core/text.ts";
import { messageOf, RuntimeError } from "../core/errors.ts";
import type { Emit } from "../core/events.ts";
import type { ProcessIdentity } from "../core/process.ts";
import type { ScheduleStore } from "../core/job.ts";
import {
  checkWrittenTimes,
  createJob,
  type JobOrder,
  readWrittenJob,
  type WrittenJob,
} from "../schedule/jobs/create-job.ts";
import { createJobs } from "../schedule/jobs/change-jobs.ts";
import { defaultSettings } from "../schedule/schedule-parts.ts";
import { createScheduler } from "../schedule/scheduler.ts";
import { previewTimes } from "../schedule/times/preview-times.ts";
import { readWhen } from "../schedule/times/read-when.ts";
import type { AgentWiring } from "./stages.ts";
import { createJobRunner } from "../schedule/runs/run-job.ts";
import type { JobRunnerParts } from "../schedule/jobs/held-jobs.ts";
import { readJobOrder } from "../schedule/jobs/read-job-order.ts";
import { logSchedule } from "../schedule/jobs/log-schedule.ts";
import { pruneRunsDaily, showRun } from "../schedule/runs/settle-run.ts";
import { viewJob } from "../schedule/jobs/view-job.ts";
import type { Schedule } from "../schedule/schedule-service.ts";
import { openSchedulerPresence } from "../schedule/scheduler-presence.ts";

export interface ScheduleParts
  extends
    Pick<AgentWiring, "configuration" | "folders" | "clock" | "catalog" | "workshop" | "processes" | "journal">,
    Pick<JobRunnerParts, "runtime" | "jobs" | "approvals"> {
  readonly store: ScheduleStore;
  readonly emit: Emit;
  readonly maskValue: <Value>(value: Value) => Value;
}

export interface OpenedSchedule extends Schedule {
  /** Starts nothing more, stops what runs here, and records how it ended. */
  close(): Promise<void>;
}

/** The jobs of a workdir, put together with what does their work. */
export async function openSchedule(given: ScheduleParts): Promise<OpenedSchedule> {
  const { store } = given;
  // Where several machines share the store, they agree on its time.
  const parts = { ...given, clock: store.shared?.clock ?? given.clock };
  const { configuration, clock, processes, folders, journal } = parts;
  const emit = logSchedule(parts.emit, journal);
  const settings = configuration.schedule;
  const timeZone = settings.timeZone ?? machineZone();
  const jobs = createJobs({ store, clock, emit });
  const presence = openSchedulerPresence({
    folder: join(folders.state, "schedulers"),
    self: processes.identity,
    isAlive: (owner) => processes.isAlive(owner),
  });
  const isAlive = (owner: ProcessIdentity) => store.shared?.isAlive(owner) ?? processes.isAlive(owner);
  const scheduler = createScheduler({
    store,
    clock,
    runner: createJobRunner({ ...parts, now: () => clock.now() }),
    owner: processes.identity,
    isAlive,
    emit,
    settings: { ...defaultSettings, maxRunning: settings.maxRunning },
  });
  let stopPruning = (): void => {};

  async function orderOf(written: WrittenJob) {
    return readJobOrder(
      {
        ...parts,
        settings,
        timeZone,
        canonicalName: (name) => parts.catalog.canonicalName(name),
        taskTimeoutMs: configuration.limits.taskTimeoutMs,
        async checkModel(name) {
          const { checkNamedModel } = await import("./open-named-model.ts");
          await checkNamedModel({ configuration, workdir: parts.runtime.workdir }, name);
        },
        now: clock.now(),
      },
      written,
    );
  }

  /** What was changed here is looked at here at once, if somebody looks here at all. */
  async function waking<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change;
    scheduler.wake();
    return result;
  }

  return {
    async add(written, { by, isDryRun = false }) {
      const order = await orderOf(readWrittenJob(written));
      refuseSecrets(order, parts.maskValue);
      return isDryRun ? createJob(order, clock.now()) : waking(jobs.add(order, by));
    },
    find: (idOrName) => jobs.find(idOrName),
    list: async () =>
      Promise.all(
        (await store.listJobs()).map(async (job) => {
          const view = await viewJob(store, job);
          return { ...view, lastRun: view.lastRun && (await showRun(view.lastRun, isAlive)) };
        }),
      ),
    async count() {
      const all = await store.listJobs();
      return { jobs: all.length, paused: all.filter(({ paused }) => paused !== null).length };
    },
    pause: (idOrName, order) => waking(jobs.pause(idOrName, order)),
    resume: (idOrName, order) => waking(jobs.resume(idOrName, order)),
    remove: (idOrName, order) => waking(jobs.remove(idOrName, order)),
    runNow: (idOrName, order) => waking(jobs.runNow(idOrName, order)),
    async carryOut(idOrName, { signal, ...order }) {
      const run = await jobs.runNow(idOrName, order);
      const request = (): Promise<boolean> =>
        store.requestCancel(run.id, { reason: `Cancelled by ${order.by}.`, at: clock.now() });
      const cancel = (): void =>
        void request().catch((thrown: unknown) =>
          emit("schedule:failed", { jobId: run.jobId, error: messageOf(thrown) }),
        );
      signal.addEventListener("abort", cancel, { once: true });
      try {
        // It may have come while the row was written.
        if (signal.aborted) await request();
        return (await scheduler.carryOut(run.id)) ?? run;
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    },
    runs: async (query) => Promise.all((await store.listRuns(query)).map((run) => showRun(run, isAlive))),
    getRun: (id) => store.getRun(id),
    cancelRun: (id, reason) => waking(store.requestCancel(id, { reason, at: clock.now() })),
    async next(job, count) {
      if (job.paused) return [];
      return previewTimes(job.when, { after: Math.max(clock.now(), job.plannedUntilAt), count, timeZone });
    },
    async preview(times, count) {
      checkWrittenTimes(times);
      const { cron, every, at, time_zone: zone = timeZone } = times;
      const now = clock.now();
      const written = { timeZone: zone, ...(cron && { cron }), ...(every && { every }), ...(at && { at }) };
      return previewTimes(await readWhen(written, now), { after: now, count, timeZone: zone });
    },
    timeZone,
    async isServed() {
      if (presence.isSomebodyThere()) return "yes";
      return configuration.store.url === null ? "no" : "unknown";
    },
    isDurable: store.isDurable,
    async start() {
      presence.enter();
      stopPruning = pruneRunsDaily({ store, clock, emit, keptDays: settings.historyDays });
      await scheduler.start();
    },
    async close() {
      stopPruning();
      presence.leave();
      await scheduler.close();
    },
  };
}

function machineZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  // Of an empty TZ, as a container may have it: its clocks show UTC.
  return timeZone === "Etc/Unknown" ? "UTC" : timeZone;
}

/** A job is run from its row, so that nothing in it can be masked there. */
function refuseSecrets({ name, work, grant }: JobOrder, mask: ScheduleParts["maskValue"]): void {
  const masked = JSON.stringify(mask({ name, work, grant }));
  const at = masked.indexOf("[MASKED:");
  if (at < 0) return;
  const shown = clipText(masked.slice(Math.max(0, at - 40)), 100);
  throw new RuntimeError(
    "JOB_INVALID",
    `The job contains a secret (${shown}), and jobs are stored as they are written. Put it into an environment variable, let commands see that with tools.environment, and write $NAME in the job.`,
  );
}
