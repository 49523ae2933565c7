import { lstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { type OpenFolder, openRegular } from "../../guard/path/open-folder.ts";
import type { PathGuard } from "../../guard/path/open-path-guard.ts";
import type { Failure } from "../failure.ts";
import { type GrepFindings, joinFindings, keepPaths, noFindings, pathsOf, renamePaths } from "./grep-report.ts";
import { enterFolder } from "./walk-tree.ts";

/** Searches these paths, and reads what was found. */
export type Search = (paths: readonly string[]) => Promise<GrepFindings | Failure>;

export interface SteadyFindings {
  readonly findings: GrepFindings;
  /** How many files were left out because they were moved while they were searched. */
  readonly leftOut: number;
}

/**
 * Ripgrep finds its way by names, so a folder that is swapped for a link under its hands can lead it outside. What it
 * found is trusted where every folder on the way, and the file, stood still since before it started: to swap one it must
 * be renamed, and that shows in its change time, which nobody can set back. The others (also those that were only just
 * written) are opened by the guard and searched again, through their descriptors.
 */
export async function searchSteadily(
  guard: PathGuard,
  path: string,
  search: Search,
): Promise<SteadyFindings | Failure> {
  const limitNs = BigInt(Date.now() - clockTickMs) * 1_000_000n;
  const findings = await search([path]);
  if ("error" in findings) return findings;
  // Without descriptors there is no second look; `guard.promises` says so.
  const moved = guard.promises.races === "window" ? new Set<string>() : findMoved(guard, pathsOf(findings), limitNs);
  if (moved.size === 0) return { findings, leftOut: 0 };
  const again = await searchOpened(guard, [...moved].slice(0, mostOpened), search);
  if ("error" in again) return again;
  const steady = keepPaths(findings, (found) => !moved.has(found));
  return {
    findings: joinFindings(steady, again.findings),
    leftOut: again.leftOut + Math.max(moved.size - mostOpened, 0),
  };
}

/** Change times come in steps of up to 10 ms, and may be one step late. */
const clockTickMs = 25;
const mostOpened = 200;

function findMoved({ folder: root }: PathGuard, paths: Iterable<string>, limitNs: bigint): Set<string> {
  const known = new Map<string, boolean>([[".", true]]);
  const stoodStill = (folder: string): boolean => {
    let answer = known.get(folder);
    if (answer === undefined) {
      const isOld = (open: OpenFolder): boolean => open.stats().ctimeNs < limitNs;
      answer = stoodStill(dirname(folder)) && ask(root, folder, isOld) === true;
      known.set(folder, answer);
    }
    return answer;
  };
  const moved = new Set<string>();
  for (const [folder, inside] of Map.groupBy(paths, (path) => dirname(path))) {
    const findYoung = (open: OpenFolder): string[] => inside.filter((path) => !isOldFile(open, path, limitNs));
    for (const path of (stoodStill(folder) ? ask(root, folder, findYoung) : undefined) ?? inside) moved.add(path);
  }
  return moved;
}

function isOldFile(folder: OpenFolder, path: string, limitNs: bigint): boolean {
  const stats = lstatSync(folder.at(basename(path)), { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && stats.isFile() && stats.ctimeNs < limitNs;
}

/** Undefined when there is no such folder, or a link in its place. */
function ask<Answer>(root: OpenFolder, folder: string, question: (open: OpenFolder) => Answer): Answer | undefined {
  let open: OpenFolder | undefined;
  try {
    open = enterFolder(root, folder === "." ? [] : folder.split("/"));
    return question(open);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  } finally {
    if (open !== root) open?.close();
  }
}

async function searchOpened(
  guard: PathGuard,
  paths: readonly string[],
  search: Search,
): Promise<SteadyFindings | Failure> {
  const names = new Map<string, string>();
  const handles: FileHandle[] = [];
  try {
    for (const path of paths) {
      const handle = await openItself(guard, path);
      if (handle === undefined) continue;
      handles.push(handle);
      names.set(`/proc/${process.pid}/fd/${handle.fd}`, path);
    }
    const leftOut = paths.length - handles.length;
    if (handles.length === 0) return { findings: noFindings, leftOut };
    const findings = await search([...names.keys()]);
    if ("error" in findings) return findings;
    return { findings: renamePaths(findings, (name) => names.get(name) ?? name), leftOut };
  } finally {
    for (const handle of handles) await handle.close();
  }
}

/** By this very path: one that leads through a link by now is another file. */
async function openItself(guard: PathGuard, path: string): Promise<FileHandle | undefined> {
  try {
    const place = guard.find(path);
    if (!place.ok) return undefined;
    const opened = place.path === join(guard.root, path) ? await openRegular(place) : undefined;
    guard.release(place);
    return opened?.ok ? opened.handle : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}
