import { setTimeout as pause } from "node:timers/promises";
import { findDaemon, isDaemonAlive, type DaemonFacts } from "../../../daemon/daemon-place.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { askDaemon, lookForDaemon, tellNone, type ServeView } from "./serve-client.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** For the end with its proof, and for the start with its recovery. */
const patienceMs = 120_000;
const lookEveryMs = 50;

/** `deckhand serve restart`: resolves when the one that the watchdog started is ready. */
export async function runServeRestart(invocation: Invocation, terminal: Terminal): Promise<number> {
  const view = lookForDaemon(invocation, terminal);
  const { daemon } = view;
  if (!daemon) {
    tellNone(view, terminal);
    return exitCode.failed;
  }
  const { status } = await askDaemon(view, daemon, { method: "POST", path: "/api/restart" });
  if (status !== 202) {
    const why =
      status === 409
        ? "No watchdog is there to start this daemon again"
        : `The daemon at ${daemon.url} answers with status ${status}`;
    terminal.tell(
      `deckhand: ${why}: stop it with \`deckhand serve stop\` and start it as before; a service: \`systemctl --user restart deckhand-NAME\`.`,
    );
    return exitCode.failed;
  }
  terminal.status("Restarting…");
  const next = await waitForNext(view, daemon);
  terminal.status(null);
  if (!next) {
    const what = isDaemonAlive(daemon) ? "has not ended yet" : "has ended, and no other one is ready yet";
    terminal.tell(
      `deckhand: Process ${daemon.process.pid} was told to restart and ${what}; see \`deckhand watchdog status\`.`,
    );
    return exitCode.failed;
  }
  const { url, process: identity } = next;
  if (invocation.has("json")) terminal.printJson({ restarted: true, url, pid: identity.pid });
  else terminal.print(`Ready again: ${url}, process ${identity.pid}. Background agents went on.\n`);
  return exitCode.done;
}

async function waitForNext({ folders }: ServeView, last: DaemonFacts): Promise<DaemonFacts | null> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const daemon = isDaemonAlive(last) ? null : findDaemon(folders.state);
    if (daemon && (await isReady({ folders, daemon }, daemon))) return daemon;
    await pause(lookEveryMs);
  }
  return null;
}

async function isReady(view: ServeView, daemon: DaemonFacts): Promise<boolean> {
  try {
    return (await askDaemon(view, daemon, { method: "GET", path: "/readyz" })).status === 200;
  } catch {
    return false; // It has ended again; the watchdog starts another one.
  }
}
