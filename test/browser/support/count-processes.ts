import { readdirSync, readFileSync } from "node:fs";

/** How many processes of this machine have this argument. */
export function countProcesses(argument: string): number {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(argument);
    } catch {
      return false; // it has just ended
    }
  }).length;
}

/** A number of seconds that no other process of this machine has in its arguments. */
export function uniqueSeconds(): string {
  return `${600 + process.pid}.${Date.now() % 100_000}`;
}
