import { sep } from "node:path";
import { claimDataFolder } from "../runtime/claim-data-folder.ts";
import { locateFolders, type Folders } from "../runtime/folders.ts";
import { ownCommand } from "../runtime/own-command.ts";
import { becomeWatchdog } from "../watchdog/become-watchdog.ts";
import { heartbeatModes, readWatchdogSettings, readWatchdogWorkdir } from "../watchdog/read-settings.ts";
import type { WatchdogSettings } from "../watchdog/watchdog-settings.ts";
import { UsageError, type Invocation } from "./command.ts";
import { chooseWorkdir } from "./open-runtime.ts";
import type { Terminal } from "./terminal.ts";

/** `deckhand watchdog [-- COMMAND…]`. The watchdog takes the place of this process, so this never resolves. */
export async function runWatchdogCommand(invocation: Invocation, terminal: Terminal): Promise<number> {
  const [program, ...args] = invocation.positionals;
  // Nothing named: the daemon, which beats.
  const command = program === undefined ? null : ([program, ...args] as const);
  const { env } = terminal;
  const workdir = invocation.value("workdir") ?? readWatchdogWorkdir(env) ?? chooseWorkdir(invocation, env);
  const folders = locateFolders(workdir, env);
  const settings = readWatchdogSettings(withMode(terminal, invocation, command), command ?? daemonCommand(), {
    workdir: folders.workdir,
    logFolder: folders.logs,
    stateFolder: folders.state,
  });
  claimIfUsed(folders, settings);
  return becomeWatchdog({ settings, asJson: invocation.has("json"), env });
}

function daemonCommand(): readonly [string, ...string[]] {
  return [...ownCommand(), "serve"];
}

function withMode({ env }: Terminal, invocation: Invocation, command: unknown): Terminal["env"] {
  const given = invocation.value("heartbeat");
  if (given !== undefined && !heartbeatModes.some((mode) => mode === given)) {
    throw new UsageError(`--heartbeat takes ${heartbeatModes.join(", ")}; got "${given}".`);
  }
  const mode = given ?? (command === null ? "required" : undefined);
  return mode === undefined ? env : { ...env, DECKHAND_WATCHDOG_HEARTBEAT: mode };
}

/** A data folder that is there before a runtime claimed it would be taken for a stranger's. */
function claimIfUsed(folders: Folders, { logFile, stopFile, pidFile }: WatchdogSettings): void {
  if ([logFile, stopFile, pidFile].some((path) => path.startsWith(folders.data + sep))) claimDataFolder(folders);
}
