import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import type { CommandEnd, CommandRequest } from "../../src/process/run/run-request.ts";
import { createProcesses } from "../../src/process/processes.ts";
import type { Processes, ProcessesOptions } from "../../src/process/processes.ts";
import type { SandboxView } from "../../src/process/sandbox/sandbox-view.ts";
import { livingProcesses } from "../support/living-processes.ts";
import { bwrapWorks, lane } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";

export type Mode = "off" | "require";
/** Without and with a sandbox; what holds for a command holds for both. */
export const modes: readonly Mode[] = ["off", "require"];

/** The options of a test that runs in this mode. */
export function inMode(mode: Mode): { skip?: string } {
  return mode === "off" ? {} : lane("bwrap", bwrapWorks || "bubblewrap is not installed or may not make namespaces");
}

interface TestContext {
  after(hook: () => Promise<void>): void;
}

export interface Bench {
  readonly folder: string;
  readonly processes: Processes;
  readonly run: (argv: readonly [string, ...string[]], more?: Partial<CommandRequest>) => Promise<CommandEnd>;
}

/** Processes in a folder of their own, closed after the test; the run folder must be empty then. */
export async function openBench(t: TestContext, options: Partial<ProcessesOptions> = {}): Promise<Bench> {
  // Hooks run in the order they were made, and the folder must go last.
  const removals: (() => Promise<void>)[] = [];
  const folder = await temporaryFolder({ after: (remove) => void removals.push(remove) });
  const runFolder = options.runFolder ?? join(folder, "run");
  const view = (): SandboxView => viewOf(folder);
  const processes = createProcesses({ clock: systemClock, sandbox: "off", graceMs: 200, view, ...options, runFolder });
  t.after(async () => {
    try {
      await processes.close();
      if (!options.runFolder) assert.deepEqual(readdirSync(runFolder), []);
    } finally {
      for (const remove of removals) await remove();
    }
  });
  let number = 0;
  return {
    folder,
    processes,
    run: (argv, more) =>
      processes.runCommand({
        argv,
        cwd: folder,
        env: { PATH: process.env["PATH"]! },
        executionId: `call_${process.pid}_${++number}`,
        signal: new AbortController().signal,
        maxOutputBytes: 10_000_000,
        ...more,
      }),
  };
}

/** The folder is the workdir, and nothing else is special. */
export function viewOf(workdir: string, more: Partial<SandboxView> = {}): SandboxView {
  // The repository may have been cloned into /tmp, and its programs are what these tests run.
  const readable = [join(import.meta.dirname, "../..")];
  return { workdir, profile: "normal", network: true, hidden: [], readOnly: [], writable: [], readable, ...more };
}

/** The runs that have a folder; what the runtime itself keeps beside them goes when it is closed. */
export function runsIn(runFolder: string): string[] {
  return readdirSync(runFolder).filter((name) => !name.startsWith("private,"));
}

export const textOf = (file: { readonly path: string }): string => readFileSync(file.path, "utf8");

export const fixture = (name: string): string => join(import.meta.dirname, "../fixtures", name);

/** Resolves when the condition holds; fails after the deadline. */
export async function eventually(condition: () => boolean, what: string, deadlineMs = 60_000): Promise<void> {
  const until = Date.now() + deadlineMs;
  while (!condition()) {
    if (Date.now() > until) assert.fail(`Not within ${deadlineMs} ms: ${what}`);
    await pause(10);
  }
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** The processes with this text in their command line, each as its pid and that line. */
export function commandsWith(text: string): string[] {
  return livingProcesses()
    .filter(({ command }) => command.includes(text))
    .map(({ pid, command }) => `${pid} ${command}`);
}

export function sizesIn(folder: string): Record<string, number> {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]));
}
