import { dirname, resolve } from "node:path";
import type { PrivateFolder } from "./private-folder.ts";
import type { SandboxView } from "./sandbox-view.ts";
import { isInside, realPath } from "./system-mounts.ts";

/** macOS has had it since 10.5, and marks it as deprecated without naming another. */
export const seatbeltProgram = "/usr/bin/sandbox-exec";

export interface SeatbeltPlace {
  readonly folder: PrivateFolder;
  readonly runFolder: string;
  readonly script: string | null;
  /** See `PlanPlace`. */
  readonly needed?: readonly string[];
}

/**
 * The view as a profile for sandbox-exec. The last rule that fits counts, so what is narrower comes later.
 *
 * Rules are about paths, so names that are missing are protected as well, and folders above them can't be renamed. What it does
 * not give: a list of processes of their own, and a private /tmp (TMPDIR leads to one).
 */
export function seatbeltProfile(view: SandboxView, place: SeatbeltPlace): string {
  const roots = [...[...view.writable, view.workdir].flatMap(realPath), place.folder.path, place.folder.cache];
  const hidden = [...view.hidden, place.runFolder].flatMap((path) => [...new Set([path, ...realPath(path)])]);
  const kept = [...view.readOnly, ...(view.denied ?? [])]
    .map((path) => resolve(view.workdir, path))
    .filter((path) => !roots.includes(path));
  const insideHidden = roots.filter((root) => hidden.some((path) => isInside(root, path)));
  return [
    "(version 1)",
    "(allow default)",
    "(deny appleevent-send)",
    `(deny process-exec ${literals(["/bin/launchctl", "/usr/bin/open", "/usr/bin/osascript"])})`,
    ...(view.profile === "strict" ? strictReads([...roots, ...(place.needed ?? []).flatMap(realPath)]) : []),
    "(deny file-write*)",
    `(allow file-write* ${literals(devices)} ${subpaths(roots)})`,
    `(deny file-read* file-write* ${subpaths(hidden)})`,
    ...(insideHidden.length > 0 ? [`(allow file-read* file-write* ${subpaths(insideHidden)})`] : []),
    ...(place.script === null ? [] : [`(allow file-read* ${literals([place.script])})`]),
    ...hiddenInRoots(hidden, roots),
    ...(kept.length > 0 ? [`(deny file-write* ${subpaths(kept)})`] : []),
    ...pins(kept, view.workdir),
    ...(view.network ? [] : ["(deny network*)"]),
    "",
  ].join("\n");
}

function strictReads(roots: readonly string[]): string[] {
  return ["(deny file-read-data)", `(allow file-read-data (literal "/") ${subpaths([...systemFolders, ...roots])})`];
}

const systemFolders = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library",
  "/dev",
  "/private/etc",
  "/private/var/db",
  "/opt",
];
const devices = ["/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/dev/dtracehelper"];

/** A root inside a hidden folder is open again, but not what is hidden inside that root. */
function hiddenInRoots(hidden: readonly string[], roots: readonly string[]): string[] {
  const inner = hidden.filter((path) => roots.some((root) => root !== path && isInside(path, root)));
  return inner.length > 0 ? [`(deny file-read* file-write* ${subpaths(inner)})`] : [];
}

function pins(paths: readonly string[], workdir: string): string[] {
  const above = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== workdir && isInside(folder, workdir); folder = dirname(folder)) {
      above.add(folder);
    }
  }
  return above.size > 0 ? [`(deny file-write-unlink ${literals([...above])})`] : [];
}

function literals(paths: readonly string[]): string {
  return paths.map((path) => `(literal ${JSON.stringify(path)})`).join(" ");
}

function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(" ");
}
