import { resolve } from "node:path";
import { ownCommand } from "../../../process/own-command.ts";
import { becomeWatchdog } from "../../../watchdog/exec-watchdog.ts";
import { checkForDaemon, heartbeatModes } from "../../../watchdog/read-settings.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { claimIfUsed, locateWatchdog } from "./watchdog-place.ts";

/** `deckhand watchdog [-- COMMAND…]`. The watchdog takes the place of this process, so this never resolves. */
export async function runWatchdogCommand(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [program, ...args] = invocation.positionals;
  // Nothing named: the daemon, which beats.
  return program === undefined
    ? watchDaemon(invocation, terminal)
    : watch(invocation, terminal, { command: [program, ...args], isDaemon: false });
}

/** `deckhand serve`, as it was asked for, and started again when it crashes or hangs. Never resolves either. */
export async function watchDaemon(invocation: Invocation, terminal: Terminal): Promise<never> {
  const command = [...ownProgram(), "serve", ...serveArguments(invocation)] as const;
  return watch(invocation, terminal, { command, isDaemon: true });
}

/** What `serve` is told; not where it works, which its environment says, and not what is told on a terminal. */
export function serveArguments(invocation: Invocation): string[] {
  const socket = invocation.value("socket");
  return [
    ...["port", "store"].flatMap((name) => invocation.values(name).map((value) => `--${name}=${value}`)),
    // It runs in the workdir, which need not be the folder that the person is in.
    ...(socket === undefined ? [] : [`--socket=${resolve(socket)}`]),
    ...["expose", "inbox"].filter((name) => invocation.has(name)).map((name) => `--${name}`),
  ];
}

interface Watched {
  readonly command: readonly [string, ...string[]];
  /** It beats. */
  readonly isDaemon: boolean;
}

function watch(invocation: Invocation, { env }: Terminal, { command, isDaemon }: Watched): never {
  const given = invocation.value("heartbeat");
  if (given !== undefined && !heartbeatModes.some((each) => each === given)) {
    throw new UsageError(`--heartbeat takes ${heartbeatModes.join(", ")}; got "${given}".`);
  }
  const known =
    given === undefined ? withUsualHeartbeat(env, isDaemon) : { ...env, DECKHAND_WATCHDOG_HEARTBEAT: given };
  const { settings, folders } = locateWatchdog(invocation, known, command);
  if (isDaemon) checkForDaemon(known, settings);
  claimIfUsed(folders, settings);
  return becomeWatchdog({ settings, asJson: invocation.has("json"), env });
}

/** What the environment says wins. */
function withUsualHeartbeat(env: Terminal["env"], isDaemon: boolean): Terminal["env"] {
  return !isDaemon || env["WATCHDOG_HEARTBEAT"]?.trim() ? env : { ...env, WATCHDOG_HEARTBEAT: "required" };
}

/** How this very program is started again: straight from its sources when it was, else by the package's launcher. */
function ownProgram(): readonly [string, ...string[]] {
  const started = process.argv[1];
  if (!import.meta.url.endsWith(".ts") || started === undefined) return ownCommand();
  return [process.execPath, ...process.execArgv, started];
}
