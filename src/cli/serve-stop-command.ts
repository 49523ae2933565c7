import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../core/clock.ts";
import type { ProcessIdentity } from "../core/process-identity.ts";
import { findDaemon, findStartingDaemon, isDaemonAlive, signalDaemon } from "../runtime/daemon-place.ts";
import { stopWatchdog } from "../watchdog/stop-watchdog.ts";
import type { Invocation } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import { askDaemon, lookForDaemon, tellNone, type ServeView } from "./serve-client.ts";
import type { Terminal } from "./terminal.ts";
import { locateWatchdog } from "./watchdog-place.ts";

/** Stopping calls with proof takes its time. */
const patienceMs = 60_000;
const startPatienceMs = 5000;
const lookEveryMs = 50;

/** `deckhand serve stop`: an orderly end, after which a watchdog does not start it again. Resolves when its process is gone. */
export async function runServeStop(invocation: Invocation, terminal: Terminal): Promise<number> {
  const view = lookForDaemon(invocation, terminal);
  if (view.daemon) return stop(view, view.daemon.process, { invocation, terminal });
  // A watchdog may be about to start one.
  const { result } = await stopWatchdog(locateWatchdog(invocation, terminal.env).settings, systemClock);
  const isStopped = result === "stopped";
  const starting = isStopped ? null : findStartingDaemon(view.folders.state);
  if (starting) {
    terminal.tell(`The daemon (process ${starting.pid}) is just starting; it is stopped as soon as it answers.`);
    const started = await waitForStart(view, starting);
    return stop(started, started.daemon?.process ?? starting, { invocation, terminal });
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

async function stop(
  view: ServeView,
  identity: ProcessIdentity,
  { invocation, terminal }: { readonly invocation: Invocation; readonly terminal: Terminal },
): Promise<number> {
  const { pid } = identity;
  const isRunning = (): boolean => isDaemonAlive({ process: identity });
  if (view.daemon) await askDaemon(view, view.daemon, { method: "POST", path: "/api/stop" });
  else signalDaemon({ process: identity });
  terminal.status("Stopping…");
  const until = performance.now() + patienceMs;
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
