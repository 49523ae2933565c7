import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../core/errors.ts";
import type { Environment } from "./load-configuration.ts";

export interface Folders {
  /** The real path of the workdir. */
  readonly workdir: string;
  /** `.deckhand` in the workdir: store, outputs, logs. */
  readonly data: string;
  readonly database: string;
  readonly outputs: string;
  /** The person's own, outside the workdir: raw output and facts of running processes. */
  readonly run: string;
}

export function locateFolders(workdir: string, env: Environment): Folders {
  const real = realWorkdir(workdir);
  const data = join(real, ".deckhand");
  const stateHome = baseFolder(env, "XDG_STATE_HOME", ".local/state");
  const state = join(stateHome, "deckhand", createHash("sha256").update(real).digest("hex").slice(0, 16));
  return {
    workdir: real,
    data,
    database: join(data, "deckhand.db"),
    outputs: join(data, "outputs"),
    run: join(state, "run"),
  };
}

/** One of the person's own base folders. The specification says that a relative one is to be ignored. */
export function baseFolder(env: Environment, variable: string, belowHome: string): string {
  const named = env[variable];
  return named && isAbsolute(named) ? named : join(env["HOME"] || homedir(), belowHome);
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

/** Private, and invisible to git without touching the project's own ignore file. */
export function ensureDataFolder(folders: Folders): void {
  // Not `recursive: true`: where a folder can't have folders (/proc), Node tries that for ever.
  unlessThere(() => mkdirSync(folders.data, { mode: 0o700 }));
  unlessThere(() => writeFileSync(join(folders.data, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }));
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}
