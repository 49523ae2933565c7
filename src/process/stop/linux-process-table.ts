import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { clipText } from "../../core/text.ts";
import { codeOf } from "../../core/errors.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";

/** Reads /proc, synchronously: a scan of 100 processes takes about a millisecond, through the thread pool ten. */
export function linuxProcessTable(): ProcessTable {
  const boot = readText("/proc/sys/kernel/random/boot_id").trim();
  const namespace = namespaceOf("self");
  // Where /proc is that of another namespace, its ids say nothing about ours.
  const isOurs = linkTarget("/proc/self") === String(process.pid);
  return {
    bootId: `${boot}/${namespace}`,
    seesEnvironment: true,
    processIds,
    idsSince: (earlier) => (isOurs ? idsSince(earlier) : undefined),
    isThread,
    orderOf: Number,
    find,
    childrenOf,
    hasVariable,
    writesTo,
    describe,
    mayBeRunningElsewhere(bootId) {
      const [otherBoot, otherNamespace] = bootId.split("/");
      if (otherBoot !== boot) return false;
      // Only the first namespace sees every other one; from any other place we can't know, so it may be.
      if (namespace !== initialNamespace) return true;
      return processIds().some((pid) => namespaceOf(pid) === otherNamespace);
    },
  };
}

/** The kernel's fixed number for the PID namespace that a machine boots with. */
const initialNamespace = "4026531836";
/** PF_KTHREAD in the flags of /proc/PID/stat. */
const kernelThread = 0x0020_0000;
const mostIdsAtOnce = 2000;
const buffer = Buffer.allocUnsafeSlow(4096);

function processIds(): number[] {
  return readdirSync("/proc").filter(isNumber).map(Number);
}

function idsSince(earlier: number | null): ReturnType<ProcessTable["idsSince"]> {
  // Not the last number of /proc/loadavg: in some containers that is an imitation.
  const last = Number(readText("/proc/sys/kernel/ns_last_pid"));
  if (last === 0) return undefined;
  if (earlier === null || earlier === last) return { last, ids: [] };
  const ids = idsBetween(earlier, last, Number(readText("/proc/sys/kernel/pid_max")) - 1);
  return ids && { last, ids };
}

function isThread(id: number): boolean {
  const process = /^Tgid:\s*(\d+)$/m.exec(readText(`/proc/${id}/status`))?.[1];
  return process !== undefined && process !== String(id);
}

/** All after the first and up to the second; past the highest it goes on with 1. Undefined when they are too many to look at. */
export function idsBetween(earlier: number, last: number, highest: number): readonly number[] | undefined {
  const count = last >= earlier ? last - earlier : highest - earlier + last;
  if (count > mostIdsAtOnce) return undefined;
  const ids = Array.from({ length: count }, (_, index) => earlier + 1 + index);
  return ids.map((id) => (id > highest && last < earlier ? id - highest : id));
}

function isNumber(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 48 && first <= 57;
}

function find(pid: number): ProcessEntry | undefined {
  const path = `/proc/${pid}/stat`;
  // Most ids of processes that come and go are free again by now: this is a third of what a failed open costs.
  if (!existsSync(path)) return undefined;
  const stat = readText(path);
  // The name is in parentheses and may hold any character, also spaces and parentheses.
  const afterName = stat.lastIndexOf(")");
  if (afterName < 0) return undefined;
  const fields = stat.slice(afterName + 2).split(" ", 20);
  const state = fields[0]!;
  const startTime = fields[19]!;
  return {
    pid,
    parentPid: Number(fields[1]),
    groupId: Number(fields[2]),
    sessionId: Number(fields[3]),
    startTime,
    startOrder: Number(startTime),
    alive: state !== "Z" && state !== "X" && state !== "x",
    // Not by a group and session of 0: in a container that was entered from outside, every process shows those.
    kernel: (Number(fields[6]) & kernelThread) !== 0,
    stopped: state === "T" || state === "t",
  };
}

function childrenOf(pid: number): ProcessEntry[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  // Kernels may be built without that file, and then only everybody's parents tell.
  const listed = existsSync(path);
  const pids = listed ? readText(path).split(" ").filter(isNumber).map(Number) : processIds();
  return pids.flatMap((each) => {
    const entry = find(each);
    return entry?.alive && entry.parentPid === pid ? [entry] : [];
  });
}

function hasVariable(pid: number, assignment: string): boolean | undefined {
  let environment: Buffer;
  try {
    environment = readFileSync(`/proc/${pid}/environ`);
  } catch (thrown) {
    return isForbidden(thrown) ? false : undefined; // another user's process is none of ours
  }
  // In the middle of an exec there is no command line either.
  if (environment.length === 0) return readText(`/proc/${pid}/cmdline`) === "" ? undefined : false;
  for (let at = environment.indexOf(assignment); at >= 0; at = environment.indexOf(assignment, at + 1)) {
    const end = at + Buffer.byteLength(assignment);
    const whole = (at === 0 || environment[at - 1] === 0) && (end === environment.length || environment[end] === 0);
    if (whole) return true;
  }
  return false;
}

function isForbidden(thrown: unknown): boolean {
  return codeOf(thrown) === "EACCES" || codeOf(thrown) === "EPERM";
}

function writesTo(pid: number, paths: ReadonlySet<string>): boolean | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (fd) => paths.has(linkTarget(`/proc/${pid}/fd/${fd}`)) && isWritable(pid, fd),
    );
  } catch (thrown) {
    return isForbidden(thrown) ? false : undefined;
  }
}

/** Somebody who only reads the file, such as a person with `tail -f`, is no part of the command. */
function isWritable(pid: number, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readText(`/proc/${pid}/fdinfo/${fd}`))?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & 0o3) !== 0;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function namespaceOf(pid: number | "self"): string {
  return /\d+/.exec(linkTarget(`/proc/${pid}/ns/pid`))?.[0] ?? "";
}

function describe(pid: number): string {
  const words = readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return clipText(words || readText(`/proc/${pid}/comm`).trim(), 200);
}

/** At most 4 kB of a file of /proc; empty when it is not there. Half the system calls of `readFileSync`. */
function readText(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    return buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch {
    return ""; // ESRCH: it ended between open and read
  } finally {
    closeSync(fd);
  }
}
