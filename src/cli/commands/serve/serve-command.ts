import { dirname } from "node:path";
import { locateFolders } from "../../../config/folders.ts";
import { systemClock } from "../../../core/clock.ts";
import { codeOf, messageOf } from "../../../core/errors.ts";
import type { FindCrashLoop } from "../../../core/stores.ts";
import { openSecretLink } from "../../../daemon/open-secret-link.ts";
import { startDaemon, type Daemon } from "../../../daemon/start-daemon.ts";
import type { ListenPlace } from "../../../http/listen.ts";
import { openJournalReader } from "../../../records/audit-log/log-reader.ts";
import { beatVariable } from "../../../watchdog/child/start-child.ts";
import { startHeartbeat, type Heartbeat } from "../../../watchdog/child/start-heartbeat.ts";
import { crashFolder, findCrashLoop, readCrashRecords } from "../../../watchdog/records/crash-records.ts";
import { chooseWorkdir, openRuntime, tellWarnings } from "../../open-runtime.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import { readPlace } from "./serve-place.ts";

const usualPort = 7433;

/** `deckhand serve`: until somebody stops it. */
export async function runServe(invocation: Invocation, terminal: Terminal): Promise<number> {
  const place = readPlace(invocation);
  if (invocation.has("inbox")) refuseInsideCall(terminal);
  if (invocation.has("watchdog")) {
    if (invocation.has("open")) {
      throw new UsageError(
        "--open does not go with --watchdog, whose daemon may start many times: leave it out, then `deckhand serve open`.",
      );
    }
    return (await import("../watchdog/watchdog-command.ts")).watchDaemon(invocation, terminal);
  }
  const { promise: signalled, resolve: stop } = Promise.withResolvers<void>();
  const watched = readWatched(terminal.env);
  // A watchdog hands on every signal as SIGTERM, and asks for the stack of one that hangs by SIGINT.
  const watch = watchSignals(terminal, () => stop(), watched ? ["SIGTERM", "SIGHUP"] : undefined);
  const listenAgain = ignoreOtherSignals();
  const heartbeat = watched?.beat();
  let order: "stop" | "restart" = "stop";
  try {
    const daemon = await start(place, invocation, terminal);
    try {
      const runtime = await Promise.race([daemon.ready, signalled, daemon.stopOrdered.then(() => undefined)]);
      if (runtime) {
        tellWarnings(runtime, terminal);
        await tellPlace(daemon, invocation, terminal);
        heartbeat?.ready();
      }
      order = (await Promise.race([signalled, daemon.stopOrdered])) ?? "stop";
    } finally {
      // It was told to end: a watchdog must not start it again because its last record could not be kept.
      await daemon.close().catch((thrown: unknown) => terminal.tell(`deckhand: ${messageOf(thrown)}`));
    }
    if (watch.signal) return codeOfSignal[watch.signal];
    return order === "restart" ? exitCode.restart : exitCode.done;
  } catch (thrown) {
    terminal.tell(`deckhand: ${messageOf(thrown)}`);
    if (isPortTaken(thrown) || codeOf(thrown) === "DAEMON_RUNNING") return watched ? exitCode.inUse : exitCode.failed;
    return isWrongForGood(thrown) ? exitCode.configuration : exitCode.failed;
  } finally {
    heartbeat?.end();
    listenAgain();
    watch.end();
  }
}

/**
 * SIGUSR1 makes Node open its debugger to every program on this machine, SIGUSR2 would end the daemon, and whoever sends either,
 * to turn over a log perhaps, wants neither.
 */
function ignoreOtherSignals(): () => void {
  const signals = ["SIGUSR1", "SIGUSR2"] as const;
  const ignore = (): void => undefined;
  for (const signal of signals) process.on(signal, ignore);
  return () => {
    for (const signal of signals) process.off(signal, ignore);
  };
}

async function start(place: ListenPlace | null, invocation: Invocation, terminal: Terminal): Promise<Daemon> {
  const { env } = terminal;
  const { workdir, state } = locateFolders(chooseWorkdir(invocation, env), env);
  const watched = readWatched(env);
  const parts = {
    workdir,
    stateFolder: state,
    openRuntime: () =>
      openRuntime(invocation, terminal, {
        defaults: { permissions: { unattended: "inbox" } },
        ...(watched && { findCrashLoop: watched.findCrashLoop }),
      }),
    journal: openJournalReader(workdir, env),
    clock: systemClock,
    exposesTools: invocation.has("expose"),
    offersInbox: invocation.has("inbox"),
    isWatched: watched !== undefined,
    tell: (sentence: string): void => terminal.tell(`deckhand: ${sentence}`),
  };
  try {
    return await startDaemon({ ...parts, listen: place ?? { port: usualPort } });
  } catch (thrown) {
    if (place !== null || !isPortTaken(thrown)) throw thrown;
    terminal.tell(`deckhand: port ${usualPort} is taken; another one is used.`);
    return startDaemon({ ...parts, listen: { port: 0 } });
  }
}

async function tellPlace(daemon: Daemon, invocation: Invocation, terminal: Terminal): Promise<void> {
  const { url, pid, workdir } = daemon.status();
  if (invocation.has("json")) terminal.printJsonLine({ type: "ready", url, pid });
  else terminal.tell(`The daemon runs at ${url} (process ${pid}).`);
  if (!terminal.isInteractive && !invocation.has("open")) return;
  const link = daemon.createLoginLink();
  if (link === null) return;
  const { state } = locateFolders(workdir, terminal.env);
  if (invocation.has("open") && (await openSecretLink(link, state, terminal.env))) return;
  terminal.tell(`Dashboard, within a minute: ${link}\nLater: deckhand serve open. Ctrl-C stops the daemon.`);
}

function isPortTaken(thrown: unknown): boolean {
  return thrown instanceof Error && codeOf(thrown.cause) === "EADDRINUSE";
}

/** What a daemon does for the watchdog that started it. */
interface Watched {
  /** Looks into the watchdog's crash records. */
  readonly findCrashLoop: FindCrashLoop;
  /** From now on its event loop is to turn; say when it is ready, and when that ends. */
  beat(): Heartbeat;
}

/** Undefined when no watchdog started this process. */
function readWatched(env: Terminal["env"]): Watched | undefined {
  const file = env["DECKHAND_WATCHDOG_HEARTBEAT_FILE"];
  if (!file) return undefined;
  return {
    findCrashLoop: (promotions) =>
      findCrashLoop(readCrashRecords(crashFolder(dirname(file))), promotions, systemClock.now()),
    beat: () => startHeartbeat(file, systemClock, readBeatMs(env)),
  };
}

function readBeatMs(env: Terminal["env"]): number | undefined {
  const seconds = Number(env[beatVariable]);
  return seconds > 0 ? seconds * 1000 : undefined;
}

/** Whether it would be the same after a restart, until a person changes something. */
function isWrongForGood(thrown: unknown): boolean {
  return thrown instanceof UsageError || forGood.has(codeOf(thrown) ?? "");
}

const forGood = new Set(["CONFIG_INVALID", "WORKDIR_INVALID"]);
