import { chmodSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, RuntimeError } from "../core/errors.ts";

/** A command's own folder inside the run folder. */
export interface Run {
  /** The execution's id, numbered when one execution runs several commands; also the value of the marker. */
  readonly name: string;
  readonly folder: string;
}

/** The variable that every process of a command inherits. */
export const markerName = "DECKHAND_EXECUTION";

export function markerOf(name: string): string {
  return `${markerName}=${name}`;
}

/**
 * Makes sure that the folder is there and ours alone: raw output of commands lives in it, and what stands there
 * decides which processes get a signal. Returns its real path.
 */
export function openRunFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  const problem = found.isSymbolicLink()
    ? "is a link"
    : !found.isDirectory()
      ? "is not a folder"
      : found.uid !== process.getuid?.()
        ? "belongs to another user"
        : (found.mode & 0o022) !== 0
          ? "can be written by others"
          : undefined;
  if (problem) {
    throw new RuntimeError(
      "CONFIG_INVALID",
      `The run folder must be a private folder of ours, but "${path}" ${problem}; remove it or choose another.`,
    );
  }
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return realpathSync(path);
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
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
