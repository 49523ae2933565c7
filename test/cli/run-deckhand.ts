import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bwrapWorks } from "../support/require.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { runWithin } from "./run-within.ts";

const root = join(import.meta.dirname, "..", "..");
export const built = [join(root, "bin", "deckhand.js")];
const sources = [join(root, "test", "fixtures", "cli", "deckhand.ts")];
/** What `deckhand` means in a test: `npm test` builds it first; without that runner nothing says that the build is fresh. */
export const deckhand = process.env["DECKHAND_TEST_BUILT"] === "1" ? built : sources;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A person's machine in small: a workdir, and homes of their own for configuration, state and cache. */
export interface Machine {
  readonly workdir: string;
  readonly env: Record<string, string>;
  /** Runs `deckhand …` in the workdir to its end; under `npm test` mostly within this process (see `run-within.ts`). */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** A process of its own: for what is about signals, pids, pipes, or its end. */
  start(args: readonly string[], options?: RunOptions): Started;
}

export interface RunOptions {
  readonly program?: readonly string[];
  /** What is piped into stdin; without it stdin is empty. `null`: a pipe that stays open. */
  readonly stdin?: string | Buffer | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The user who runs it; only root can choose. */
  readonly uid?: number;
  readonly gid?: number;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
}

export async function openMachine(t: { after(hook: () => Promise<void>): void }): Promise<Machine> {
  const folder = await temporaryFolder(t);
  const workdir = join(folder, "work");
  await mkdir(workdir);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_CACHE_HOME: join(folder, "cache"),
    NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "deckhand-test"),
    // Where there is no sandbox, this person knows: the note about it would be in every test that looks at stderr.
    ...(bwrapWorks || process.platform === "darwin" ? {} : { DECKHAND_SANDBOX: "off" }),
  };
  const start = (args: readonly string[], options: RunOptions = {}): Started => {
    const child = spawn(process.execPath, [...(options.program ?? deckhand), ...args], {
      cwd: options.cwd ?? workdir,
      env: { ...env, ...options.env },
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    });
    return follow(child, options.stdin);
  };
  const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    runWithin(args, { ...options, env: { ...env, ...options.env }, cwd: options.cwd ?? workdir }) ??
    start(args, options).ended;
  return { workdir, env, start, run };
}

export function follow(child: ChildProcessWithoutNullStreams, stdin: string | Buffer | null | undefined): Started {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on("data", (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.stderr.push(chunk));
  child.stdin.on("error", () => undefined);
  if (stdin !== null) child.stdin.end(stdin ?? "");
  const stdout = (): string => Buffer.concat(chunks.stdout).toString();
  const stderr = (): string => Buffer.concat(chunks.stderr).toString();
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.on("close", (code, signal) => {
    child.stdin.destroy();
    resolve({ code, signal, stdout: stdout(), stderr: stderr() });
  });
  return { child, ended: promise, stdout, stderr };
}
