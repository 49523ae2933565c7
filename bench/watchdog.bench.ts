import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "./bench.ts";

const home = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

function startWatchdog(
  folder: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, "../bin/deckhand.js"), "watchdog", "--", ...command], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    stdio: "ignore",
  });
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Says by a file that it runs, with its pid. */
const server = (file: string): string[] => [
  process.execPath,
  "-e",
  `require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1e6);`,
];

async function untilWritten(file: string, starter: ChildProcess): Promise<number> {
  for (;;) {
    if (starter.exitCode !== null) throw new Error(`It ended with ${starter.exitCode} instead.`);
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
    if (pid > 0) return pid;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/** With a child, after some looks at it. */
async function watchdogMegabytes(): Promise<number> {
  const folder = home();
  const file = join(folder, "pid");
  const watchdog = startWatchdog(folder, server(file));
  await untilWritten(file, watchdog);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const megabytes = residentMegabytes(watchdog.pid!);
  await end(watchdog);
  return megabytes;
}

/** From kill -9 of a child that had been well to the next one's first line of code. */
async function restartMilliseconds(): Promise<number> {
  const folder = home();
  const file = join(folder, "pid");
  const watchdog = startWatchdog(folder, server(file), { WATCHDOG_MIN_UPTIME_SECONDS: "1" });
  const pid = await untilWritten(file, watchdog);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  rmSync(file);
  const begin = performance.now();
  process.kill(pid, "SIGKILL");
  await untilWritten(file, watchdog);
  const milliseconds = performance.now() - begin;
  await end(watchdog);
  return milliseconds;
}

async function startMilliseconds(): Promise<number> {
  const file = join(home(), "pid");
  const [program, ...args] = server(file) as [string, ...string[]];
  const begin = performance.now();
  const child = spawn(program, args, { stdio: "ignore" });
  await untilWritten(file, child);
  const milliseconds = performance.now() - begin;
  await end(child);
  return milliseconds;
}

export const benches: readonly Bench[] = [
  {
    name: "watchdog: memory beside a child that runs",
    unit: "MB",
    budget: 55,
    rounds: 2,
    measure: watchdogMegabytes,
  },
  {
    name: "watchdog: a child killed with -9 runs again, against its plain start",
    unit: "×",
    budget: 3,
    rounds: 3,
    measure: restartMilliseconds,
    baseline: startMilliseconds,
  },
];
