import { fstatSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type * as Cli from "../../src/cli/main.ts";
import type { Program } from "../../src/cli/terminal/terminal.ts";
import type { Ended, RunOptions } from "./run-deckhand.ts";

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What Node itself reads, and mostly at its start only. */
const nodesOwn = /^(TZ|TMPDIR|TMP|TEMP|LANG|LC_.*|NODE_(?!COMPILE_CACHE$).*)$/;

/** The commands that stay, or that replace or watch the process they run in. `serve status` and the like do not. */
function isAboutItsProcess([first, second = "-"]: readonly string[]): boolean {
  if (first === undefined || ["mcp", "demo", "worker", "watchdog"].includes(first)) return true;
  return first === "serve" && second.startsWith("-");
}

const home = { cwd: process.cwd(), env: process.env };
let present: Place | undefined;
let running = 0;

/**
 * Runs `deckhand …` within this process, as the built program: that takes a tenth of the time of a start. Undefined where that
 * would not be the same: without a build, for a command that is about its process, and while one runs that sees another folder
 * or another environment, which are this process's own as long as it runs.
 */
export function runWithin(args: readonly string[], options: RunOptions & Place): Promise<Ended> | undefined {
  const { cwd, env, stdin = "", program, uid, gid } = options;
  if (process.env["DECKHAND_TEST_BUILT"] !== "1" && present === undefined) return undefined;
  if (program !== undefined || uid !== undefined || gid !== undefined || stdin === null) return undefined;
  if (isAboutItsProcess(args)) return undefined;
  if (Object.keys(env).some((name) => nodesOwn.test(name)) || !hasPipes()) return undefined;
  if (present !== undefined && !isDeepStrictEqual(present, { cwd, env })) return undefined;
  return runHere(args, { cwd, env }, stdin);
}

/** As a process that a test starts has; some commands look at what these are. */
function hasPipes(): boolean {
  const [input, output] = [fstatSync(0), fstatSync(1)];
  return (input.isFIFO() || input.isSocket()) && (output.isFIFO() || output.isSocket());
}

async function runHere(args: readonly string[], place: Place, stdin: string | Buffer): Promise<Ended> {
  enter(place);
  try {
    const cli = (await import(join(import.meta.dirname, "../../dist/cli.js"))) as typeof Cli;
    const [stdout, stderr] = [new Collected(), new Collected()];
    const input = Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)], { objectMode: false });
    const program = { stdin: input, stdout, stderr, env: { ...place.env } } as unknown as Program;
    const code = await cli.runWithin(program, args);
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    leave();
  }
}

function enter(place: Place): void {
  running += 1;
  if (present !== undefined) return;
  present = place;
  process.chdir(place.cwd);
  process.env = { ...place.env };
}

function leave(): void {
  running -= 1;
  if (running > 0) return;
  present = undefined;
  process.env = home.env;
  process.chdir(home.cwd);
}

class Collected extends Writable {
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}
