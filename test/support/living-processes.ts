import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface LivingProcess {
  readonly pid: number;
  /** The words of its command line, joined by spaces. */
  readonly command: string;
}

/**
 * Every process that still runs something, read from the system itself: no code under test has a say in it. A zombie runs
 * nothing. Linux needs no `ps` for it, which is a package of its own there.
 */
export function livingProcesses(): LivingProcess[] {
  if (process.platform === "linux") return readdirSync("/proc").flatMap((name) => lookAt(name) ?? []);
  const rows = execFileSync("ps", ["-A", "-ww", "-o", "stat=,pid=,args="], { encoding: "utf8" }).split("\n");
  return rows.flatMap((row) => {
    const [, state, pid, command] = /^\s*(\S+)\s+(\d+)\s+(.*)$/.exec(row) ?? [];
    return state === undefined || state.startsWith("Z") ? [] : [{ pid: Number(pid), command: command! }];
  });
}

/** False for a zombie as well, which answers to signal 0 until its parent has noticed its end. */
export function isRunning(pid: number): boolean {
  return livingProcesses().some((each) => each.pid === pid);
}

/** Undefined for what is not a process, has gone, or is a zombie. */
function lookAt(name: string): LivingProcess | undefined {
  if (!/^\d+$/.test(name)) return undefined;
  try {
    const state = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)![0];
    const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
    return state === "Z" || state === "X" ? undefined : { pid: Number(name), command: words.join(" ").trimEnd() };
  } catch {
    return undefined;
  }
}
