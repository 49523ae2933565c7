import { readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import type { CommandExit } from "../run/run-request.ts";

/** The sandbox program and the shell that stands first inside it. */
export interface Namespace {
  readonly bwrap: string;
  readonly shell: string;
}

export interface NamespaceRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The environment itself has a PWD; otherwise the one that bwrap adds is taken out again. */
  readonly keepsPwd: boolean;
  /** Shall outlive this process. */
  readonly keep: boolean;
  /** What is visible and allowed inside; null: everything, as it is. */
  readonly profile: readonly string[] | null;
  /** The first process is a copy of the shell that nobody inside can look into; its text comes through `shell`. */
  readonly shielded: boolean;
}

/**
 * Which descriptors the first process inside speaks through: its own complaints go to 2, how the command ended to 3,
 * the command's stderr is 5, bwrap tells its child's pid on 6 and reads the shell for a shielded one from 7.
 */
export const descriptors = { messages: 2, status: 3, stderr: 5, info: 6, shell: 7 } as const;

/** The arguments of bwrap. */
export function namespaceArguments(namespace: Namespace, request: NamespaceRequest): string[] {
  const profile = request.profile ?? ["--dev-bind", "/", "/", "--proc", "/proc"];
  const life = ["--unshare-pid", "--as-pid-1", ...(request.keep ? [] : ["--die-with-parent"])];
  const shield = ["--perms", "0111", "--ro-bind-data", String(descriptors.shell), shieldedShell];
  const first = [request.shielded ? shieldedShell : namespace.shell, ...firstProcess(request)];
  return [
    ...profile,
    ...(request.shielded ? shield : []),
    "--chdir",
    request.cwd,
    ...life,
    "--info-fd",
    String(descriptors.info),
    "--",
    ...first,
  ];
}

/**
 * Where a copy of the shell lies that can be executed and not read. The kernel lets nobody without special rights look into a
 * process that runs such a file: neither at its descriptors, where the command could tell another end than its own, nor at its memory.
 */
const shieldedShell = "/dev/deckhand-first";

/**
 * The arguments of the shell that is the parent of the command.
 *
 * The namespace ends with its first process, so that one must outlive the command for as long as we want to look at
 * what it left behind: it tells how the command ended and then waits for us to let go (or to die: the read ends).
 *
 * The command replaces a subshell, so it keeps its name and arguments, and the shell's own
 * "Killed" goes to descriptor 2. That line is the only thing that tells death by signal 9 from `exit 137`.
 *
 * Nothing inside may hold descriptor 6: what is written there is believed.
 */
export function firstProcess({ argv, keepsPwd }: Pick<NamespaceRequest, "argv" | "keepsPwd">): string[] {
  const script = [
    "exec 6>&- 7>&-",
    // A core dump would put the memory of a program, and so its secrets, into the workdir.
    "ulimit -c 0",
    ...(keepsPwd ? [] : ["unset PWD OLDPWD"]),
    '(exec 2>&5 3>&- 5>&- && exec "$@")',
    "status=$?",
    'echo "$status" >&3',
    "read -r _ <&3",
    'exit "$status"',
  ].join("\n");
  return ["-c", script, "sh", ...argv];
}

/** What a status line and the shell's messages say about the end; null when the line is not there. */
export function readStatus(line: string, messages: () => string): CommandExit | null {
  const status = /^(\d+)\n/.exec(line)?.[1];
  if (status === undefined) return null;
  const code = Number(status);
  const signal = code > 128 ? signalNames.get(code - 128) : undefined;
  if (signal && messages().trim() !== "") return { exitCode: null, killedBy: signal };
  return { exitCode: code, killedBy: null };
}

/** Some have two names; the first one is the usual one, and a later entry of the map would replace it. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .toReversed()
    .map(([name, number]) => [number, name as NodeJS.Signals] as const),
);

/** The first process's pid as this namespace numbers it; null until bwrap has told. */
export function readInitPid(infoPath: string): number | null {
  try {
    const info: unknown = JSON.parse(readFileSync(infoPath, "utf8"));
    const pid = (info as { "child-pid"?: unknown } | null)?.["child-pid"];
    return typeof pid === "number" && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

/** Looked for in the system's folders only: one from PATH could be the model's own. */
export function findNamespaceProgram(): Namespace | null {
  const bwrap = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"].find(
    isOfSystem,
  );
  // dash first: it adds nothing to the environment, while bash as sh adds SHLVL and _.
  const shell = ["/bin/dash", "/usr/bin/dash", "/bin/sh"].find(isOfSystem);
  return bwrap && shell ? { bwrap, shell } : null;
}

function isOfSystem(path: string): boolean {
  try {
    const found = statSync(path);
    // Not "uid 0": inside another user namespace the system's files belong to nobody.
    const ours = found.uid !== 0 && found.uid === process.getuid?.();
    return found.isFile() && !ours && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
