import { lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { RunningHolds } from "../background/hold-background.ts";
import type { PrivateFolder } from "./private-folder.ts";
import type { SandboxView } from "./sandbox-view.ts";
import { isInside, realPath, systemMounts } from "./system-mounts.ts";

/** One step of building what a command sees. A later one lies over an earlier one. */
export type Mount =
  | { readonly kind: "readable" | "writable"; readonly path: string; readonly source: string }
  /** An empty folder that can't be written. */
  | { readonly kind: "hidden"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

export interface MountPlan {
  /** Parents before what is below them. */
  readonly mounts: readonly Mount[];
  /** Protected names that are missing: empty folders must stand there as long as the command runs. */
  readonly masks: readonly string[];
  /** Missing names that nothing can stand for; what a command puts there is removed when it ends. */
  readonly swept: readonly string[];
  /** Places in writable folders that can't be swapped for something else from inside. */
  readonly pins: readonly string[];
}

export interface PlanPlace {
  readonly folder: PrivateFolder;
  /** Never to be seen, whatever the view says: the facts by which processes are found and ended. */
  readonly runFolder: string;
  /** A file in the run folder that the command reads. */
  readonly script: string | null;
  /** Files and folders of ours that this one needs, wherever they lie. */
  readonly needed?: readonly string[];
  /** What other commands hold just now. */
  readonly running: RunningHolds;
}

/**
 * Turns a view into mounts.
 *
 * A mount stays with its folder when somebody renames a folder above it, and the old path would be free. So every
 * folder between a protected name and its writable root becomes a mount of itself, which can't be renamed.
 *
 * Mounts are made by name. So nothing of a writable folder is mounted where a command that runs could swap it meanwhile: such
 * a name came up after that command began, which can change it anyway.
 */
export function planMounts(view: SandboxView, place: PlanPlace): MountPlan {
  const plan = new Map<string, Mount>();
  const masks: string[] = [];
  const swept: string[] = [];
  const put = (mount: Mount): void => void plan.set(mount.path, mount);
  const roots = writableRoots(view);

  for (const mount of systemMounts(view, place.folder)) put(mount);
  for (const path of byDepth([...view.hidden, place.runFolder])) hide(path);
  for (const path of byDepth(view.readable ?? [])) showBelowTemporary(path);
  for (const path of byDepth(place.needed ?? [])) show(path);
  for (const root of roots.filter((each) => !isLoose(each))) {
    put({ kind: "writable", path: root, source: root });
    pin(root);
  }
  for (const path of byDepth(withRedirects(view))) protect(path);
  for (const path of byDepth([...view.hidden, place.runFolder])) pinHidden(path);
  if (plan.get("/tmp")?.kind === "writable" && !roots.includes("/tmp")) {
    put({ kind: "writable", path: cachePath, source: place.folder.cache });
  }
  if (place.script !== null) put({ kind: "readable", path: place.script, source: place.script });
  for (const path of plan.keys()) holdWay(path);
  const mounts = [...plan.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  const pins = mounts.map(({ path }) => path).filter((path) => rootOf(path) !== undefined);
  return { mounts, masks, swept, pins };

  function show(path: string): void {
    if (view.profile === "normal") return showBelowTemporary(path);
    const [real] = realPath(path);
    const isSeen = (each: Mount): boolean => each.kind === "readable" && isInside(real!, each.path);
    if (real === undefined || rootOf(real) !== undefined || [...plan.values()].some(isSeen)) return;
    put({ kind: "readable", path: real, source: real });
  }

  function showBelowTemporary(path: string): void {
    const [real] = realPath(path);
    const isPrivate =
      real !== undefined && ["/tmp", "/var/tmp"].some((folder) => folder !== real && isInside(real, folder));
    if (isPrivate && rootOf(real) === undefined && !plan.has(real)) put({ kind: "readable", path: real, source: real });
  }

  function hide(path: string): void {
    const [real] = realPath(path);
    if (real === undefined) return;
    // In the strict profile nothing else is there in the first place.
    if (view.profile === "normal" || rootOf(real) !== undefined) put(cover(real));
  }

  function cover(path: string): Mount {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
    return isFolder ? { kind: "hidden", path } : { kind: "readable", path, source: place.folder.emptyFile };
  }

  /**
   * A hidden place inside a writable root must not be moved away, nor made when it is missing. One inside another hidden place
   * can't be, and a mount on the way to it would show what lies there.
   */
  function pinHidden(path: string): void {
    const [real] = realPath(path);
    if (real === undefined) protect(path);
    else if (plan.get(real)?.kind !== "writable" && !isClosed(real)) pin(real);
  }

  function protect(path: string): void {
    const [parent] = realPath(dirname(path));
    if (parent === undefined) return;
    const above = statSync(parent, { throwIfNoEntry: false });
    if (!above) return;
    // In a worktree .git is a file, and whoever could replace it could name another repository.
    if (!above.isDirectory()) return protect(dirname(path));
    const location = join(parent, basename(path));
    // What is hidden stays hidden: a read-only mount over it would show it again.
    if (roots.includes(location) || rootOf(location) === undefined || isCovered(location)) return;
    const found = lstatSync(location, { throwIfNoEntry: false });
    if (isRedirect(location) && (!found || isLoose(location))) swept.push(location);
    else if (isLoose(location)) return;
    else if (!found || (place.running.masks.has(location) && isEmptyFolder(location))) {
      masks.push(location);
      put({ kind: "readable", path: location, source: place.folder.emptyFolder });
      pin(location);
    } else if (found.isSymbolicLink()) {
      // Nothing can be mounted on a link itself; what it leads to is kept as it is.
      const [target] = realPath(location);
      if (target !== undefined && rootOf(target) !== undefined && !roots.includes(target)) keep(target);
    } else keep(location);
  }

  function keep(path: string): void {
    if (isCovered(path) || isLoose(path)) return;
    put({ kind: "readable", path, source: path });
    pin(path);
  }

  function pin(path: string): void {
    const root = rootOf(path);
    if (root === undefined) return;
    for (let above = dirname(path); above !== root && isInside(above, root); above = dirname(above)) {
      if (!plan.has(above) && !isLoose(above)) put({ kind: "writable", path: above, source: above });
    }
  }

  /** Somebody could swap it, or a folder on the way to it. */
  function isLoose(path: string): boolean {
    for (let at = path; rootOf(at) !== undefined; at = dirname(at)) if (place.running.canSwap(at)) return true;
    return false;
  }

  /**
   * What is mounted below a private /tmp stands in a folder that commands could replace by a link, and the next mount
   * would follow it out of the sandbox. So the first folder of the way is not theirs either.
   */
  function holdWay(path: string): void {
    const temporary = ["/tmp", "/var/tmp"].find((folder) => folder !== path && isInside(path, folder));
    if (temporary === undefined || roots.some((root) => isInside(temporary, root))) return;
    const first = join(temporary, relative(temporary, path).split(sep)[0]!);
    if (!plan.has(first)) put({ kind: "hidden", path: first });
  }

  /** The innermost writable root around a path. */
  function rootOf(path: string): string | undefined {
    return byDepth(roots.filter((root) => root !== path && isInside(path, root))).at(-1);
  }

  function isCovered(path: string): boolean {
    const mount = plan.get(path);
    return isClosed(path) || (mount !== undefined && mount.kind !== "writable");
  }

  /** Something above it, below its root, can't be written already. */
  function isClosed(path: string): boolean {
    const root = rootOf(path);
    for (let above = dirname(path); root !== undefined && above !== root; above = dirname(above)) {
      const mount = plan.get(above);
      if (mount && mount.kind !== "writable") return true;
    }
    return false;
  }
}

/** Where the caches of package managers are, as commands see it. */
export const cachePath = "/tmp/.cache";

/**
 * A `commondir` beside git's configuration makes git read another one, and `config.worktree` is a further one. Git needs
 * them to be files, or missing.
 */
function withRedirects({ workdir, readOnly, denied = [] }: SandboxView): string[] {
  const paths = [...readOnly, ...denied].map((path) => resolve(workdir, path));
  const redirects = paths
    .filter((path) => basename(dirname(path)) === ".git")
    .flatMap((path) => redirectNames.map((name) => join(dirname(path), name)));
  return [...new Set([...paths, ...redirects])];
}

const redirectNames = ["commondir", "config.worktree"];

function isRedirect(path: string): boolean {
  return basename(dirname(path)) === ".git" && redirectNames.includes(basename(path));
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false; // a file: a person has put something of their own there
  }
}

function byDepth(paths: readonly string[]): string[] {
  return paths.toSorted((a, b) => depthOf(a) - depthOf(b));
}

function depthOf(path: string): number {
  return path === sep ? 0 : path.split(sep).length;
}

/** More than the system itself follows. */
const mostLinks = 40;

/**
 * The real paths of the folders that can be written; those that are not there are left out. Throws when the workdir is not where
 * it was.
 *
 * A link inside one of them may have been made by a command, to be given what it leads to. So it names no folder.
 */
function writableRoots({ workdir, writable }: SandboxView): string[] {
  const [real] = realPath(workdir);
  if (real !== undefined && real !== workdir) throw new Error(`the workdir ${workdir} leads to ${real} by now`);
  const barriers = [workdir, ...writable.flatMap(realPath)];
  return [...writable.flatMap((path) => follow(path, barriers)), ...(real === undefined ? [] : [real])];
}

/** None or one. */
function follow(path: string, barriers: readonly string[]): string[] {
  const names = namesOf(path);
  let at: string = sep;
  for (let links = 0; names.length > 0;) {
    const next = join(at, names.shift()!);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (!found) return [];
    if (!found.isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    if (links > mostLinks || barriers.some((folder) => isInside(dirname(next), folder))) return [];
    const target = readlinkSync(next);
    if (target.startsWith(sep)) at = sep;
    names.unshift(...namesOf(target));
  }
  return [at];
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== "" && name !== ".");
}
