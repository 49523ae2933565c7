import { execFileSync } from "node:child_process";
import { until } from "../support/runtime.ts";

/** A text that no other process on this machine has in its command line. */
export function uniqueSeconds(): string {
  return `3${process.pid}.${Math.floor(Math.random() * 1e9)}`;
}

/** How many processes have this text in their command line, besides `sh -c …` wrappers that only mention it. */
export function countProcesses(text: string): number {
  const rows = execFileSync("ps", ["-A", "-ww", "-o", "stat=,args="], { encoding: "utf8" }).split("\n");
  return rows.filter((row) => /^\S+\s+sleep /.test(row) && row.includes(text) && !row.startsWith("Z")).length;
}

export async function untilProcesses(text: string, count: number): Promise<void> {
  await until(`${count} processes named ${text} run`, () => countProcesses(text) === count);
}
