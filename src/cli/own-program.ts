import { ownCommand } from "../process/own-command.ts";

/** How this very program is started again: straight from its sources when it was, else by the package's launcher. */
export function ownProgram(): readonly [string, ...string[]] {
  const started = process.argv[1];
  if (!import.meta.url.endsWith(".ts") || started === undefined) return ownCommand();
  return [process.execPath, ...process.execArgv, started];
}
