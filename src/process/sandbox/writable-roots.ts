import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { isInside, realPath } from "./real-path.ts";
import type { SandboxView } from "./sandbox-view.ts";

/** More than the system itself follows. */
const mostLinks = 40;

/**
 * The real paths of the folders that can be written; those that are not there are left out. Throws when the workdir is not where
 * it was.
 *
 * A link inside one of them may have been made by a command, to be given what it leads to. So it names no folder.
 */
export function writableRoots({ workdir, writable }: SandboxView): string[] {
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
