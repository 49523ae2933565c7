import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { codeOf } from "../../core/errors.ts";

/** What a child gets, by number. */
export type Stdio = ("ignore" | "pipe" | number)[];

/**
 * Spawns a child that has nothing open but what `stdio` names.
 *
 * Node closes on exec what it opens, and what it inherited up to the first gap in the numbers. What whoever started us
 * had open beyond that gap would reach every child, and lead it out of the sandbox. Each such number becomes
 * /dev/null in the child.
 */
export function spawnClean(
  file: string,
  args: readonly string[],
  options: Omit<SpawnOptions, "stdio"> & { readonly stdio: Stdio },
): ChildProcess {
  const { stdio } = options;
  const foreign = foreignDescriptors().filter((fd) => (stdio[fd] ?? "ignore") === "ignore");
  if (foreign.length === 0) return spawn(file, args, options);
  const limit = openFilesLimit();
  const nothing = openSync("/dev/null", "r+");
  try {
    const covered = [...stdio];
    for (const fd of foreign.filter((each) => each < limit)) covered[fd] = nothing;
    // What lies between is a hole in the array so far.
    const whole = Array.from(covered, (each) => each ?? "ignore");
    const [program, ...words] = closing(
      foreign.filter((fd) => fd >= limit),
      [file, ...args],
    );
    return spawn(program, words, { ...options, stdio: whole });
  } finally {
    closeSync(nothing);
  }
}

/** Those of this process that a child would inherit. On macOS none: there the system hands on only what is named. */
function foreignDescriptors(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

const closedOnExec = 0o2000000;

function isInherited(fd: number): boolean {
  let info: string;
  try {
    info = readFileSync(`/proc/self/fdinfo/${fd}`, "latin1");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false; // it is closed by now, as the one that listed the folder
    throw thrown;
  }
  const flags = /^flags:\s*([0-7]+)/m.exec(info)?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & closedOnExec) === 0;
}

function openFilesLimit(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
  return limit === undefined ? Infinity : Number(limit);
}

/** Numbers above a limit that was lowered since can't be given another meaning, only closed, which bash can do and sh can't. */
function closing(fds: readonly number[], command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (fds.length === 0) return command;
  const bash = ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path));
  if (bash === undefined) {
    const message = `descriptor ${fds[0]} was inherited and lies above the limit of open files; close it, or raise the limit`;
    throw Object.assign(new Error(message), { code: "EMFILE_INHERITED" });
  }
  const script = `exec ${fds.map((fd) => `${fd}>&-`).join(" ")}; exec "$@"`;
  return [bash, "--noprofile", "--norc", "-c", script, "bash", ...command];
}
