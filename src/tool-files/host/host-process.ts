import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { SandboxReport } from "../../core/call.ts";
import type { Clock } from "../../core/clock.ts";
import type { ErrorType } from "../../core/errors.ts";
import type { StopReport } from "../../core/process.ts";
import { lastLine } from "../../guard/terminal-text/quote-text.ts";
import type { Processes } from "../../process/processes.ts";
import type { Peer } from "../../process/run/open-peer.ts";
import type { CommandExit } from "../../process/run/run-request.ts";
import { settlesWithin } from "../../process/stop/wait.ts";
import { type HostPlace, hostProgramOf } from "./host-program.ts";
import type { FromHost, RawFile, ToHost } from "./host-protocol.ts";
import type { FileProblem, ToolFile } from "./tool-host.ts";

export interface HostParts extends HostPlace {
  readonly processes: Pick<Processes, "openPeer" | "sandbox">;
  readonly clock: Clock;
  /** Nothing may run without an OS sandbox. */
  readonly isStrict: boolean;
  /** Looks at the copy before it is run, and mends it; says why it can't be used. Left out: it is taken as it is. */
  readonly whyUnusable?: (file: ToolFile) => FileProblem | null;
}

export type Loaded =
  | { readonly ok: true; readonly file: RawFile }
  | { readonly ok: false; readonly problem: FileProblem };

export interface HostEvents {
  onMessage(message: Exclude<FromHost, { kind: "stripped" | "loaded" | "broken" | "closed" | "exiting" }>): void;
  /** Pieces of what the tool and its children print. */
  onPrinted(piece: Buffer): void;
}

/** One process with one content in it; what the calls in it are is not known here. */
export interface HostProcess {
  readonly pid: number;
  readonly sandbox: SandboxReport;
  /** Resolves when the file is imported, or when that failed, or when the process ended before. */
  readonly loaded: Promise<Loaded>;
  readonly ended: Promise<HostEnd>;
  send(message: ToHost): void;
  printed(): string;
  /** Asks it to close what it made and to end; after `closeMs` it is ended. */
  close(): Promise<StopReport>;
  /** Ends it with all that it started. */
  stop(reason: Exclude<HostEnd["stoppedFor"], null>): Promise<StopReport>;
}

export type HostStart = { readonly ok: true; readonly host: HostProcess } | HostRefusal;

/** Why there is no host. */
export interface HostRefusal {
  readonly ok: false;
  readonly problem: FileProblem;
  readonly errorType: ErrorType;
}

let number = 0;

export async function openHost(parts: HostParts, file: ToolFile, events: HostEvents): Promise<HostStart> {
  const unusable = parts.whyUnusable?.(file);
  if (unusable) return { ok: false, problem: unusable, errorType: "broken_tool" };
  const program = hostProgramOf(file, parts);
  if (typeof program === "string") return refuse(program, "spawn");
  if (parts.isStrict && (await parts.processes.sandbox()).kind === "none") {
    const message = `"${file.shown}" is not run: in strict mode tool files need an OS sandbox, and this machine has none.`;
    return refuse(message, "denied", "Install bubblewrap, or switch strict mode off.");
  }
  const start = await parts.processes.openPeer({
    argv: program.argv,
    cwd: parts.workdir,
    env: parts.env,
    executionId: `host_${file.hash.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 16)}_${++number}`,
    onStderr: (piece) => events.onPrinted(piece),
    readable: program.readable,
  });
  if (!start.ok)
    return refuse(`The host of "${file.shown}" could not be started: ${start.startError.message}`, "spawn");
  return { ok: true, host: attach(parts, { file, peer: start.peer }, events) };
}

function refuse(message: string, errorType: ErrorType, hint: string | null = null): HostRefusal {
  return { ok: false, problem: { message, line: null, hint }, errorType };
}

function attach(parts: HostParts, { file, peer }: { file: ToolFile; peer: Peer }, events: HostEvents): HostProcess {
  const { clock, limits } = parts;
  const loading = Promise.withResolvers<Loaded>();
  const drained = new Promise<void>((resolve) => void peer.stdout.once("close", () => resolve()));
  let exiting: HostEnd["exiting"] = null;
  let stoppedFor: HostEnd["stoppedFor"] = null;
  let stopping: Promise<StopReport> | undefined;
  readFrames(peer.stdout, {
    onFrame: (frame) => take(frame as FromHost),
    onGarbage: () => void stop("garbage"),
  });
  const cancelLoadTimer = clock.after(limits.loadMs, () => {
    loading.resolve({ ok: false, problem: tooSlow(limits.loadMs) });
    void stop("load");
  });
  const ended = settle();
  return {
    pid: peer.pid,
    sandbox: peer.sandbox,
    loaded: loading.promise.finally(cancelLoadTimer),
    ended,
    send: (message) => void peer.stdin.write(`${JSON.stringify(message)}\n`),
    printed: () => peer.stderrTail(),
    close,
    stop,
  };

  function take(message: FromHost): void {
    if (message.kind === "loaded") loading.resolve({ ok: true, file: message.file });
    else if (message.kind === "broken") loading.resolve({ ok: false, problem: message.problem });
    else if (message.kind === "exiting") exiting = message;
    else if (message.kind === "stripped") void parts.stripped.keep(file, message.text);
    else if (message.kind !== "closed") events.onMessage(message);
  }

  function stop(reason: Exclude<HostEnd["stoppedFor"], null>): Promise<StopReport> {
    stoppedFor ??= reason;
    return (stopping ??= peer.stop());
  }

  async function close(): Promise<StopReport> {
    stoppedFor ??= "close";
    peer.stdin.end(`${JSON.stringify({ kind: "close" } satisfies ToHost)}\n`);
    await settlesWithin(clock, peer.exited, limits.closeMs);
    const report = await stop("close");
    await ended;
    return report;
  }

  async function settle(): Promise<HostEnd> {
    const exit = await peer.exited;
    // What it wrote last may still be on its way.
    await settlesWithin(clock, drained, 1000);
    const end: HostEnd = { ...exit, stoppedFor, exiting, stderr: peer.stderrTail() };
    loading.resolve({ ok: false, problem: endedEarly(exit, end) });
    return end;
  }
}

