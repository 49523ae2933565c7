import { dirname, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { messageOf, RuntimeError } from "../core/errors.ts";
import type { ServerLimits } from "../http/create-server.ts";
import type { ListenPlace } from "../http/listen.ts";
import { findDaemon, publishDaemon, takeDaemonPlace, withdrawDaemon } from "./daemon-place.ts";
import type { JournalReader } from "../records/audit-log/log-reader.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { version } from "../config/version.ts";
import { apiRoutes } from "./api/routes.ts";
import { daemonLogName, openDaemonLog, type DaemonLog } from "./daemon-log.ts";
import { openDaemonServer, type DaemonServer } from "./server/daemon-server.ts";
import { type ApiParts, type DaemonStatus, endpointOf } from "./server/route.ts";
import { openServices, type Services } from "./open-services.ts";
import type { DaemonState } from "./server/own-endpoints.ts";

export interface DaemonParts {
  readonly workdir: string;
  /** The person's own folder about this workdir. */
  readonly stateFolder: string;
  readonly listen: ListenPlace;
  /** Asked for when the place is taken and the server answers; it recovers what was left behind. */
  readonly openRuntime: () => Promise<Runtime>;
  readonly journal: JournalReader;
  readonly clock: Clock;
  /** MCP clients get the catalog's own tools, too. */
  readonly exposesTools: boolean;
  /** MCP clients see the inbox, and pass on answers to questions in it. */
  readonly offersInbox: boolean;
  readonly isWatched: boolean;
  /** What a person who looks after it should know, in sentences. */
  readonly tell: (sentence: string) => void;
  readonly limits?: Partial<ServerLimits>;
}

export interface Daemon {
  /** `http://127.0.0.1:PORT`, or `unix:PATH`. */
  readonly url: string;
  status(): DaemonStatus;
  /** Where a browser logs in, once and within a minute; null over a socket, which browsers can't use. */
  createLoginLink(): string | null;
  /** Resolves when all is recovered, adopted, scanned and scheduled; rejects when the runtime can't be opened. */
  readonly ready: Promise<Runtime>;
  /** Resolves when somebody ordered it to stop, also to be started again, or another daemon has taken its place. */
  readonly stopOrdered: Promise<"stop" | "restart">;
  /** Streams end, calls are cancelled with proof; background agents go on, for the next one to adopt. */
  close(): Promise<void>;
}

/** How often it is made sure that the place is still ours. */
const holdEveryMs = 5000;
const probeEveryMs = 1000;

/** Rejects with DAEMON_RUNNING when this workdir has one, CONFIG_INVALID when it can't listen or a token file is not private. */
export async function startDaemon(parts: DaemonParts): Promise<Daemon> {
  const { stateFolder, clock, journal } = parts;
  const lock = takeDaemonPlace(stateFolder);
  if (!lock.taken) throw alreadyRunning(stateFolder, lock.holderPid);
  const startedAt = clock.now();
  const stopOrdered = Promise.withResolvers<"stop" | "restart">();
  const parentPid = process.ppid;
  const onError = (thrown: unknown): void => tell(messageOf(thrown));
  let state: DaemonState = "starting";
  let runtime: Runtime | undefined;
  let services: Services | undefined;
  let log: DaemonLog | undefined;

  function tell(sentence: string): void {
    const masked = runtime?.maskText(sentence) ?? sentence;
    parts.tell(masked);
    log?.write(masked);
  }

  function status(): DaemonStatus {
    return {
      version,
      workdir: parts.workdir,
      pid: process.pid,
      startedAt,
      url: server.url,
      isReady: state === "ready",
      isSafeMode: runtime?.isSafeMode ?? false,
      isWatched: parts.isWatched,
    };
  }

  function restart(): boolean {
    // A watchdog that was killed has left this process to another parent, which starts nothing.
    if (!parts.isWatched || process.ppid !== parentPid) return false;
    stopOrdered.resolve("restart");
    return true;
  }

  /** Anybody may ask, as often as they like: one answer is good for a second. */
  let found: { readonly at: number; readonly problem: Promise<string | null> } | undefined;
  function findWriteProblem(): Promise<string | null> {
    const now = clock.monotonic();
    if (!found || now - found.at >= probeEveryMs) {
      const problem = runtime?.findWriteProblem() ?? Promise.resolve(null);
      found = { at: now, problem: problem.catch(messageOf) };
    }
    return found.problem;
  }

  const apiParts = (): ApiParts => ({
    runtime: runtime!,
    journal,
    outputs: services!.outputs,
    status,
    findWriteProblem,
  });
  const server: DaemonServer = await openDaemonServer({
    stateFolder,
    listen: parts.listen,
    limits: parts.limits ?? {},
    clock,
    endpoints: apiRoutes.map((route) => endpointOf(route, apiParts)),
    state: () => state,
    findWriteProblem,
    hub: () => services!.hub,
    recheckStreams: () => services?.hub.recheck(),
    mcp: () => services!.mcp,
    stop: () => stopOrdered.resolve("stop"),
    restart,
    mask: (text) => runtime?.maskText(text) ?? text,
    onError,
  }).catch((thrown: unknown) => {
    lock.release();
    throw thrown;
  });

  async function begin(): Promise<Runtime> {
    runtime = await parts.openRuntime();
    log = openDaemonLog(join(dirname(journal.path), daemonLogName), clock);
    log.write(`Started at ${server.url}, version ${version}.`);
    for (const event of ["ledger:failed", "schedule:failed", "listener:failed"] as const) {
      runtime.on(event, ({ error }) => tell(error));
    }
    const { identity } = runtime.processes;
    publishDaemon(stateFolder, { url: server.url, process: identity, startedAt, version });
    services = await openServices({ ...parts, runtime, onError });
    for (const warning of runtime.warnings) log.write(runtime.maskText(`Warning: ${warning}`));
    if (state === "starting") state = "ready";
    log.write("Ready.");
    return runtime;
  }

  const ready = begin();
  // Whoever waits for it is told; nobody has to.
  ready.catch(() => undefined);
  let cancelHold = clock.after(holdEveryMs, hold);

  function hold(): void {
    cancelHold = clock.after(holdEveryMs, hold);
    if (lock.taken && !lock.hold()) stopOrdered.resolve("stop");
  }

  async function close(): Promise<void> {
    state = "stopping";
    log?.write("Stopping.");
    cancelHold();
    server.abortAll();
    await ready.catch(() => undefined);
    try {
      // Its own close would not come when it could not begin.
      await (services ? services.close() : runtime?.close());
    } finally {
      // Whatever failed, such as a last record on a full disk: nobody is served here any more.
      await server.close();
      log?.write("Stopped.");
      withdrawDaemon(stateFolder);
      if (lock.taken) lock.release();
    }
  }

  let closing: Promise<void> | undefined;
  return {
    url: server.url,
    status,
    createLoginLink: () => server.createLoginLink(),
    ready,
    stopOrdered: stopOrdered.promise,
    close: () => (closing ??= close()),
  };
}

function alreadyRunning(stateFolder: string, pid: number): RuntimeError {
  const url = findDaemon(stateFolder)?.url;
  const where = url === undefined ? "it is just starting" : `at ${url}`;
  return new RuntimeError(
    "DAEMON_RUNNING",
    `A daemon runs for this workdir already: process ${pid}, ${where}. See \`deckhand serve status\`; \`deckhand serve stop\` stops it.`,
  );
}
