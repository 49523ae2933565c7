import { readFileSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import type { ProcessTable } from "../../process/stop/process-table.ts";
import { wait } from "../../process/stop/wait.ts";

/** What a process that does not answer is doing, as far as can be seen from outside. One sentence. */
export async function describeHang(pid: number, table: ProcessTable, clock: Clock): Promise<string> {
  const entry = table.find(pid);
  if (!entry?.alive) return "It has just ended.";
  if (entry.stopped) return "It was held by a signal (SIGSTOP) or a debugger.";
  const before = readWork(pid);
  if (before === null) return "What it does can't be seen on this system.";
  await wait(clock, sampleMs);
  const after = readWork(pid) ?? before;
  // On a machine with much to do, one that would run all the time gets little of it, but waits for nothing else.
  if (after.usedMs - before.usedMs >= busyMs || (before.isRunnable && after.isRunnable)) {
    return `It kept a processor busy (${after.usedMs - before.usedMs} ms of ${sampleMs} ms): a loop, or very long work.`;
  }
  const place = readText(`/proc/${pid}/wchan`);
  return `It used no processor and waited${place && place !== "0" ? ` in ${place}` : ""}.`;
}

const sampleMs = 300;
const busyMs = 50;
/** The kernel counts in these. */
const tickMs = 10;

function readWork(pid: number): { readonly usedMs: number; readonly isRunnable: boolean } | null {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const usedMs = (Number(fields[11]) + Number(fields[12])) * tickMs;
  return Number.isFinite(usedMs) ? { usedMs, isRunnable: fields[0] === "R" } : null;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
