import { messageOf } from "../core/errors.ts";
import type { Run } from "../core/job.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { type ActiveRuns, createActiveRuns } from "./runs/active-runs.ts";
import { adoptRun } from "./runs/execute-run.ts";
import { eachDue, planDue, rewindAll } from "./runs/plan-due.ts";
import { settleLost } from "./runs/settle-run.ts";
import { startRun } from "./runs/start-job-run.ts";
import { watchClock } from "./runs/watch-clock.ts";
import { type ScheduleParts, tellSettled } from "./schedule-parts.ts";
import { rememberTimes } from "./times/times.ts";

/** Starts what is due, for as long as it is open. Several may work on one store: each run is started by one of them. */
export interface Scheduler {
  /** Settles when what was left behind is recovered and what is due now has been started. */
  start(): Promise<void>;
  /** Looks at once instead of at the next time: something was changed here. */
  wake(): void;
  /** Starts one run here, now, and waits for its end; also when this scheduler was not started: then it is tried once. */
  carryOut(runId: string): Promise<Run | undefined>;
  /** Starts nothing more and stops what runs here; settles when that is recorded. */
  close(): Promise<void>;
}

const mostUnderWay = 10_000;

export function createScheduler(parts: ScheduleParts): Scheduler {
  const { store, clock, emit, settings } = parts;
  const active = createActiveRuns();
  const times = rememberTimes();
  const jumpedBy = watchClock(clock);
  let isStarted = false;
  let closing: Promise<void> | undefined;
  let cancelTimer = (): void => {};
  let looking: Promise<void> | undefined;
  let mustLook = false;
  /** Something here has ended, so that something else may start. */
  let mustFill = false;
  let polledAt = -Infinity;
  let recoveredAt = -Infinity;
  /** Who was not there for longer can't know what became of that time. */
  const longestAwayMs = Math.max(settings.graceMs, 2 * settings.pollMs);
  /** Since when somebody has been there for everything that was due, by the wall clock. */
  let presentSince = -Infinity;
  let notedAt = -Infinity;
  let seenAt = -Infinity;
  /** By how much the clock jumped, until that was acted upon. */
  let jumpMs = 0;
  let seenRevision: number | undefined;
  let nextAt = -Infinity;

  const isClosing = (): boolean => closing !== undefined;
  const startOptions = { active, isClosing };

  function tellFailure(thrown: unknown): void {
    emit("schedule:failed", { jobId: null, error: messageOf(thrown) });
  }

  /** The work goes on by itself; its end may let another one start. */
  function follow(work: Promise<void> | undefined): void {
    work?.catch(tellFailure).finally(fill).catch(tellFailure);
  }

  async function look(): Promise<void> {
    // Before anything is read: what others change meanwhile is looked at next time.
    polledAt = clock.monotonic();
    const revision = await store.revision();
    if (jumpMs < 0) await rewindAll(parts, times);
    if (mustRecover() || jumpMs > 0) {
      await recoverRuns(parts, { active, follow });
      if (recoveredAt === -Infinity) await freeWaiting(parts);
      recoveredAt = clock.monotonic();
    }
    jumpMs = 0;
    const now = clock.now();
    await planDue(parts, { times, now, presentSince });
    await startDue(now);
    await stopCancelled();
    nextAt = (await store.nextTime(now)) ?? Infinity;
    seenRevision = revision;
  }

  async function startDue(startBy: number): Promise<void> {
    const room = settings.maxRunning - active.size();
    if (room <= 0) return;
    for await (const run of eachDue(store, startBy, room)) {
      if (closing || active.size() >= settings.maxRunning) return;
      const started = await startRun(parts, run, startOptions);
      follow(started.carriedOut);
      if (started.hasCancelled) mustLook = true;
    }
  }

  /** The part of a look that the end of a run makes worth while: nobody else is asked what is new. */
  async function startMore(): Promise<void> {
    const now = clock.now();
    await startDue(now);
    nextAt = Math.min(nextAt, (await store.nextTime(now)) ?? Infinity);
  }

  function mustRecover(): boolean {
    return clock.monotonic() - recoveredAt >= settings.recoverMs;
  }

  /** Only where something may have changed: a look costs more than to ask. */
  async function tick(): Promise<void> {
    const byMs = jumpedBy();
    if (byMs !== 0) emit("clock:jumped", { byMs: Math.round(byMs) });
    jumpMs += byMs;
    const awayMs = clock.monotonic() - seenAt;
    if (jumpMs !== 0 || awayMs > longestAwayMs) {
      presentSince = await findPresence();
      notedAt = -Infinity;
    }
    const isTime = clock.now() >= nextAt || mustRecover() || jumpMs !== 0;
    const isFill = mustFill;
    mustFill = false;
    if (mustLook || isTime || (await isChanged())) {
      mustLook = false;
      // Until it has come to its end: what fails is not tried again at once.
      nextAt = clock.now() + settings.pollMs;
      seenRevision = undefined;
      await look();
    } else if (isFill) await startMore();
    seenAt = clock.monotonic();
    if (seenAt - notedAt >= longestAwayMs / 4) {
      await store.noteServed(clock.now());
      notedAt = seenAt;
    }
  }

  /** Where another one is there, or was a moment ago, it has judged what is late: what it left due waits for room. */
  async function findPresence(): Promise<number> {
    const servedAt = (await store.servedAt()) ?? -Infinity;
    const now = clock.now();
    return Math.abs(now - servedAt) <= longestAwayMs ? -Infinity : now;
  }

  /** Others are asked now and then only: where many runs end, many write. */
  async function isChanged(): Promise<boolean> {
    if (clock.monotonic() - polledAt < settings.pollMs) return false;
    polledAt = clock.monotonic();
    return (await store.revision()) !== seenRevision;
  }

  /** Somebody, maybe in another process, wants work of ours to end, or has taken it away. */
  async function stopCancelled(): Promise<void> {
    const entries = active.list();
    if (entries.length === 0) return;
    const underWay = await store.listRuns({ states: ["claimed", "running"], limit: mostUnderWay });
    const found = new Map(underWay.map((run) => [run.id, run]));
    for (const entry of entries) {
      const run = found.get(entry.run.id) ?? (await store.getRun(entry.run.id));
      if (run?.fence !== entry.run.fence) entry.stop("taken_away", "Another process has taken the run over.");
      else if (run.cancelReason !== null) entry.stop("cancel", run.cancelReason);
    }
  }

  function arm(): void {
    cancelTimer();
    if (closing || !isStarted) return;
    const untilNext = mustLook || mustFill ? 0 : Math.max(0, nextAt - clock.now());
    const untilPoll = Math.max(0, Math.ceil(settings.pollMs - (clock.monotonic() - polledAt)));
    cancelTimer = clock.after(Math.min(settings.pollMs, untilPoll, untilNext), () => void run());
  }

  function run(): Promise<void> {
    looking ??= tick()
      .catch(tellFailure)
      .finally(() => {
        looking = undefined;
        arm();
      });
    return looking;
  }

  function wake(): void {
    mustLook = true;
    hurry();
  }

  function fill(): void {
    mustFill = true;
    hurry();
  }

  function hurry(): void {
    if (isStarted && !closing && !looking) void run();
  }

  return {
    async start() {
      if (isStarted || closing) return;
      isStarted = true;
      mustLook = true;
      await rewindAll(parts, times).catch(tellFailure);
      await run();
    },
    wake,
    async carryOut(runId) {
      const found = await store.getRun(runId);
      const options = { ...startOptions, isLastTry: !isStarted };
      if (found && !isStarted) await clearTheWay(found.jobId);
      const carriedOut = found?.state === "due" ? (await startRun(parts, found, options)).carriedOut : undefined;
      const stopListening = carriedOut && !isStarted ? listenForCancels() : undefined;
      await carriedOut?.finally(stopListening);
      return store.getRun(runId);
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };

  /** Where nobody looks after the runs of processes that are gone, those would be in the way for ever. */
  async function clearTheWay(jobId: string): Promise<void> {
    const adopted: Promise<void>[] = [];
    await recoverRuns(parts, { active, jobId, follow: (work) => adopted.push(work.catch(tellFailure)) });
    if (adopted.length === 0) return;
    // Work that has ended meanwhile is soon settled; what goes on is in the way, and is left as it was at the end.
    let cancel = (): void => {};
    const patience = new Promise<void>((resolve) => (cancel = clock.after(settings.pollMs, resolve)));
    await Promise.race([Promise.all(adopted), patience]);
    cancel();
  }

  function listenForCancels(): () => void {
    let cancel: (() => void) | undefined;
    let isOver = false;
    const listen = (): void => {
      if (!isOver) cancel = clock.after(settings.pollMs, () => void stopCancelled().catch(tellFailure).finally(listen));
    };
    listen();
    return () => {
      isOver = true;
      cancel?.();
    };
  }

  async function closeAll(): Promise<void> {
    cancelTimer();
    await looking;
    for (const entry of active.list()) entry.stop("close", "Deckhand was stopped.");
    await active.idle();
  }
}

const mostAtOnce = 1000;

/**
 * Finds runs whose owner is gone. One that was only claimed is due again: nothing was done. One that ran is adopted, if its work
 * lives on, else lost. `follow` is given the work that was taken up.
 */
async function recoverRuns(parts: ScheduleParts, { active, follow, jobId }: Recovery): Promise<void> {
  const { store } = parts;
  const states = ["claimed", "running"] as const;
  const underWay = await store.listRuns({ states, limit: mostAtOnce, ...(jobId === undefined ? {} : { jobId }) });
  for (const run of underWay) {
    if (active.has(run.id) || !(await isAbandoned(parts, run.owner))) continue;
    if (run.state === "claimed") {
      await store.changeRun(run.id, { from: ["claimed"], fence: run.fence, set: { state: "due", owner: null } });
    } else {
      await takeUp(parts, run, { active, follow });
    }
  }
}

/** Runs that waited for one of a process that is gone waited for nothing: if they are late, they are as any other that is. */
async function freeWaiting(parts: ScheduleParts): Promise<void> {
  const { store, clock, settings } = parts;
  for await (const run of eachDue(store, clock.now() - settings.graceMs - 1)) {
    if (run.waitsFor === null) continue;
    const inTheWay = await store.getRun(run.waitsFor);
    const isUnderWay = inTheWay?.state === "claimed" || inTheWay?.state === "running";
    if (!isUnderWay) await store.changeRun(run.id, { from: ["due"], set: { waitsFor: null } });
  }
}

export interface Recovery {
  readonly active: ActiveRuns;
  /** Left out: of all jobs. */
  readonly jobId?: string;
  readonly follow: (work: Promise<void>) => void;
}

async function takeUp(parts: ScheduleParts, run: Run, { active, follow }: Recovery): Promise<void> {
  const { store, owner } = parts;
  // By the fence, so that one of several that find it decides.
  const taken = await store.changeRun(run.id, {
    from: ["running"],
    fence: run.fence,
    set: { owner, fence: run.fence + 1 },
  });
  if (!taken) return;
  const job = await store.getJob(run.jobId);
  if (!job) return follow(active.hold(taken, () => dropRun(parts, taken)));
  const adopted = adoptRun(parts, active, { job, run: taken });
  if (adopted) follow(adopted);
  else await settleLost(parts, { job, run: taken });
}

/** Its job is gone: nobody would ever ask for what lives on of it. */
async function dropRun(parts: ScheduleParts, run: Run): Promise<void> {
  const { store, runner, clock } = parts;
  const why = run.cancelReason ?? "The job was removed.";
  const outcome = await runner.drop?.(run, why);
  if (!outcome) return settleLost(parts, { job: undefined, run });
  const [state, reason] =
    outcome.state === "succeeded" ? (["succeeded", null] as const) : (["cancelled", why] as const);
  const set = { state, reason, endedAt: clock.now() };
  const settled = await store.changeRun(run.id, { from: ["running"], fence: run.fence, set });
  if (settled) tellSettled(parts, settled);
}

/** Nobody's, or of a process that is gone. One that is ours by name, but that nobody here works at, is of an earlier scheduler. */
async function isAbandoned({ owner: self, isAlive }: ScheduleParts, owner: ProcessIdentity | null): Promise<boolean> {
  if (owner === null) return true;
  const isOurs = owner.pid === self.pid && owner.startTime === self.startTime && owner.bootId === self.bootId;
  return isOurs || !(await isAlive(owner));
}
