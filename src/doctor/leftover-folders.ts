import { lstatSync, readdirSync, rmdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../core/process.ts";

/*
 * Version 0.1.0 made an empty folder for each missing name that it wanted to hide, also in the person's home folder when that was
 * the workspace, and could leave it behind. `git credential approve`, for one, then fails: `.git-credentials` is a directory.
 */

/** Programs expect a file by these names, so an empty folder was made by nobody else. */
const neverFolders = [
  ".netrc",
  ".pgpass",
  ".pypirc",
  ".git-credentials",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
];
/** These may be somebody's own: they count only when they were made in the same moment as one of the others. */
const usualFolders = [
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".config/hub",
  ".config/op",
  ".password-store",
  ".local/share/keyrings",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
];
/** They were made one after the other, without anything between. */
const momentMs = 1000;

/** Empty folders that an earlier version left in the home folder, absolute. */
export function findLeftoverFolders(env: Environment): string[] {
  const home = env["HOME"] || homedir();
  const certain = neverFolders.flatMap((name) => findEmpty(join(home, name)));
  const likely = usualFolders.flatMap((name) => findEmpty(join(home, name)));
  const isOfThatMoment = ({ madeAt }: EmptyFolder): boolean =>
    certain.some((each) => Math.abs(each.madeAt - madeAt) <= momentMs);
  return [...certain, ...likely.filter(isOfThatMoment)].map(({ path }) => path);
}

/** Gives those that are gone now. One that is no longer empty stays. */
export function removeLeftoverFolders(env: Environment): string[] {
  return findLeftoverFolders(env).filter((path) => {
    try {
      rmdirSync(path);
      return true;
    } catch {
      return false;
    }
  });
}

interface EmptyFolder {
  readonly path: string;
  readonly madeAt: number;
}

function findEmpty(path: string): EmptyFolder[] {
  try {
    const found = lstatSync(path);
    const isAsMade = found.isDirectory() && (found.mode & 0o7777) === 0o755 && readdirSync(path).length === 0;
    return isAsMade ? [{ path, madeAt: found.birthtimeMs || found.mtimeMs }] : [];
  } catch {
    return [];
  }
}
