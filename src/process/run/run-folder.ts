import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { chmod, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";

/** A command's own folder inside the run folder. */
export interface Run {
  /** The execution's id, numbered when one execution runs several commands. */
  readonly name: string;
  readonly folder: string;
}

/** The variable that every process of a command inherits: its run's folder, which no other run on this machine has. */
export const markerName = "DECKHAND_RUN";

/** `folder`: the one that the run was started with; a reaper renames it. */
export function markerOf(folder: string): string {
  return `${markerName}=${folder}`;
}

/**
 * Makes sure that the folder is there and ours alone: raw output of commands lives in it, and what stands there
 * decides which processes get a signal. Returns its real path.
 */
export function openRunFolder(path: string): string {
  const problem = prepareFolder(path);
  if (problem === null) return realpathSync(path);
  const message = `The run folder must be a private folder of ours, but "${path}" ${problem}; remove it, or choose another with XDG_STATE_HOME.`;
  throw new RuntimeError("CONFIG_INVALID", message);
}

function prepareFolder(path: string): string | null {
  try {
    makeFolders(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") return `can't be made (${messageOf(thrown)})`;
  }
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return "is a link";
  if (!found.isDirectory()) return "is not a folder";
  if (found.uid !== process.getuid?.()) return "belongs to another user";
  if ((found.mode & 0o022) !== 0) return "can be written by others";
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return null;
}

/** Not `recursive: true`: where a folder can't have folders (/proc), Node tries that for ever. */
function makeFolders(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolders(parent);
  mkdirSync(path, { mode: 0o700 });
}

/** A new folder for one command; a second command of the same execution gets a numbered one. */
export function createRun(runFolder: string, executionId: string): Run {
  for (let number = 1; ; number++) {
    const name = number === 1 ? executionId : `${executionId}.${number}`;
    const folder = join(runFolder, name);
    try {
      mkdirSync(folder, { mode: 0o700 });
      return { name, folder };
    } catch (thrown) {
      if (codeOf(thrown) !== "EEXIST") throw thrown;
    }
  }
}

export async function removeRun(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EACCES") throw thrown;
    // What a command left in its /tmp may forbid its own removal, as Go's module cache does.
    await openFolders(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openFolders(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await openFolders(join(folder, entry.name));
    }
  } catch {
    // The first removal is still busy with the others, and was quicker here.
  }
}
