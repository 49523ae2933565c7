import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SandboxKind, SandboxReport } from "../../core/call.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import { readRunningHolds } from "../background/hold-background.ts";
import type { Run } from "../run/run-folder.ts";
import type { ProcessTable } from "../stop/process-table.ts";
import { makeMasks, type Traces } from "./masks.ts";
import { cachePath, type Mount, type MountPlan, planMounts, type PlanPlace } from "./mount-plan.ts";
import type { Namespace } from "./namespace.ts";
import { makePrivateFolder, type PrivateFolder } from "./private-folder.ts";
import type { SandboxView } from "./sandbox-view.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

/** What commands are held by on this machine, as a probe found it. */
export interface Sandbox {
  readonly kind: SandboxKind;
  /** Also without a sandbox: a PID namespace of its own hides nothing, but ends with all that is in it. */
  readonly namespace: Namespace | null;
  readonly nesting: "closed" | "open";
  /** False where a network namespace can't be set up, as in some containers. */
  readonly cutsNetwork: boolean;
  /** Why there is no sandbox, or not all of it; null when all is well. */
  readonly problem: string | null;
}

/** What one process is started in. */
export interface Enclosure {
  readonly report: SandboxReport;
  readonly namespace: Namespace | null;
  /** Arguments of bwrap; null: the whole file system as it is. */
  readonly profile: readonly string[] | null;
  /** See `NamespaceRequest`. */
  readonly shield: boolean;
  /** The text of a profile for macOS. */
  readonly seatbelt: string | null;
  readonly env: Readonly<Record<string, string>>;
}

export const openEnclosure: Enclosure = {
  report: { kind: "none", profile: null, network: true },
  namespace: null,
  profile: null,
  shield: false,
  seatbelt: null,
  env: {},
};

/** What its record says for as long as it runs. */
export interface EnclosureFacts extends Traces {
  /** See `MountPlan`. */
  readonly pins: readonly string[];
}

export interface EnclosureRequest {
  readonly run: Run;
  /** It outlives this runtime, and so must what it stands on. */
  readonly keep: boolean;
  readonly script: string | null;
  /** See `PlanPlace`. */
  readonly needed?: readonly string[];
  /** Told what will have to be removed from the workdir, and what can't be swapped in it, before anything is made. */
  note(facts: EnclosureFacts): void;
}

export interface EnclosureParts {
  readonly table: ProcessTable;
  readonly runFolder: string;
  privateFolder(): PrivateFolder;
}

/** Prepares what the view of one command needs. Throws when the run folder can't be used. */
export function enclose(
  parts: EnclosureParts,
  { sandbox, view }: { readonly sandbox: Sandbox; readonly view: SandboxView | null },
  request: EnclosureRequest,
): Enclosure {
  const { kind, namespace, nesting } = sandbox;
  if (kind === "none" || view === null) return { ...openEnclosure, namespace };
  const { profile } = view;
  const network = view.network || !sandbox.cutsNetwork;
  const report: SandboxReport = { kind, profile, network };
  const folder = request.keep ? makePrivateFolder(join(request.run.folder, "private")) : parts.privateFolder();
  const place = {
    folder: { ...folder, cache: cacheOf(view, folder) },
    runFolder: parts.runFolder,
    script: request.script,
    needed: request.needed ?? [],
  };
  if (kind === "seatbelt") {
    const env = sandboxEnvironment({ temporary: folder.tmp, cache: place.folder.cache });
    return { ...openEnclosure, report, seatbelt: seatbeltProfile(view, place), env };
  }
  const planned = plan(view, { ...place, running: readRunningHolds(parts) });
  const { masks, swept, pins } = planned;
  request.note({ masks, swept, pins });
  const standing = new Set(makeMasks(masks));
  const mounts = planned.mounts.filter(({ path }) => standing.has(path) || !masks.includes(path));
  const env = sandboxEnvironment({ temporary: "/tmp", cache: cachePath });
  const seen = { ...view, network };
  const profileArguments = bwrapProfile({ view: seen, mounts, nesting });
  // Those that can't close it are older, and can't make a file that nobody may read.
  return { report, namespace, seatbelt: null, env, profile: profileArguments, shield: nesting === "closed" };
}

/** One that can't be made is no reason not to run a command. */
function cacheOf({ cache }: SandboxView, folder: PrivateFolder): string {
  if (cache === undefined) return folder.cache;
  try {
    mkdirSync(cache, { mode: 0o700 });
    return cache;
  } catch (thrown) {
    return codeOf(thrown) === "EEXIST" ? cache : folder.cache;
  }
}

function plan(view: SandboxView, place: PlanPlace): MountPlan {
  try {
    return planMounts(view, place);
  } catch (thrown) {
    // Such as a folder of the workdir that may not be entered: what can't be looked at can't be protected.
    const message = `The sandbox could not be prepared: ${messageOf(thrown)}.`;
    throw Object.assign(new Error(message, { cause: thrown }), { code: "SANDBOX_UNAVAILABLE" });
  }
}

/** Where things are, as a command sees them. */
export interface SandboxPlaces {
  readonly temporary: string;
  readonly cache: string;
}

/**
 * Variables that send programs to places they can write to, because the home folder can't be written. They replace
 * what the environment says.
 */
function sandboxEnvironment({ temporary, cache }: SandboxPlaces): Record<string, string> {
  const caches = Object.entries(cacheVariables).map(([name, folder]) => [name, join(cache, folder)]);
  return { TMPDIR: temporary, XDG_CACHE_HOME: cache, ...Object.fromEntries(caches) };
}

/** Programs that do not go by XDG_CACHE_HOME; pip, uv, go's builds, deno, composer and others do. */
const cacheVariables = {
  npm_config_cache: "npm",
  pnpm_config_store_dir: "pnpm",
  YARN_CACHE_FOLDER: "yarn",
  YARN_GLOBAL_FOLDER: "yarn-global",
  BUN_INSTALL_CACHE_DIR: "bun",
  CARGO_HOME: "cargo",
  GOMODCACHE: "go-mod",
  GRADLE_USER_HOME: "gradle",
  NUGET_PACKAGES: "nuget",
};

export interface BwrapOptions {
  readonly view: SandboxView;
  readonly mounts: readonly Mount[];
  /** Whether user namespaces can be made inside; older versions of bwrap can't forbid it. */
  readonly nesting: "closed" | "open";
}

/** The arguments of bwrap that decide what is visible and allowed inside. */
function bwrapProfile({ view, mounts, nesting }: BwrapOptions): string[] {
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
