import { once } from "node:events";
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessIdentity } from "../../core/process.ts";
import { openLogWriter } from "./background-log.ts";
import { identify, isAlive } from "../stop/process-identity-check.ts";
import { openPipe } from "../run/output-pipe.ts";
import type { ProcessParts } from "../processes.ts";
import type { ProcessTable } from "../stop/process-table.ts";
import { spawnClean } from "../run/spawn-clean.ts";
import { wait } from "../stop/wait.ts";

/** What stands between a background process and its log. */
export interface BackgroundPipe {
  readonly path: string;
  /** What the process writes to; whoever spawns closes it, unless it is shared. */
  readonly forChild: number;
  readonly isShared: boolean;
  /** Resolves when everything that was written is in the log. To be called when nothing writes any more. */
  finish(): Promise<void>;
}

function backgroundPipePath(folder: string): string {
  return join(folder, "output.pipe");
}

/** Throws when this machine, or this file system, has no named pipes. */
export async function openBackgroundPipe(parts: ProcessParts, folder: string, keep: boolean): Promise<BackgroundPipe> {
  const path = backgroundPipePath(folder);
  if (!(await parts.pipes.place([path]))) throw new Error("no named pipe could be made in it with mkfifo");
  return keep ? keepLog(path, folder, parts) : writeLog(path, folder, parts);
}

/** This process lives as long as the other one. */
function writeLog(path: string, folder: string, { maxLogBytes, ticker }: ProcessParts): BackgroundPipe {
  const log = openLogWriter(folder, maxLogBytes);
  const pipe = openPipe(path, (bytes) => log.write(bytes));
  const remove = ticker.add(() => {
    pipe.keepBlocking();
    return 50;
  });
  let isOpen = true;
  return {
    path,
    forChild: pipe.forChild,
    isShared: true,
    async finish() {
      if (!isOpen) return;
      isOpen = false;
      remove();
      pipe.finish();
      log.close();
    },
  };
}

/** The other process outlives this one, so another program stays at its side; it is there before the process is started. */
async function keepLog(
  path: string,
  folder: string,
  { table, clock, maxLogBytes }: ProcessParts,
): Promise<BackgroundPipe> {
  // Both ways: should the keeper be killed, the process is not ended by SIGPIPE.
  const forChild = openSync(path, constants.O_RDWR);
  const input = openSync(path, constants.O_RDONLY);
  try {
    const keeper = spawnClean(process.execPath, [program(), folder, String(maxLogBytes)], {
      cwd: "/",
      env: {},
      stdio: [input, "ignore", "ignore"],
      detached: true,
    });
    let isGone = false;
    const gone = once(keeper, "exit")
      .catch(() => {})
      .then(() => void (isGone = true));
    keeper.unref();
    while (!isGone && !existsSync(join(folder, "output"))) await wait(clock, 5);
    if (isGone) throw new Error("what writes the log could not be started");
    const identity = identify(table, keeper.pid!);
    writeFileSync(join(folder, keeperFile), JSON.stringify(identity), { mode: 0o600 });
    return { path, forChild, isShared: false, finish: () => gone };
  } catch (thrown) {
    closeSync(forChild);
    throw thrown;
  } finally {
    closeSync(input);
  }
}

const keeperFile = "keeper.json";

function program(): string {
  const isBuilt = !basename(import.meta.url).endsWith(".ts");
  return fileURLToPath(new URL(isBuilt ? "./log-keeper.js" : "./log-keeper.ts", import.meta.url));
}

/** False while the keeper of a log still has something to read. */
export function isLogWhole(table: ProcessTable, folder: string): boolean {
  if (!existsSync(backgroundPipePath(folder))) return true;
  try {
    const keeper = JSON.parse(readFileSync(join(folder, keeperFile), "utf8")) as ProcessIdentity;
    return !isAlive(table, keeper);
  } catch {
    return true; // it has none: its owner writes the log
  }
}
