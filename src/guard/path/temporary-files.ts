import { opendir, stat, unlink } from "node:fs/promises";
import { codeOf } from "../../core/errors.ts";
import type { OpenFolder } from "./open-folder.ts";

/** The name says whose it is, so that what a killed process left behind can be told from what is in use. */
export function temporaryName(random: Buffer): string {
  return `.deckhand-${process.pid}-${random.toString("hex")}.tmp`;
}

const namePattern = /^\.deckhand-(\d{1,10})-[0-9a-f]{12}\.tmp$/;
/** The pid may belong to somebody else by now; no write takes this long. */
const longestWriteMs = 3_600_000;
const mostRemembered = 1000;
const cleaned = new Set<string>();

/**
 * Removes the temporary files of processes that are gone, once per folder and process: a folder with many files is
 * looked through only before the first write to it.
 */
export async function removeStaleTemporaries(folder: OpenFolder): Promise<void> {
  if (cleaned.has(folder.path)) return;
  if (cleaned.size >= mostRemembered) cleaned.clear();
  cleaned.add(folder.path);
  try {
    for await (const { name } of await opendir(folder.at("."), { bufferSize: 1024 })) {
      const pid = namePattern.exec(name)?.[1];
      if (pid !== undefined && (await isStale(folder.at(name), Number(pid)))) await unlink(folder.at(name));
    }
  } catch {
    // Tidying is a courtesy: it must not keep a write from being made.
  }
}

async function isStale(path: string, pid: number): Promise<boolean> {
  if (pid === process.pid) return false;
  if (!isAlive(pid)) return true;
  return Date.now() - (await stat(path)).mtimeMs > longestWriteMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== "ESRCH";
  }
}
