import type { Clock } from "../../core/clock.ts";
import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { sendSignal } from "../../process/stop/send-signal.ts";
import { settlesWithin } from "../../process/stop/wait.ts";
import { createAwakeTime } from "../awake-time.ts";
import { endGroup, signalChild } from "./child-group.ts";
import type { ChildEnd } from "../decide-next.ts";
import { describeHang } from "./describe-hang.ts";
import { heartbeatFile, readBeat } from "./heartbeat.ts";
import type { WatchdogLog } from "../records/watchdog-log.ts";
import { createOccasion, waitFor } from "../restart-reason.ts";
import { createPulse, type Pulse } from "./pulse.ts";
import type { ChildExit } from "./start-child.ts";
import type { StopOrder } from "../stop-order.ts";
import type { EmitWatchdogEvent, EndCause } from "../watchdog-events.ts";
import type { WatchdogSettings } from "../watchdog-settings.ts";

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
