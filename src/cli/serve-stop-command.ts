import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../core/clock.ts";
import { isDaemonAlive } from "../runtime/daemon-place.ts";
import { stopWatchdog } from "../watchdog/stop-watchdog.ts";
import type { Invocation } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import { askDaemon, lookForDaemon, tellNone } from "./serve-client.ts";
import type { Terminal } from "./terminal.ts";
import { locateWatchdog } from "./watchdog-place.ts";

/** Stopping calls with proof takes its time. */
const patienceMs = 60_000;
const lookEveryMs = 50;

/** `deckhand serve stop`: an orderly end, after which a watchdog does not start it again. Resolves when its process is gone. */
export async function runServeStop(invocation: Invocation, terminal: Terminal): Promise<number> {
  const view = lookForDaemon(invocation, terminal);
  const { daemon } = view;
  if (!daemon) {
    // A watchdog may be about to start one.
    const { result } = await stopWatchdog(locateWatchdog(invocation, terminal.env).settings, systemClock);
    const isStopped = result === "stopped";
    if (invocation.has("json")) terminal.printJson({ stopped: isStopped, running: false });
    else if (isStopped) terminal.print("The watchdog was stopped before it started another daemon.\n");
    else tellNone(view, terminal);
    return isStopped ? exitCode.done : exitCode.failed;
  }
  const { pid } = daemon.process;
  await askDaemon(view, daemon, { method: "POST", path: "/api/stop" });
  terminal.status("Stopping…");
  const until = performance.now() + patienceMs;
  while (isDaemonAlive(daemon) && performance.now() < until) await pause(lookEveryMs);
  terminal.status(null);
  const isStopped = !isDaemonAlive(daemon);
  if (invocation.has("json")) terminal.printJson({ stopped: isStopped, running: !isStopped, pid });
  else if (isStopped) terminal.print(`Stopped. Background agents go on; the next daemon watches them again.\n`);
  else
    terminal.tell(
      `deckhand: Process ${pid} was told to stop and still runs; kill -9 ${pid} ends it, and the next daemon recovers.`,
    );
  return isStopped ? exitCode.done : exitCode.failed;
}
