import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";
import type { Execution } from "../../core/call.ts";
import type { WatchedRun, WatchRun } from "../../core/call-observer.ts";
import { findRepositoryProgram } from "./repository-programs.ts";
import { openPathGuard } from "../../guard/path/open-path-guard.ts";
import type { FoundBelow } from "../../guard/path/find-protected.ts";
import type { Folders } from "../../config/folders.ts";

/**
 * A protected name that came up while a call ran. The sandbox keeps commands from changing those that exist; one that is
 * missing can only be noticed afterwards, and git, editors and others obey it from then on.
 */
export interface NewName {
  /** Relative to the workdir. */
  readonly path: string;
  readonly callId: string;
  readonly at: string;
  /** Where it was moved to, relative to the workdir; null: it is where it was made. */
  readonly movedTo: string | null;
}

const kept = z.array(
  z.object({ path: z.string(), callId: z.string(), at: z.iso.datetime(), movedTo: z.string().nullable() }),
);
/** Beyond this many something else is wrong, and nobody reads on. */
const maxKept = 500;

export interface NewNamesDeps {
  readonly folders: Folders;
  readonly findProtected: () => FoundBelow;
  /** The folder of tool files, relative to the workdir. */
  readonly toolFolder: string;
  /** Nobody is there who would read what is reported now. */
  readonly isUnattended: (call: Execution) => boolean;
  /** A process of ours runs that no call waits for. */
  readonly hasBackground: () => boolean;
  readonly now: () => number;
}

export interface NewNamesWatch {
  readonly watchRun: WatchRun;
  /** When the processes in the background have ended with the runtime: notes what they made since the last call. Never throws. */
  lookAtEnd(): void;
}

/**
 * Watches calls that may start processes. What comes up while one runs stays, and is reported by the call and by `doctor`; where
 * nobody is there it is moved into the data folder. Between calls it is noticed by the next one, when a process of ours ran meanwhile.
 */
export function watchNewNames(deps: NewNamesDeps): NewNamesWatch {
  const { folders, now } = deps;
  let last: ReadonlySet<string> | undefined;
  let hadBackground = false;
  let lastCall: Execution | undefined;

  function look(): ReadonlySet<string> {
    const tools = join(folders.workdir, deps.toolFolder);
    const found = [...deps.findProtected().protected, ...(existsSync(tools) ? [tools] : [])];
    return new Set(found.filter(isObeyed));
  }

  function watchRun({ execution, isBuiltIn, mayWrite }: WatchedRun): (() => string | undefined) | undefined {
    if (isBuiltIn && !startsProcesses.has(execution.toolId ?? "")) return undefined;
    if (!mayWrite()) return undefined;
    const before = look();
    const ofBackground = hadBackground && last ? added(last, before) : [];
    return () => {
      try {
        const after = look();
        const earlier = ofBackground.filter((path) => after.has(path));
        const ofCall = added(before, after);
        last = after;
        lastCall = execution;
        hadBackground = deps.hasBackground();
        const told = [
          ...report(execution, earlier, "New since the call before, while a background process ran"),
          ...report(execution, ofCall, "New while this call ran"),
        ];
        return told.length === 0 ? undefined : told.join("\n");
      } catch (thrown) {
        // The call has ended: what can't be looked at any more must not change how.
        return `Could not look for new files that other programs act on: ${messageOf(thrown)}.`;
      }
    };
  }

  function report(execution: Execution, fresh: readonly string[], when: string): string[] {
    if (fresh.length === 0) return [];
    const names = fresh.map((path) => {
      const way = relative(folders.workdir, path);
      const movedTo = deps.isUnattended(execution) ? moveAside(folders, way, execution.id) : null;
      return { path: way, callId: execution.id, at: new Date(now()).toISOString(), movedTo };
    });
    write(folders, [...read(folders).filter(({ path }) => !names.some((each) => each.path === path)), ...names]);
    return describe(names, when);
  }

  return {
    watchRun,
    lookAtEnd() {
      if (!hadBackground || !last || !lastCall) return;
      try {
        report(lastCall, added(last, look()), "");
      } catch {
        // The folder is gone, or can't be written any more: then nothing of it is obeyed here, or noted.
      }
    },
  };
}

