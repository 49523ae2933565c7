import { statSync } from "node:fs";
import type { Mount } from "./mount-plan.ts";
import type { SandboxView } from "./sandbox-view.ts";

export interface BwrapOptions {
  readonly view: SandboxView;
  readonly mounts: readonly Mount[];
  /** Whether user namespaces can be made inside; older versions of bwrap can't forbid it. */
  readonly nesting: "closed" | "open";
}

/** The arguments of bwrap that decide what is visible and allowed inside. */
export function bwrapProfile({ view, mounts, nesting }: BwrapOptions): string[] {
  const [base, above] = split(mounts);
  const hidden = mounts.filter(({ kind }) => kind === "hidden");
  return [
    ...base.flatMap(mountArguments),
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...(isRoot() ? rootOnlyFiles.flatMap((path) => ["--ro-bind-try", path, path]) : []),
    ...above.flatMap(mountArguments),
    // Only now: what lies in them had to be mounted first.
    ...hidden.flatMap(({ path }) => ["--remount-ro", path]),
    ...(base.length === 0 ? ["--remount-ro", "/"] : []),
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(view.network ? [] : ["--unshare-net"]),
    ...userArguments(view, nesting),
  ];
}

/** The root comes before /dev and /proc, which lie over it; all else lies over them. Without one it is an empty folder. */
function split(mounts: readonly Mount[]): [Mount[], Mount[]] {
  return [mounts.filter(({ path }) => path === "/"), mounts.filter(({ path }) => path !== "/")];
}

function mountArguments(mount: Mount): string[] {
  if (mount.kind === "hidden") return ["--tmpfs", mount.path];
  if (mount.kind === "link") return ["--symlink", mount.target, mount.path];
  return [mount.kind === "readable" ? "--ro-bind" : "--bind", mount.source, mount.path];
}

/**
 * Root without any capability may still write what belongs to root here, and `core_pattern` is a program that the
 * kernel itself would start outside.
 */
const rootOnlyFiles = ["sys", "sysrq-trigger", "fs", "acpi", "scsi", "mtrr", "pressure"].map((name) => `/proc/${name}`);

/** Whoever can mount could undo the rest, so nobody inside gets a capability that reaches it. */
function userArguments({ workdir }: SandboxView, nesting: "closed" | "open"): string[] {
  if (!isRoot()) return nesting === "closed" ? ["--unshare-user", "--disable-userns"] : ["--unshare-user-try"];
  const noRights = ["--cap-drop", "ALL"];
  // In a container, root often works in a folder of somebody else's. In a user namespace it could not even read it.
  if (ownerOf(workdir) !== 0) return [...noRights, ...ofOthers.flatMap((name) => ["--cap-add", name])];
  return nesting === "closed" ? ["--unshare-user", "--disable-userns", ...noRights] : noRights;
}

/** Rights on files of others; a read-only mount holds all the same. */
const ofOthers = ["CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN"];

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function ownerOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.uid ?? 0;
}
