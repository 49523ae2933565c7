import type { Readable, Writable } from "node:stream";
import type { SandboxReport } from "../../core/call.ts";
import type { StopReport } from "../../core/process.ts";
import type { CommandExit, StartError } from "./run-request.ts";
import type { HeldRun } from "./hold-run.ts";
import type { LiveRun, ProcessParts } from "../processes.ts";
import { startRun } from "./start-run.ts";
import { settlesWithin } from "../stop/wait.ts";

export interface PeerRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child; the marker is added to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Names its private folder and marks its processes. */
  readonly executionId: string;
  /** When it fires, the peer is stopped. */
  readonly signal?: AbortSignal;
  /** How much of its stderr is kept. */
  readonly stderrBytes?: number;
  /** Its stderr piece by piece, as it comes. */
  readonly onStderr?: (piece: Buffer) => void;
  /** Files and folders of ours that it needs and that the sandbox would not show, as the strict one shows only the workdir. */
  readonly readable?: readonly string[];
}

/** Not starting is a value here as well: a missing program of a configured server is nothing unexpected. */
export type PeerStart =
  | { readonly ok: true; readonly peer: Peer }
  | { readonly ok: false; readonly startError: StartError };

/** A child that we talk to through pipes: a tool host, an MCP server, another agent. */
export interface Peer {
  readonly pid: number;
  /** What holds it. */
  readonly sandbox: SandboxReport;
  /** Writing to a peer that has ended does nothing; its end is told by `exited`. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The last part of what it wrote to stderr. */
  stderrTail(): string;
  /** Resolves when it has ended and what it left behind is ended too. Never rejects. */
  readonly exited: Promise<CommandExit>;
  /** Ends it and everything it started. Also possible after it has ended by itself. */
  stop(): Promise<StopReport>;
}

export async function openPeer(parts: ProcessParts, request: PeerRequest): Promise<PeerStart> {
  const pipes = { stdin: "pipe", stdout: "pipe", stderr: "pipe", paths: [] } as const;
  const start = await startRun(parts, { ...request, kind: "peer", outputs: () => pipes });
  if (!start.ok) return start;
  return { ok: true, peer: attach(parts, request, start.held) };
}

function attach(parts: ProcessParts, request: PeerRequest, held: HeldRun): Peer {
  const { child, ended, stderr, identity } = held.launched;
  const { stdin, stdout } = child as typeof child & { stdin: Writable; stdout: Readable };
  const tail = keepTail(stderr!, request.stderrBytes ?? 64 * 1024);
  if (request.onStderr) stderr!.on("data", request.onStderr);
  // EPIPE and ECONNRESET: it ended while we wrote. `exited` tells it; an unheard "error" would end the runtime.
  stdin.on("error", () => {});
  stdout.on("error", () => {});

  let stopping: Promise<StopReport> | undefined;
  let sandboxError = "";
  const stop = (): Promise<StopReport> => (stopping ??= held.stop());
  const live: LiveRun = {
    killNow: () => held.killNow(),
    async end() {
      await stop();
      await settlesWithin(parts.clock, exited, 1000);
    },
  };
  parts.owned.add(live);
  const onAbort = (): void => void stop();
  request.signal?.addEventListener("abort", onAbort, { once: true });
  if (request.signal?.aborted) onAbort();
  const exited = settle();
  const sandbox = held.confinement.report;
  return { pid: identity.pid, sandbox, stdin, stdout, stderrTail: () => tail() + sandboxError, exited, stop };

  async function settle(): Promise<CommandExit> {
    const end = await ended;
    sandboxError = end.sandboxError ?? "";
    await (stopping ?? held.endLeftBehind());
    request.signal?.removeEventListener("abort", onAbort);
    parts.owned.remove(live);
    await held.discard();
    return { exitCode: end.exitCode, killedBy: end.killedBy };
  }
}

function keepTail(stream: Readable, maxBytes: number): () => string {
  const pieces: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    while (bytes - pieces[0]!.length >= maxBytes) bytes -= pieces.shift()!.length;
  });
  stream.on("error", () => {});
  return () => Buffer.concat(pieces).subarray(-maxBytes).toString("utf8");
}
