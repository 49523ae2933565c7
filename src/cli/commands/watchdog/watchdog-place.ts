import { sep } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../../../core/errors.ts";
import { claimDataFolder } from "../../../records/claim-data-folder.ts";
import { locateFolders, type Folders } from "../../../config/folders.ts";
import { readWatchdogSettings, readWatchdogWorkdir } from "../../../watchdog/read-settings.ts";
import type { WatchdogSettings } from "../../../watchdog/watchdog-settings.ts";
import type { Invocation } from "../../parser/command.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** The watchdog of this command's workdir, as its settings say. Nothing is made. */
export function locateWatchdog(
  invocation: Invocation,
  env: Terminal["env"],
  command: readonly [string, ...string[]] = ["deckhand"],
): { readonly settings: WatchdogSettings; readonly folders: Folders } {
  const workdir = invocation.value("workdir") ?? readWatchdogWorkdir(env) ?? chooseWorkdir(invocation, env);
  const folders = locateFolders(workdir, env);
  const settings = readWatchdogSettings(env, command, {
    workdir: folders.workdir,
    logFolder: folders.logs,
    stateFolder: folders.state,
  });
  return { settings, folders };
}

/** A data folder that is there before a runtime claimed it would be taken for a stranger's. CONFIG_INVALID where none can be made. */
export function claimIfUsed(folders: Folders, { logFile, stopFile, pidFile }: WatchdogSettings): void {
  if (![logFile, stopFile, pidFile].some((path) => path.startsWith(folders.data + sep))) return;
  try {
    claimDataFolder(folders);
  } catch (thrown) {
    if (thrown instanceof RuntimeError) throw thrown;
    throw new RuntimeError(
      "CONFIG_INVALID",
      `The watchdog can't keep its files in ${folders.data} (${codeOf(thrown) ?? messageOf(thrown)}): make ${folders.workdir} writable, or name other places with WATCHDOG_LOG_FILE, WATCHDOG_STOP_FILE and WATCHDOG_PID_FILE.`,
      { cause: thrown },
    );
  }
}
