import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";
import type { Configuration } from "./configuration.ts";
import { foldName, isWithin, namesBetween } from "../guard/path/path-name.ts";
import { passesSecretPlace } from "../guard/path/secret-places.ts";
import type { Environment } from "../core/process.ts";

export interface Folders {
  /** The real path of the workdir. */
  readonly workdir: string;
  /** `.deckhand` in the workdir: store, outputs, logs. */
  readonly data: string;
  readonly database: string;
  readonly outputs: string;
  readonly logs: string;
  /** The person's own, outside the workdir, for all workdirs. No tool may see it. */
  readonly stateHome: string;
  /** The same for this workdir: grants, trust, and `run`. */
  readonly state: string;
  /** Raw output and facts of running processes. */
  readonly run: string;
  readonly grants: string;
  readonly trust: string;
  readonly quarantine: string;
  /** What the person declined to trust when asked in place. */
  readonly declined: string;
  /** What the person wants agents to remember of this workdir. */
  readonly lessons: string;
  /** Tells this person's data folders from those that came with a repository. */
  readonly ownerId: string;
  /** Makes the marks that stand for secrets. */
  readonly maskKey: string;
}

/** Throws WORKDIR_INVALID for a folder that is missing, or that no tool may work in. */
export function locateFolders(workdir: string, env: Environment): Folders {
  const real = realWorkdir(workdir);
  const why = whyNoWorkdir(real, realIfAny(stateHomeOf(env)));
  if (why !== undefined) {
    throw new RuntimeError("WORKDIR_INVALID", `The workdir ${workdir} ${why}; name the folder of a project.`);
  }
  const data = join(real, ".deckhand");
  const stateHome = stateHomeOf(env);
  const state = join(stateHome, createHash("sha256").update(real).digest("hex").slice(0, 16));
  return {
    workdir: real,
    data,
    database: join(data, "deckhand.db"),
    outputs: join(data, "outputs"),
    logs: join(data, "logs"),
    stateHome,
    state,
    run: join(state, "run"),
    grants: join(state, "grants.jsonl"),
    trust: join(state, "trust.json"),
    quarantine: join(state, "quarantine.json"),
    declined: join(state, "trust-declined"),
    lessons: join(state, "lessons.md"),
    ownerId: join(stateHome, "owner-id"),
    maskKey: join(stateHome, "mask-key"),
  };
}

/**
 * Why no tool may work in this folder (absolute, without links), as the end of a sentence; undefined when one may. In a workdir
 * commands write freely, and what is written in these folders is obeyed by git, by programs that log in, or by Deckhand.
 */
export function whyNoWorkdir(folder: string, stateHome: string): string | undefined {
  if (isWithin(stateHome, folder)) return "lies inside Deckhand's own state folder";
  const names = namesBetween("/", folder).map(foldName);
  const closed = closedFolders.find((name) => names.includes(name));
  if (closed !== undefined) return `lies inside a folder ${closed}`;
  return passesSecretPlace(names) ? "lies where programs keep keys and tokens" : undefined;
}

const closedFolders = [".git", ".deckhand", ".ssh", ".gnupg"];

/** The project whose records are read and written in a database that several share. */
export function scopeOf({ store }: Pick<Configuration, "store">, { workdir }: Folders): string {
  return store.scope ?? workdir;
}

/** One of the person's own base folders. The specification says that a relative one is to be ignored. */
function baseFolder(env: Environment, variable: string, belowHome: string): string {
  const named = env[variable];
  return named && isAbsolute(named) ? named : join(env["HOME"] || homedir(), belowHome);
}

function stateHomeOf(env: Environment): string {
  return join(baseFolder(env, "XDG_STATE_HOME", ".local/state"), "deckhand");
}

function realIfAny(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The person's own settings. */
export function userFile(env: Environment): string {
  return join(baseFolder(env, "XDG_CONFIG_HOME", ".config"), "deckhand", "deckhand.json");
}

function realWorkdir(workdir: string): string {
  let real: string;
  try {
    real = realpathSync(resolve(workdir));
    if (statSync(real).isDirectory()) return real;
  } catch (thrown) {
    const why = codeOf(thrown) === "ENOENT" ? "does not exist" : `can't be used (${messageOf(thrown)})`;
    throw new RuntimeError("WORKDIR_INVALID", `The workdir ${workdir} ${why}; name a folder that exists.`, {
      cause: thrown,
    });
  }
  throw new RuntimeError("WORKDIR_INVALID", `The workdir ${workdir} is not a folder; name one.`);
}
