import { once } from "node:events";
import type { Clock } from "../../core/clock.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { spawnClean } from "../../process/run/spawn-clean.ts";
import { identify } from "../../process/stop/process-identity-check.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { signalGroups } from "../../process/stop/send-signal.ts";
import { settlesWithin, wait } from "../../process/stop/wait.ts";
import type { WatchdogEnvironment } from "../read-settings.ts";
import type { WhenItHappens } from "../restart-reason.ts";
import type { WatchdogSettings } from "../watchdog-settings.ts";
import { heartbeatFile } from "./heartbeat.ts";
import { usualBeatMs } from "./start-heartbeat.ts";

type ChildProcess = ReturnType<typeof spawnClean>;

export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type StartedChild =
  | { readonly started: true; readonly identity: ProcessIdentity; readonly ended: Promise<ChildExit> }
  /** As a shell says it: 127 not found, 126 not to be executed. */
  | { readonly started: false; readonly exitCode: 126 | 127; readonly message: string };

export interface StartOptions {
  readonly command: readonly [string, ...string[]];
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** In a session of its own: a Ctrl-C for the watchdog is not one for the child, and its group can be signalled. */
export async function startChild(
  { command, workdir, env, onOutput }: StartOptions,
  { table, clock }: { readonly table: ProcessTable; readonly clock: Clock },
): Promise<StartedChild> {
  const [program, ...args] = command;
  let child: ChildProcess;
  try {
    child = spawnClean(program, args, { cwd: workdir, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  } catch (thrown) {
    return notStarted(program, workdir, thrown);
  }
  if (child.pid === undefined) {
    const [thrown] = (await once(child, "error")) as [unknown];
    return notStarted(program, workdir, thrown);
  }
  const { pid } = child;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", onOutput);
    stream?.on("error", () => undefined); // the end of the process tells the rest
  }
  child.on("error", () => undefined);
  // It is at least a zombie until the event loop turns, so it can be looked at.
  const identity = identify(table, pid) ?? { pid, startTime: "0", bootId: table.bootId };
  return { started: true, identity, ended: follow(child, clock) };
}

/** A process that outlives the child may hold its output open: it is still logged, but not waited for. */
async function follow(child: ChildProcess, clock: Clock): Promise<ChildExit> {
  const closed = once(child, "close");
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  await settlesWithin(clock, closed, drainMs);
  return { exitCode, signal };
}

const drainMs = 300;

function notStarted(program: string, workdir: string, thrown: unknown): StartedChild {
  const code = codeOf(thrown);
  const why =
    code === "ENOENT"
      ? `the program, or the folder ${workdir}, does not exist`
      : code === "EACCES"
        ? "it may not be executed; check its mode"
        : messageOf(thrown);
  const exitCode = code === "EACCES" ? 126 : 127;
  return { started: false, exitCode, message: `"${program}" could not be started: ${why}` };
}

/** Names one start, so that the next watchdog finds what came of it when this one is killed before it can write that down. */
export const startVariable = "DECKHAND_WATCHDOG_START";

/** How often it is to beat, in seconds: one late beat is no hang. */
export const beatVariable = "DECKHAND_WATCHDOG_BEAT_SECONDS";
const beatsBeforeHang = 4;

/** What the child finds in its environment besides the person's own variables. */
export function childEnvironment(
  env: WatchdogEnvironment,
  {
    settings,
    safeMode,
    mark,
  }: { readonly settings: WatchdogSettings; readonly safeMode: boolean; readonly mark: string },
): WatchdogEnvironment {
  return {
    ...env,
    AGENT_MODE: "daemon",
    DECKHAND_WORKDIR: settings.workdir,
    DECKHAND_WATCHDOG_HEARTBEAT_FILE: heartbeatFile(settings.stateFolder),
    [beatVariable]: String(Math.min(usualBeatMs, settings.hangMs / beatsBeforeHang) / 1000),
    [startVariable]: mark,
    DECKHAND_SAFE_MODE: safeMode ? "1" : env["DECKHAND_SAFE_MODE"],
  };
}

/**
 * Signals what runs in the child's own process group. A process that left it for a session of its own, as every detached
 * task does, gets nothing, and neither does a stranger who has the child's number by now. Says whether anybody was there.
 */
export function signalChild(table: ProcessTable, child: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!runsInGroup(table, child)) return false;
  signalGroups(table, [child.pid], signal);
  return true;
}

export interface StopPath {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly graceMs: number;
  /** When nobody wants to wait for the grace to be over. */
  readonly whenInsisted: WhenItHappens;
}

/** SIGTERM, then SIGKILL. Resolves when nothing of the group runs any more. */
export async function endGroup(child: ProcessIdentity, path: StopPath): Promise<void> {
  const { table, clock, graceMs } = path;
  let isInsisted = false;
  const forget = path.whenInsisted(() => {
    isInsisted = true;
  });
  signalChild(table, child, "SIGTERM");
  // One that is held takes no SIGTERM before it goes on.
  signalChild(table, child, "SIGCONT");
  const began = clock.monotonic();
  while (runsInGroup(table, child)) {
    if (isInsisted || clock.monotonic() - began >= graceMs) signalChild(table, child, "SIGKILL");
    await wait(clock, lookEveryMs);
  }
  forget();
}

const lookEveryMs = 25;

function runsInGroup(table: ProcessTable, { pid, startTime, bootId }: ProcessIdentity): boolean {
  if (bootId !== table.bootId) return false;
  const leader = table.find(pid);
  if (leader) {
    if (leader.startTime !== startTime) return false;
    if (leader.alive) return true;
  }
  return table.processIds().some((each) => {
    const entry = table.find(each);
    return entry?.alive === true && entry.groupId === pid;
  });
}
