import { readFileSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { sendSignal } from "../../process/stop/send-signal.ts";
import { settlesWithin, wait } from "../../process/stop/wait.ts";
import type { ChildEnd } from "../decide-next.ts";
import type { EmitWatchdogEvent, EndCause } from "../describe-event.ts";
import type { WatchdogLog } from "../records/watchdog-log.ts";
import { createOccasion, waitFor } from "../restart-reason.ts";
import type { StopOrder } from "../stop-watchdog.ts";
import type { WatchdogSettings } from "../watchdog-settings.ts";
import { type Beat, heartbeatFile, readBeat } from "./heartbeat.ts";
import { type ChildExit, endGroup, signalChild } from "./start-child.ts";

export interface WatchParts {
  readonly settings: WatchdogSettings;
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly emit: EmitWatchdogEvent;
  readonly log: WatchdogLog;
  readonly stop: StopOrder;
}

export interface RunningChild {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<ChildExit>;
}

export type WatchedEnd = ChildEnd & { readonly hang: string | null };

/** Watches a child to its end, and ends it when it hangs or the watchdog is to stop. Nothing of its group is left then. */
export async function watchChild(child: RunningChild, parts: WatchParts): Promise<WatchedEnd> {
  const { clock, settings, stop, table, emit } = parts;
  const began = clock.monotonic();
  const pulse = createPulse(settings);
  const watch = { child, pulse, uptimeMs: () => clock.monotonic() - began };
  let cause: EndCause = "exit";
  let hang: string | null = null;
  const verdict = await waitForVerdict(watch, parts);
  if (verdict === "hung") {
    cause = "hang";
    hang = await reportHang(watch, parts);
    await endGroup(child.identity, { table, clock, graceMs: settings.graceMs, whenInsisted: stop.whenInsisted });
  } else if (stop.reason) {
    // Also when it has ended already: who stops a service often tells both at once.
    cause = "stopped";
    emit({ type: "watchdog:stopping", at: clock.now(), reason: stop.reason.text });
    await endGroup(child.identity, { table, clock, graceMs: settings.graceMs, whenInsisted: stop.whenInsisted });
  }
  const exit = await child.ended;
  const uptimeMs = Math.round(watch.uptimeMs());
  // What it left behind in its group would hold ports and files of the next one.
  signalChild(table, child.identity, "SIGKILL");
  const wasHealthy = cause === "exit" && (pulse.state === "healthy" || pulse.state === "silent");
  return { ...exit, cause, uptimeMs, wasHealthy, wasStable: pulse.wasStable, hang };
}

interface Watch {
  readonly child: RunningChild;
  readonly pulse: Pulse;
  readonly uptimeMs: () => number;
}

async function waitForVerdict(
  { child, pulse, uptimeMs }: Watch,
  parts: WatchParts,
): Promise<"ended" | "hung" | "stop"> {
  const { clock, settings, emit, stop, log } = parts;
  const awake = createAwakeTime(clock, settings.tickMs);
  const beatPath = heartbeatFile(settings.stateFolder);
  let hasEnded = false;
  const ended = createOccasion();
  void child.ended.then(() => {
    hasEnded = true;
    ended.happen();
  });
  let isTold = false;
  for (;;) {
    await waitFor(clock, settings.tickMs, [ended.when, stop.whenGiven]);
    const { awakeMs, lostMs } = awake.take();
    if (lostMs > Math.min(noticeMs, settings.hangMs)) {
      emit({ type: "watchdog:slept", at: clock.now(), lostMs: Math.round(lostMs) });
      pulse.forgive();
    }
    pulse.look(settings.heartbeat === "off" ? null : readBeat(beatPath), awakeMs);
    if (hasEnded) return "ended";
    log.refresh();
    stop.look();
    if (stop.reason) return "stop";
    if (pulse.state === "hung") return "hung";
    if (!isTold && pulse.state === "healthy" && (pulse.hasBeaten || pulse.healthyMs >= settings.minUptimeMs)) {
      isTold = true;
      emit({ type: "child:healthy", at: clock.now(), pid: child.identity.pid, afterMs: Math.round(uptimeMs()) });
    }
  }
}

/** Less is what a busy machine does to every program. */
const noticeMs = 5000;

/** Asks the hung one for its stack, where it can be asked, and looks at it from outside. */
async function reportHang({ child, pulse }: Watch, parts: WatchParts): Promise<string> {
  const { clock, settings, table, emit } = parts;
  const beat = readBeat(heartbeatFile(settings.stateFolder));
  const { pid } = child.identity;
  const beating = beat?.pid ?? pid;
  const entry = table.find(beating);
  const isOurs = entry?.groupId === pid;
  const what = await describeHang(isOurs ? beating : pid, table, clock);
  emit({ type: "child:hung", at: clock.now(), pid, silentMs: Math.round(pulse.silentMs), what });
  if (isOurs && beat?.stackSignal && sendSignal(table, entry, beat.stackSignal) === "sent") {
    await settlesWithin(clock, child.ended, stackMs);
  }
  return what;
}

/** Printing a stack takes a moment; one that is held can't. */
const stackMs = 2000;

export interface AwakeTime {
  /** How long it was awake since the last time it was asked, and how much time passed without it. */
  take(): { readonly awakeMs: number; readonly lostMs: number };
}

/**
 * Tells waiting from being held. A tick that comes much too late means that this process did not run (SIGSTOP, a machine
 * without a free processor); a wall clock that ran ahead of the monotonic one means that the machine was suspended,
 * or that somebody set the clock, which here makes no difference.
 */
export function createAwakeTime(clock: Clock, tickMs: number): AwakeTime {
  const mostMs = 2 * tickMs;
  let monotonic = clock.monotonic();
  let wall = clock.now();
  return {
    take() {
      const passed = clock.monotonic() - monotonic;
      const jumped = clock.now() - wall - passed;
      monotonic += passed;
      wall += passed + jumped;
      const awakeMs = Math.min(passed, mostMs);
      return { awakeMs, lostMs: passed - awakeMs + Math.max(0, jumped) };
    },
  };
}

/** What a process that does not answer is doing, as far as can be seen from outside. One sentence. */
async function describeHang(pid: number, table: ProcessTable, clock: Clock): Promise<string> {
  const entry = table.find(pid);
  if (!entry?.alive) return "It has just ended.";
  if (entry.stopped) return "It was held by a signal (SIGSTOP) or a debugger.";
  const before = readWork(pid);
  if (before === null) return "What it does can't be seen on this system.";
  await wait(clock, sampleMs);
  const after = readWork(pid) ?? before;
  // On a machine with much to do, one that would run all the time gets little of it, but waits for nothing else.
  if (after.usedMs - before.usedMs >= busyMs || (before.isRunnable && after.isRunnable)) {
    return `It kept a processor busy (${after.usedMs - before.usedMs} ms of ${sampleMs} ms): a loop, or very long work.`;
  }
  const place = readText(`/proc/${pid}/wchan`);
  return `It used no processor and waited${place && place !== "0" ? ` in ${place}` : ""}.`;
}

const sampleMs = 300;
const busyMs = 50;
/** The kernel counts in these. */
const tickMs = 10;

function readWork(pid: number): { readonly usedMs: number; readonly isRunnable: boolean } | null {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const usedMs = (Number(fields[11]) + Number(fields[12])) * tickMs;
  return Number.isFinite(usedMs) ? { usedMs, isRunnable: fields[0] === "R" } : null;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/**
 * What the beats say about a child, in time that the watchdog was awake itself: a suspended machine, or a watchdog that
 * was held, makes nobody look dead.
 *
 * - `starting`: it has not beaten yet, and still may take its time; or its beats say that it starts, and may take any time
 * - `healthy`: it beats, or it never did and need not
 * - `silent`: the last beat is older than it should be, but not old enough
 * - `hung`: it is
 */
interface Pulse {
  readonly state: PulseState;
  readonly hasBeaten: boolean;
  /** Healthy in one piece until now. */
  readonly healthyMs: number;
  readonly silentMs: number;
  /** Once it was healthy for as long as it takes to be trusted. */
  readonly wasStable: boolean;
  /** A look at the file after `awakeMs` more. `beat` is null while there is none. */
  look(beat: Pick<Beat, "mark" | "isStarting"> | null, awakeMs: number): void;
  /** Time was lost for everybody: the child gets the whole time again. */
  forgive(): void;
}

export type PulseState = "starting" | "healthy" | "silent" | "hung";

type PulseSettings = Pick<WatchdogSettings, "heartbeat" | "hangMs" | "startupMs" | "stableMs">;

export function createPulse({ heartbeat, hangMs, startupMs, stableMs }: PulseSettings): Pulse {
  let last: string | null = null;
  let lastStarting: string | null = null;
  let silentMs = 0;
  let healthyMs = 0;
  let wasStable = false;

  function judge(): PulseState {
    if (heartbeat === "off") return "healthy";
    if (last === null) {
      if (heartbeat === "auto" && lastStarting === null) return "healthy";
      return silentMs >= startupMs ? "hung" : "starting";
    }
    if (silentMs >= hangMs) return "hung";
    return silentMs > hangMs / 2 ? "silent" : "healthy";
  }

  return {
    get state() {
      return judge();
    },
    get hasBeaten() {
      return last !== null;
    },
    get healthyMs() {
      return healthyMs;
    },
    get silentMs() {
      return silentMs;
    },
    get wasStable() {
      return wasStable;
    },
    look(beat, awakeMs) {
      const isNew = beat !== null && beat.mark !== (beat.isStarting ? lastStarting : last);
      silentMs = isNew ? 0 : silentMs + awakeMs;
      if (isNew && beat.isStarting) lastStarting = beat.mark;
      else if (isNew) last = beat.mark;
      healthyMs = judge() === "healthy" ? healthyMs + awakeMs : 0;
      wasStable ||= healthyMs >= stableMs;
    },
    forgive() {
      silentMs = 0;
    },
  };
}
