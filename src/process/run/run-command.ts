import type { Clock } from "../../core/clock.ts";
import type { LiveRun, ProcessParts } from "../processes.ts";
import { explainRefusal } from "../sandbox/probe-sandbox.ts";
import { settlesWithin } from "../stop/wait.ts";
import { isDiskFull } from "./disk-full.ts";
import type { HeldRun } from "./hold-run.ts";
import type { CommandEnd, CommandExit, CommandRequest, StartError } from "./run-request.ts";
import { sandboxFailed, startRun } from "./start-run.ts";
import { openOutputFiles, type OutputFiles, outputPipes, watchOutput } from "./watch-output.ts";

/**
 * Runs one command to its end. Never rejects: not being able to start, and every way to stop, are values.
 *
 * running → ended by itself → what it left behind is ended → settled
 * running → a limit or the signal (the first one counts) → stopped and looked after → settled
 */
export async function runCommand(parts: ProcessParts, request: CommandRequest): Promise<CommandEnd> {
  for (let attempt = 1; ; attempt += 1) {
    const end = await runOnce(parts, request);
    if (attempt === maxAttempts || !isOvertaken(end.startError)) return end;
  }
}

const maxAttempts = 3;

/** Something that was to be covered went away before the mount was made, such as a socket: the command has not begun. */
function isOvertaken(error: StartError | null): boolean {
  const wentAway = /bwrap: .*(?:No such file or directory|Can't (?:create file|mkdir|remount))/;
  return error?.code === "SANDBOX_UNAVAILABLE" && wentAway.test(error.message);
}

async function runOnce(parts: ProcessParts, request: CommandRequest): Promise<CommandEnd> {
  if (request.signal.aborted) return notRun({ stoppedBy: "signal" });
  let files: OutputFiles | undefined;
  const start = await startRun(parts, {
    ...request,
    kind: "command",
    async outputs(run) {
      // Programs of our own open their output once.
      const arePiped = !request.childless && (await parts.pipes.place(outputPipes(run.folder)));
      files = openOutputFiles(run.folder, arePiped);
      return { stdin: "ignore", ...files.forChild, paths: files.paths };
    },
  });
  if (start.ok) return follow(parts, request, { held: start.held, files: files! });
  files?.close();
  return start.startError.code === "ABORTED" ? notRun({ stoppedBy: "signal" }) : notRun(start);
}

async function follow(
  parts: ProcessParts,
  request: CommandRequest,
  { held, files }: { held: HeldRun; files: OutputFiles },
): Promise<CommandEnd> {
  const { launched } = held;
  const limits = watchLimits(parts.clock, request);
  const output = watchOutput(parts.ticker, files, {
    maxOutputBytes: request.maxOutputBytes,
    ...(request.onOutput && { onOutput: request.onOutput }),
    grew: () => limits.alive(),
    overLimit: () => limits.stop("output_limit"),
  });
  const settled = Promise.withResolvers<void>();
  const live: LiveRun = {
    killNow: () => held.killNow(),
    end() {
      limits.stop("signal");
      return settled.promise;
    },
  };
  parts.owned.add(live);

  const cause = await Promise.race([launched.ended.then(() => null), limits.stopped]);
  limits.clear();
  const stop = cause ? await held.stop() : request.childless ? null : await held.endLeftBehind();
  const { sandboxError, ...exit } = await endOf(parts, held);
  const { cut, ...streams } = output.finish();
  const diskFull = streams.stdout.lostBytes + streams.stderr.lostBytes > 0 || isDiskFull(parts.runFolder);
  parts.owned.remove(live);
  settled.resolve();

  if (sandboxError !== undefined && !cause) {
    await held.discard();
    return notRun({ startError: sandboxFailed(sandboxError) });
  }
  // One that ended by itself may have written too much just before: its output is cut as well, so say so.
  const stoppedBy = cause ?? (cut ? "output_limit" : null);
  const { report: sandbox, view } = held.confinement;
  return {
    ...exit,
    stoppedBy,
    ...streams,
    diskFull,
    stop,
    sandbox,
    explain: (text) => view && explainRefusal(view, text),
    startError: null,
    discard: () => held.discard(),
  };
}

/** How the command ended; unknown only for one that survived everything. */
async function endOf(parts: ProcessParts, { launched }: HeldRun): Promise<CommandExit & { sandboxError?: string }> {
  const known = await settlesWithin(parts.clock, launched.ended, 100);
  return known ? launched.ended : { exitCode: null, killedBy: null };
}

function notRun(why: { stoppedBy?: StopCause; startError?: StartError }): CommandEnd {
  const nothing = { path: "", bytes: 0, emptied: false, lostBytes: 0 };
  return {
    exitCode: null,
    killedBy: null,
    stoppedBy: why.stoppedBy ?? null,
    stdout: nothing,
    stderr: nothing,
    diskFull: false,
    stop: null,
    sandbox: null,
    explain: () => null,
    startError: why.startError ?? null,
    discard: () => Promise.resolve(),
  };
}

type StopCause = NonNullable<CommandEnd["stoppedBy"]>;

/** What may stop a command from outside. The first cause wins, whatever else happens afterwards. */
export interface Limits {
  readonly stopped: Promise<StopCause>;
  stop(cause: StopCause): void;
  /** Output came: the idle limit starts anew. */
  alive(): void;
  /** Takes every timer and listener away. */
  clear(): void;
}

function watchLimits(clock: Clock, request: Pick<CommandRequest, "signal" | "wallMs" | "idleMs">): Limits {
  const { signal, wallMs, idleMs } = request;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<StopCause>();
  let lastSign = clock.monotonic();
  let cancelIdle: (() => void) | undefined;

  function awaitIdle(limitMs: number): void {
    const restMs = lastSign + limitMs - clock.monotonic();
    if (restMs <= 0) stop("idle");
    else cancelIdle = clock.after(restMs, () => awaitIdle(limitMs));
  }

  const onAbort = (): void => stop("signal");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const cancelWall = wallMs === undefined ? undefined : clock.after(wallMs, () => stop("wall"));
  if (idleMs !== undefined) awaitIdle(idleMs);

  return {
    stopped,
    stop,
    alive: () => void (lastSign = clock.monotonic()),
    clear() {
      signal.removeEventListener("abort", onAbort);
      cancelWall?.();
      cancelIdle?.();
    },
  };
}
