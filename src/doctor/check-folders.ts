import { accessSync, constants, lstatSync, statfsSync, statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../core/errors.ts";
import { formatBytes } from "../tools/failure.ts";
import { findDataFolderProblem } from "../records/claim-data-folder.ts";
import type { Folders } from "../config/folders.ts";
import { findLeftoverFolders } from "./leftover-folders.ts";
import type { Environment } from "../core/process.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";

/** `.deckhand`: there, ours, and nobody else's to read. Never makes it. */
export function checkDataFolder({ workdir, data, ...folders }: Folders): Check {
  const name = "records";
  const found = look(data);
  if (!found) {
    if (isWritable(workdir)) return ok(name, `${data} is not there yet; the first call makes it.`);
    return problem(
      name,
      `${workdir} can't be written, so nothing can be recorded: only calls that change nothing run.`,
      `Make it writable, or set "store.kind" to "memory".`,
    );
  }
  const wrong = findDataFolderProblem({ ...folders, workdir, data });
  if (wrong !== null) return problem(name, wrong, "Look at what is in it before you use, remove or adopt it.");
  if (!isWritable(data)) {
    return problem(
      name,
      `${data} can't be written: only calls that change nothing run.`,
      "Make it writable, or free the disk from being read-only.",
    );
  }
  const open = [data, folders.database, folders.logs, folders.outputs].filter(isOpenToOthers);
  if (open.length === 0) return ok(name, `${data} is yours, and nobody else can read it.`);
  return warning(name, `Other users of this machine can look into ${open.join(", ")}.`, `chmod -R go= ${quote(data)}`);
}

/** What an earlier version left in the home folder, where other programs stumble over it. */
export function checkHome(env: Environment): Check[] {
  const folders = findLeftoverFolders(env);
  if (folders.length === 0) return [];
  const what = `An earlier version left ${folders.length} empty folders in your home folder: ${folders.join(", ")}.`;
  return [warning("home folder", what, "`deckhand clean` removes them.")];
}

/** The person's own folder: who can write there can say yes in their place. */
export function checkStateFolder(folders: Folders): Check {
  const name = "state";
  const { stateHome, state, run } = folders;
  const me = process.getuid?.();
  for (const folder of [stateHome, state, run]) {
    const found = look(folder);
    if (!found) continue;
    const wrong = found.isSymbolicLink()
      ? "is a link"
      : !found.isDirectory()
        ? "is not a folder"
        : me !== undefined && found.uid !== me
          ? "belongs to another user"
          : (found.mode & 0o022) !== 0
            ? "can be written by others, who could grant and trust in your place"
            : !isWritable(folder)
              ? "can't be written, so no command can run"
              : undefined;
    // A person may keep the outer ones elsewhere by a link of their own.
    if (wrong === undefined || (wrong === "is a link" && folder !== run)) continue;
    return problem(
      name,
      `${folder} ${wrong}.`,
      `Remove it or make it yours (chmod 700), or choose another place with XDG_STATE_HOME.`,
    );
  }
  const base = nearestFolder(state);
  if (!isWritable(base)) {
    return problem(
      name,
      `${state} can't be made, because ${base} can't be written: no command can run.`,
      "Make it writable, or choose another place with XDG_STATE_HOME.",
    );
  }
  const files = [folders.grants, folders.trust, folders.quarantine, folders.ownerId, folders.maskKey];
  const open = files.filter(isOpenToOthers);
  if (open.length > 0) {
    return warning(
      name,
      `Other users of this machine can read ${open.join(", ")}.`,
      `chmod 600 ${open.map(quote).join(" ")}`,
    );
  }
  return ok(name, look(state) ? `${state} is yours alone.` : `${state} is not there yet; the first call makes it.`);
}

const megabyte = 1024 * 1024;

/** Space where records and raw output go. */
export function checkDisk({ workdir, state }: Folders): Check {
  const places = [workdir, nearestFolder(state)];
  const disks = places.filter((path, index) => index === 0 || deviceOf(path) !== deviceOf(places[0]!));
  const found = disks.map((path) => ({ path, free: freeBytes(path) }));
  const least = found.reduce((a, b) => (b.free < a.free ? b : a));
  const sized = found.filter(({ free }) => Number.isFinite(free));
  const what = sized.map(({ path, free }) => `${formatBytes(free)} free for ${path}`).join(", ") || "nothing is known";
  const fix = `Free some space on the disk of ${least.path}; \`deckhand clean\` removes old records and outputs.`;
  if (least.free < 64 * megabyte) return problem("disk", `Almost no space: ${what}.`, fix);
  if (least.free < 1024 * megabyte) return warning("disk", `Little space: ${what}.`, fix);
  return ok("disk", `${what}.`);
}

function freeBytes(path: string): number {
  const { bavail, bsize, blocks } = statfsSync(path);
  // Not every file system has a size.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

function deviceOf(path: string): number {
  return statSync(path).dev;
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

function isOpenToOthers(path: string): boolean {
  const found = look(path);
  return found !== undefined && !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder itself, or the first above it that is there. */
function nearestFolder(path: string): string {
  const parent = dirname(path);
  return look(path) || parent === path ? path : nearestFolder(parent);
}

/** For a shell. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
