import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Plan, Report, ServedTurn } from "./model-server.ts";

export type Runner = "deckhand" | "floor";

export interface Scenario {
  readonly turns: number;
  /** In one turn. Each is of a file of its own. */
  readonly reads: number;
  readonly fileBytes: number;
  readonly pauseMs?: number;
  /** Its output is events, one line each. */
  readonly asJson?: boolean;
  readonly nodeFlags?: readonly string[];
}

export interface AgentRun extends Report {
  /** From starting the program to its first request. */
  readonly startMs: number;
  /** For each turn but the first: from the end of the reply before to this request. */
  readonly gapsMs: readonly number[];
  readonly output: string;
}

/** Plays a scenario with one program, in a workdir and a home of its own, against a model in a process of its own. */
export async function runAgent(runner: Runner, scenario: Scenario): Promise<AgentRun> {
  const home = join(places(), "home");
  const workdir = mkdtempSync(join(places(), "workdir-"));
  const { turns, reads, fileBytes, pauseMs = 0, asJson = false, nodeFlags = [] } = scenario;
  const plan = Array.from({ length: turns }, (_, turn) =>
    Array.from({ length: reads }, (__, read) => writeFile(workdir, `file-${turn}-${read}.txt`, fileBytes)),
  );
  const server = fork(join(import.meta.dirname, "model-server.ts"));
  const [port] = (await once(server, "message")) as [number];
  const begin = performance.timeOrigin + performance.now();
  const program = spawn(
    process.execPath,
    [...nodeFlags, ...programs[runner], "Read the files.", ...(asJson ? ["--json"] : [])],
    {
      cwd: workdir,
      stdio: ["ignore", "pipe", "pipe"],
      // What else is set here, such as proxies, would make the figures those of this machine.
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      },
    },
  );
  server.send({ turns: plan, pauseMs, pid: program.pid! } satisfies Plan);
  const [output, errors, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, "close") as Promise<[number | null]>,
  ]);
  server.send("report");
  const [report] = (await once(server, "message")) as [Report];
  rmSync(workdir, { recursive: true, force: true });
  const isPlayed = code === 0 && report.turns.length === turns + 1;
  if (!isPlayed) throw new Error(`${runner} ended with ${code} after ${report.turns.length} turns: ${output}${errors}`);
  return { ...report, startMs: report.turns[0]!.arrivedAt - begin, gapsMs: gapsOf(report.turns), output };
}

const programs: Record<Runner, readonly string[]> = {
  deckhand: [resolve("bin/deckhand.js"), "run", "--model", "claude-sonnet-5", "--max-turns", "1000"],
  floor: [join(import.meta.dirname, "floor-loop.mjs")],
};

let place: string | undefined;

/** One home for all runs: what the compile cache holds after the first, the others find. */
function places(): string {
  if (place !== undefined) return place;
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "home"));
  return (place = folder);
}

/** It ends with a line by which the model knows that it saw it. */
function writeFile(workdir: string, name: string, bytes: number): string {
  const end = `END OF ${name}\n`;
  const line = `a line of ${name}, as long as lines of text usually are in files\n`;
  const lines = line.repeat(Math.max(0, Math.floor((bytes - end.length) / line.length)));
  writeFileSync(join(workdir, name), lines + end);
  return name;
}

function gapsOf(turns: readonly ServedTurn[]): number[] {
  return turns.slice(1).map(({ arrivedAt }, index) => arrivedAt - turns[index]!.endedAt);
}
