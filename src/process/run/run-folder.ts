import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { chmod, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import type { CommandExit } from "./run-request.ts";

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

/** `process.json`: all that another runtime needs to find, judge and end what was started here. */
export interface ProcessRecord {
  readonly kind: "command" | "peer" | "background";
  readonly executionId: string;
  readonly owner: ProcessIdentity;
  /** Null until it was started; a runtime killed in between left at most marked processes. */
  readonly child: ProcessIdentity | null;
  /** In a PID namespace of its own. */
  readonly contained: boolean;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly startedAt: number;
  /** Lives on when its owner ends. */
  readonly keep: boolean;
  readonly ownerSession: string | null;
  /** Missing names that were masked while it ran. Records of earlier versions do not say it. */
  readonly masks?: readonly string[];
  /** Missing names that must be missing afterwards as well. */
  readonly swept?: readonly string[];
  /** Places in writable folders that it can't swap for something else; left out when no sandbox holds it. */
  readonly pins?: readonly string[];
  readonly exit: CommandExit | null;
  readonly exitedAt: number | null;
  /** It was ended by us. Records of earlier versions do not say it. */
  readonly stopped?: boolean;
}

/** Replaces the file whole: a reader, or a kill -9 in the middle, never sees half of it. */
export function writeRecord(folder: string, record: ProcessRecord): void {
  const temporary = join(folder, "process.json.new");
  writeFileSync(temporary, `${JSON.stringify(toWire(record))}\n`, { mode: 0o600 });
  renameSync(temporary, join(folder, "process.json"));
}

/** Undefined when there is none yet, or when it is not one of ours. */
export function readRecord(folder: string): ProcessRecord | undefined {
  let value: unknown;
  try {
    value = fromWire(JSON.parse(readFileSync(join(folder, "process.json"), "utf8")));
  } catch {
    return undefined;
  }
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Partial<ProcessRecord>;
  return (
    typeof record.kind === "string" &&
    typeof record.executionId === "string" &&
    isIdentity(record.owner) &&
    (record.child === null || isIdentity(record.child))
  );
}

function isIdentity(value: ProcessIdentity | undefined): value is ProcessIdentity {
  return (
    typeof value === "object" &&
    value !== null &&
    Number.isSafeInteger(value.pid) &&
    typeof value.startTime === "string" &&
    typeof value.bootId === "string"
  );
}
