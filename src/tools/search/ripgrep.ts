import type { ToolContext } from "../../core/tool.ts";
import type { CommandEnd } from "../../process/run/run-request.ts";
import type { Processes } from "../../process/processes.ts";
import { type Failure, failure } from "../failure.ts";
import { readOwnStart } from "../files/open-file.ts";

export interface RipgrepRequest {
  readonly options: readonly string[];
  readonly pattern: string;
  /** Relative to `cwd`. */
  readonly paths: readonly string[];
  readonly cwd: string;
  /**
   * Ripgrep keeps a whole line in memory.
   * - `limited`: at most 1 GB; a longer line makes the search fail
   * - `mapped`: files are mapped, so that any line will do; many times slower for a tree of small files
   * - `auto`: limited first, and mapped only if that fails
   */
  readonly memory: "limited" | "mapped" | "auto";
}

export interface RipgrepEnd {
  readonly ok: true;
  readonly output: Buffer;
  /** There was more output than we take. */
  readonly isCut: boolean;
  /** How many files and folders could not be read. */
  readonly unreadable: number;
}

const maxOutputBytes = 2_000_000;
const maxComplaintBytes = 65_536;

export async function runRipgrep(
  processes: Pick<Processes, "runCommand">,
  request: RipgrepRequest,
  context: ToolContext,
): Promise<RipgrepEnd | Failure> {
  const program = await findRipgrep();
  const run = (isMapped: boolean): Promise<Ended> => runOnce(processes, { ...request, program, isMapped }, context);
  const first = await run(request.memory === "mapped");
  const ended = request.memory === "auto" && first.end.killedBy === "SIGABRT" ? await run(true) : first;
  context.signal.throwIfAborted();
  return judge(ended);
}

interface Ended {
  readonly end: CommandEnd;
  readonly output: Buffer;
  readonly complaints: string;
}

async function runOnce(
  processes: Pick<Processes, "runCommand">,
  request: RipgrepRequest & { readonly program: string; readonly isMapped: boolean },
  context: ToolContext,
): Promise<Ended> {
  const { program, isMapped, options, pattern, paths } = request;
  const search = [program, isMapped ? "--mmap" : "--no-mmap", ...options, "--", pattern, ...paths] as const;
  const end = await processes.runCommand({
    argv: isMapped ? search : ["/bin/sh", "-c", withMemoryLimit, "sh", ...search],
    cwd: request.cwd,
    env: context.env,
    executionId: context.executionId,
    signal: context.signal,
    maxOutputBytes,
    childless: true,
  });
  // That we end it once there is enough output is nothing to report, unless it did not end.
  if (end.stop !== null && (end.stoppedBy === "signal" || end.stop.survivors.length > 0)) context.stopped(end.stop);
  try {
    const output = await readOutput(end.stdout.path, maxOutputBytes);
    const complaints = await readOutput(end.stderr.path, maxComplaintBytes);
    return { end, output, complaints: complaints.toString("utf8") };
  } finally {
    await end.discard();
  }
}

/** Where the system has no such limit (macOS), the search goes on without. */
const withMemoryLimit = 'ulimit -v 1000000 2>/dev/null; exec "$@"';

function judge({ end, output, complaints }: Ended): RipgrepEnd | Failure {
  if (end.startError !== null) {
    const error = `ripgrep could not be started (${end.startError.message}).`;
    return failure("spawn", error, "Install the package @vscode/ripgrep for this platform, or put rg on the PATH.");
  }
  const isCut = end.stoppedBy === "output_limit";
  if (end.killedBy !== null && !isCut) {
    return failure(
      "signal",
      `ripgrep was killed by ${end.killedBy}.`,
      "A file may have changed while it was searched: try again.",
    );
  }
  if (end.exitCode === 127 && complaints.includes("not found")) {
    return failure(
      "spawn",
      "ripgrep is not installed.",
      "Install the package @vscode/ripgrep for this platform, or put rg on the PATH.",
    );
  }
  const unreadable = complaints.match(/\(os error \d+\)$/gm)?.length ?? 0;
  if (end.exitCode === 2 && unreadable === 0) return refusal(complaints);
  return { ok: true, output, isCut, unreadable };
}

/** What ripgrep said about a pattern or type it does not take, in one sentence. */
function refusal(complaints: string): Failure {
  const said = /^error: (.+)/m.exec(complaints)?.[1] ?? /^rg: (.+)/m.exec(complaints)?.[1] ?? complaints.trim();
  if (said.startsWith("unrecognized file type")) {
    return failure(
      "invalid_input",
      `There is no such type: ${said.split(": ")[1]}.`,
      "Use glob instead, such as *.ts.",
    );
  }
  const hint = /look-around|backreference/.test(said)
    ? "Write it without look-around and backreferences."
    : said.includes('literal "\\n"')
      ? "Set multiline to true."
      : "Correct the regular expression, or set fixed_strings to search for the text as it is.";
  return failure("pattern", `The pattern is not valid: ${said}.`, hint);
}

export async function findRipgrep(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    // Not built for this platform: perhaps the system has one.
    return "rg";
  }
}

async function readOutput(path: string, maxBytes: number): Promise<Buffer> {
  return path === "" ? Buffer.alloc(0) : readOwnStart(path, maxBytes);
}
