import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import type { ProcessIdentity } from "../../../core/process.ts";
import {
  findDaemon,
  findStartingDaemon,
  isDaemonAlive,
  signalDaemon,
  type DaemonFacts,
} from "../../../daemon/daemon-place.ts";
import { stopWatchdog } from "../../../watchdog/stop-watchdog.ts";
import { viewWatchdog } from "../../../watchdog/view-watchdog.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { askDaemon, lookForDaemon, tellNone, type ServeView } from "./serve-client.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { locateWatchdog } from "../watchdog/watchdog-place.ts";

interface Patience {
  /** For its answer to the order. */
  readonly answerMs: number;
  /** Until it is gone: stopping calls with proof takes its time. */
  readonly endMs: number;
  /** The same for one that did not answer. */
  readonly silentMs: number;
}

const usualPatience: Patience = { answerMs: 10_000, endMs: 60_000, silentMs: 15_000 };
const startPatienceMs = 5000;
const lookEveryMs = 50;

/** `deckhand serve stop`: an orderly end, after which a watchdog does not start it again. Resolves when its process is gone. */
export async function runServeStop(
  invocation: Invocation,
  terminal: Terminal,
  patience: Patience = usualPatience,
): Promise<number> {
  const asked = { invocation, terminal, patience };
  const view = lookForDaemon(invocation, terminal);
  if (view.daemon) return stop(view, view.daemon.process, asked);
  // A watchdog may be about to start one.
  const { result } = await stopWatchdog(locateWatchdog(invocation, terminal.env).settings, systemClock);
  const isStopped = result === "stopped";
  const starting = isStopped ? null : findStartingDaemon(view.folders.state);
  if (starting) {
    terminal.tell(`The daemon (process ${starting.pid}) is just starting; it is stopped as soon as it answers.`);
    const started = await waitForStart(view, starting);
    return stop(started, started.daemon?.process ?? starting, asked);
  }
  if (invocation.has("json")) terminal.printJson({ stopped: isStopped, running: false });
  else if (isStopped) terminal.print("The watchdog was stopped before it started another daemon.\n");
  else tellNone(view, terminal);
  return isStopped ? exitCode.done : exitCode.failed;
}

/** Until it tells where it is, has ended, or takes too long. */
async function waitForStart({ folders }: ServeView, starting: ProcessIdentity): Promise<ServeView> {
  const until = performance.now() + startPatienceMs;
  for (;;) {
    const daemon = findDaemon(folders.state);
    if (daemon || !isDaemonAlive({ process: starting }) || performance.now() > until) return { folders, daemon };
    await pause(lookEveryMs);
  }
}

interface Asked {
  readonly invocation: Invocation;
  readonly terminal: Terminal;
  readonly patience: Patience;
}

async function stop(view: ServeView, identity: ProcessIdentity, asked: Asked): Promise<number> {
  const { invocation, terminal, patience } = asked;
  const { pid } = identity;
  const isRunning = (): boolean => isDaemonAlive({ process: identity });
  const problem = view.daemon ? await order(view, view.daemon, patience) : null;
  if (problem !== null) terminal.tell(`deckhand: ${problem} It is ended by a signal.`);
  terminal.status("Stopping…");
  if (problem !== null || !view.daemon) await signal(identity, asked);
  const until = performance.now() + (problem === null ? patience.endMs : patience.silentMs);
  while (isRunning() && performance.now() < until) await pause(lookEveryMs);
  terminal.status(null);
  const isStopped = !isRunning();
  if (invocation.has("json")) terminal.printJson({ stopped: isStopped, running: !isStopped, pid });
  else if (isStopped) terminal.print(`Stopped. Background agents go on; the next daemon watches them again.\n`);
  else
    terminal.tell(
      `deckhand: Process ${pid} was told to stop and still runs; kill -9 ${pid} ends it, and the next daemon recovers.`,
    );
  return isStopped ? exitCode.done : exitCode.failed;
}

/** Null: it took the order; else why not. */
async function order(view: ServeView, daemon: DaemonFacts, { answerMs }: Patience): Promise<string | null> {
  try {
    const { status } = await askDaemon(view, daemon, { method: "POST", path: "/api/stop", patienceMs: answerMs });
    return status < 300 ? null : `The daemon at ${daemon.url} answers with status ${status}.`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** Its watchdog would take an end by a signal for a crash, so that one is told, and kills what does not end. */
async function signal(identity: ProcessIdentity, { invocation, terminal }: Asked): Promise<void> {
  const { settings } = locateWatchdog(invocation, terminal.env);
  const watchdog = viewWatchdog(settings);
  if (watchdog.pid !== null && watchdog.childPid === identity.pid) await stopWatchdog(settings, systemClock);
  else signalDaemon({ process: identity });
}