function tooSlow(loadMs: number): FileProblem {
  return {
    message: `It was not imported within ${loadMs / 1000} s.`,
    line: null,
    hint: "Something at the top of the file never ends, such as a loop or an await; move it into run() or create().",
  };
}

function endedEarly(exit: CommandExit, { exiting, stderr }: HostEnd): FileProblem {
  const how = exiting
    ? `ended its process with exit code ${exiting.code}`
    : exit.killedBy
      ? `was killed by ${exit.killedBy}`
      : `ended with exit code ${exit.exitCode}`;
  const said = lastLine(stderr);
  return {
    message: `While it was imported it ${how}${said === "" ? "" : `: ${said}`}.`,
    line: null,
    hint: exiting ? "A tool file must not call process.exit()." : null,
  };
}

/** Twice what the largest honest message can have. */
const longestFrame = 64 * 1024 * 1024;

/**
 * Calls back with each line, parsed. What is no JSON object, or too long, is told once; then nothing is read any more.
 */
function readFrames(
  stream: Readable,
  handlers: { onFrame(frame: unknown): void; onGarbage(what: string): void },
): void {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  stream.on("data", (bytes: Buffer) => {
    let text = decoder.write(bytes);
    let at: number;
    while ((at = text.indexOf("\n")) >= 0) {
      const line = pieces.join("") + text.slice(0, at);
      pieces = [];
      length = 0;
      text = text.slice(at + 1);
      const frame = parse(line);
      if (frame === undefined) return giveUp(`"${line.slice(0, 80)}"`);
      handlers.onFrame(frame);
    }
    length += text.length;
    if (length > longestFrame) return giveUp(`a message of more than ${longestFrame} characters`);
    if (text !== "") pieces.push(text);
  });

  function giveUp(what: string): void {
    stream.removeAllListeners("data");
    stream.resume();
    handlers.onGarbage(what);
  }
}

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How the process of a tool came to its end, as far as anybody told. */
export interface HostEnd extends CommandExit {
  /** What made us end it; null when it ended by itself. */
  readonly stoppedFor: "cancel" | "check" | "load" | "output" | "garbage" | "close" | null;
  /** It said that it would. */
  readonly exiting: { readonly id: number | null; readonly code: number } | null;
  readonly stderr: string;
}

export interface EndReason {
  readonly error: string;
  readonly errorType: ErrorType;
  readonly hint?: string;
}

/** The sentence for a call that was under way when its process ended. */
export function explainEnd(end: HostEnd, memoryMb: number): EndReason {
  if (end.stoppedFor === "output") {
    return {
      error: "The tool printed without end and was stopped.",
      errorType: "output_limit",
      hint: "Return what matters, and print little.",
    };
  }
  if (end.stoppedFor === "garbage")
    return { error: "The tool wrote into the channel of its host and was stopped.", errorType: "crashed" };
  if (end.stoppedFor !== null) return { error: "The tool was stopped.", errorType: "cancelled" };
  if (outOfMemory.test(end.stderr)) {
    return {
      error: `The tool used more than ${memoryMb} MB of memory and was ended.`,
      errorType: "memory",
      hint: "Work on the data in pieces.",
    };
  }
  if (end.exiting) {
    return {
      error: `The tool ended its own process with exit code ${end.exiting.code}.`,
      errorType: "crashed",
      hint: "Return a result or throw an error; a tool must not call process.exit().",
    };
  }
  const how = end.killedBy ? `was killed by ${end.killedBy}` : `ended with exit code ${end.exitCode}`;
  return { error: `The process of the tool ${how}.`, errorType: "crashed" };
}

/** For a call that only ran in the same process as the one that made it end. */
export const bystander: EndReason = {
  error:
    "The process that this call ran in was ended because of another call of the same tool; how far it came is unknown.",
  errorType: "runtime_lost",
};

const outOfMemory =
  /heap out of memory|Fatal process out of memory|Fatal JavaScript (?:out of memory|invalid size)|FATAL ERROR: .*(?:memory|OOM)/;
