import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type {
  AgentAdapter,
  AgentExit,
  AgentVerdict,
  PlacedOrder,
  ReaderNews,
} from "../../../src/tasks/adapters/agent-adapter.ts";
import { afterTest } from "../../support/after-test.ts";

export interface DriveRequest {
  readonly adapter: AgentAdapter;
  readonly order: PlacedOrder;
  /** The task's folder is made in it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Drive {
  readonly lines: readonly string[];
  readonly news: readonly ReaderNews[];
  readonly exit: AgentExit;
  readonly verdict: AgentVerdict;
  readonly partial: string;
  /** Of the plan, or else what the CLI told. */
  readonly sessionId: string | null;
}

export interface StartedDrive {
  readonly ended: Promise<Drive>;
  /** TERM for the whole group, then KILL. */
  stop(): Promise<void>;
  /** What its reader told so far. */
  news(): readonly ReaderNews[];
  /** Processes of it that still live, wherever they went. */
  left(): number[];
}

/** Told apart by this, whatever they do: children get it from their parents. */
export const markName = "TEST_MARK";

type Context = { after(hook: () => Promise<void>): void };

/** Starts what an adapter planned, in a session of its own, and reads it as a task manager would. */
export async function driveAgent(t: Context, request: DriveRequest): Promise<StartedDrive> {
  const { adapter, order } = request;
  const folder = await mkdtemp(join(request.folder, "task-"));
  const plan = adapter.plan(order, { folder, sessionId: randomUUID() });
  for (const [name, text] of Object.entries(plan.files ?? {})) await writeFile(join(folder, name), text);
  await writeFile(join(folder, "stdin"), plan.stdin ?? "");
  const mark = randomUUID();
  const stdin = openSync(plan.stdin === undefined ? "/dev/null" : join(folder, "stdin"), "r");
  const child = spawn(plan.program ?? adapter.program, [...plan.args], {
    cwd: order.cwd,
    detached: true,
    stdio: [stdin, "pipe", "pipe"],
    env: { ...request.env, ...withoutNull(plan.env), [markName]: mark },
  });
  closeSync(stdin);
  const reader = adapter.openReader();
  const lines: string[] = [];
  const news: ReaderNews[] = [];
  let errorText = "";
  const output = createInterface({ input: child.stdout! });
  output.on("line", (line) => {
    lines.push(line);
    const told = reader.line(line);
    if (told) news.push(told);
  });
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (errorText += text));
  afterTest(t, stop);
  return { ended: end(), stop, news: () => news, left: () => findMarked(mark) };

  async function end(): Promise<Drive> {
    const [[code, signal]] = (await Promise.all([once(child, "exit"), once(output, "close")])) as unknown as [
      [number | null, string | null],
    ];
    const exit = { code, signal, errorText: errorText.slice(-4000) };
    const told = news.findLast((each) => each.sessionId !== undefined)?.sessionId;
    const sessionId = told ?? plan.sessionId;
    return { lines, news, exit, verdict: reader.end(exit), partial: reader.partial(), sessionId };
  }

  async function stop(): Promise<void> {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      try {
        process.kill(-child.pid!, signal);
      } catch {
        return; // The group is gone.
      }
      const until = Date.now() + 5000;
      while (findMarked(mark).length > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export async function writeHome(home: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

function withoutNull(env: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Processes with this mark in their environment. */
export function findMarked(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readEnvironment(name).includes(mark))
    .map(Number);
}

function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return ""; // It ended meanwhile, or is not ours.
  }
}