const startsProcesses = new Set(["bash", "run_python", "processes"]);

/** New names that are still there, or that were moved and not put back. */
export function listNewNames(folders: Folders): NewName[] {
  return read(folders).filter(({ path, movedTo }) => existsSync(join(folders.workdir, movedTo ?? path)));
}

/**
 * Puts back what was moved, and stops reporting what is in place. Gives what was settled. Throws the system's error when it can't
 * be put back, such as EEXIST when something has that name by now.
 */
export function settleNewNames(folders: Folders, paths: readonly string[]): NewName[] {
  const settled = listNewNames(folders).filter(({ path }) => paths.includes(path));
  for (const { path, movedTo } of settled) if (movedTo !== null) putBack(folders, path, movedTo);
  write(
    folders,
    listNewNames(folders).filter((each) => !settled.some(({ path }) => path === each.path)),
  );
  return settled;
}

function added(before: ReadonlySet<string>, after: ReadonlySet<string>): string[] {
  const fresh = [...after].filter((path) => !before.has(path));
  // Of a folder and what lies in it the folder says all.
  return fresh.filter((path) => !fresh.some((other) => path !== other && path.startsWith(other + sep)));
}

/** A repository that was cloned or begun is no cause for alarm, unless git would run something of it. */
function isObeyed(path: string): boolean {
  const git = `${sep}.git${sep}`;
  const at = path.lastIndexOf(git);
  if (at < 0) return true;
  if (basename(path) === "config") return findRepositoryProgram(path.slice(0, at)) !== undefined;
  if (basename(path) !== "hooks") return false;
  try {
    return readdirSync(path).some((name) => !name.endsWith(".sample"));
  } catch {
    return false;
  }
}

/** Null when it could not be moved: then it stays, and is reported. */
function moveAside(folders: Folders, path: string, callId: string): string | null {
  const to = join(relative(folders.workdir, folders.data), "moved", callId, path);
  try {
    mkdirSync(dirname(join(folders.workdir, to)), { recursive: true, mode: 0o700 });
    withGuard(folders, (guard) => guard.move(path, to));
    return to;
  } catch {
    return null;
  }
}

function putBack(folders: Folders, path: string, movedTo: string): void {
  if (existsSync(join(folders.workdir, path))) {
    throw Object.assign(new Error(`${path} is there already; move it away first`), { code: "EEXIST" });
  }
  withGuard(folders, (guard) => guard.move(movedTo, path));
}

/** Through descriptors of the folders: a process that still runs could put a link in the place of one. */
function withGuard(folders: Folders, use: (guard: ReturnType<typeof openPathGuard>) => void): void {
  const guard = openPathGuard({ root: folders.workdir });
  try {
    use(guard);
  } finally {
    guard.close();
  }
}

function describe(names: readonly NewName[], when: string): string[] {
  const stays = names.filter(({ movedTo }) => movedTo === null).map(({ path }) => path);
  const moved = names.filter(({ movedTo }) => movedTo !== null).map(({ path }) => path);
  return [
    ...(stays.length === 0
      ? []
      : [`${when}, and other programs act on it: ${listed(stays)}. Review before you continue.`]),
    ...(moved.length === 0
      ? []
      : [
          `${when}, and moved aside because other programs act on it and this run is unattended: ${listed(moved)}. Put one back with \`deckhand restore PATH\`.`,
        ]),
  ];
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - 10;
  return [...paths.slice(0, 10), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

function fileOf(folders: Folders): string {
  return join(folders.state, "new-names.json");
}

function read(folders: Folders): NewName[] {
  try {
    return kept.parse(JSON.parse(readFileSync(fileOf(folders), "utf8")));
  } catch {
    return []; // none yet, or damaged: the next one writes it anew
  }
}

function write(folders: Folders, names: readonly NewName[]): void {
  mkdirSync(folders.state, { recursive: true, mode: 0o700 });
  const temporary = `${fileOf(folders)}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(names.slice(-maxKept), null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, fileOf(folders));
}
