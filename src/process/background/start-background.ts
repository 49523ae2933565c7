import type { SandboxReport } from "../../core/call.ts";
import type { StopReport } from "../../core/process.ts";
import { followLog, readLogTail } from "./background-log.ts";
import { openBackgroundPipe, type BackgroundPipe } from "./background-pipe.ts";
import type { BackgroundProcess } from "./background.ts";
import type { StartError } from "../run/run-request.ts";
import { explainRefusal } from "../sandbox/probe-sandbox.ts";
import { type BackgroundHandle, holdBackground } from "./hold-background.ts";
import type { HeldRun } from "../run/hold-run.ts";
import type { ProcessParts } from "../processes.ts";
import { createTextFinder, findReadinessProblem, type Readiness, waitForPort } from "./readiness.ts";
import type { StartRequest } from "../run/resolve-program.ts";
import { sandboxFailed, startRun } from "../run/start-run.ts";

export interface BackgroundRequest extends StartRequest {
  /** Left out: it counts as ready when it has not ended at once. */
  readonly readiness?: Readiness;
  readonly readyTimeoutMs: number;
  /** Lives on when this process ends. */
  readonly keep: boolean;
  readonly ownerSession?: string;
  /** Stops it while it is being waited for; afterwards the signal means nothing to it. */
  readonly signal?: AbortSignal;
}

export type BackgroundStart =
  | { readonly state: "not_started"; readonly startError: StartError }
  | {
      /** `not_ready`: it runs, but what it was waited for did not come in time. */
      readonly state: "ready" | "not_ready" | "exited" | "stopped";
      readonly process: BackgroundProcess;
      /** The end of its output so far. */
      readonly output: string;
      readonly stop: StopReport | null;
      readonly sandbox: SandboxReport;
      /** See `CommandEnd`. */
      readonly explain: (output: string) => string | null;
    };

interface Registry {
  readonly ours: Map<string, BackgroundHandle>;
  find(id: string): BackgroundProcess | undefined;
}

/** Without a sign to wait for, so long it has to show that it does not fail at once. */
const firstLookMs = 200;
const outputBytes = 16 * 1024;

export async function startBackground(
  parts: ProcessParts,
  request: BackgroundRequest,
  registry: Registry,
): Promise<BackgroundStart> {
  const problem = request.readiness && (await findReadinessProblem(parts.clock, request.readiness));
  if (problem) return { state: "not_started", startError: problem };
  let pipe: BackgroundPipe | undefined;
  const start = await startRun(parts, {
    ...request,
    kind: "background",
    async outputs(run) {
      pipe = await openBackgroundPipe(parts, run.folder, request.keep);
      const { forChild, isShared, path } = pipe;
      return { stdin: "ignore", stdout: forChild, stderr: forChild, isShared, paths: [path] };
    },
  });
  if (!start.ok) {
    if (!request.keep) await pipe?.finish();
    return { state: "not_started", startError: start.startError };
  }

  const { held } = start;
  const { name: id, folder } = held.run;
  const { handle, ready, giveUp } = hold(parts, request, { held, pipe: pipe! });
  registry.ours.set(id, handle);
  const timeout = timeoutOf(parts, request);
  const abort = abortOf(request.signal);
  const state = await Promise.race([handle.ended.then(() => "exited" as const), ready, timeout.over, abort.happened]);
  timeout.cancel();
  abort.ignore();
  giveUp();

  const { sandboxError } = state === "exited" ? await held.launched.ended : {};
  if (sandboxError !== undefined) {
    registry.ours.delete(id);
    await held.discard();
    return { state: "not_started", startError: sandboxFailed(sandboxError) };
  }
  const stop = state === "stopped" ? await handle.stop() : state === "exited" ? await handle.ended : null;
  const { report: sandbox, view } = held.confinement;
  const output = readLogTail(folder, outputBytes).text;
  const explain = (text: string): string | null => view && explainRefusal(view, text);
  return { state, process: registry.find(id)!, output, stop, sandbox, explain };
}

interface HeldProcess {
  readonly held: HeldRun;
  readonly pipe: BackgroundPipe;
}

function hold(parts: ProcessParts, { readiness }: BackgroundRequest, { held, pipe }: HeldProcess) {
  const { promise: ready, resolve } = Promise.withResolvers<"ready">();
  const hasWords = readiness && "text" in readiness ? createTextFinder(readiness.text) : null;
  let waiting = true;
  const hear = (piece: string): boolean => {
    if (hasWords?.(piece)) {
      waiting = false;
      resolve("ready");
    }
    return waiting;
  };
  const handle = holdBackground(parts, held, pipe);
  const deafen = hasWords ? followLog(parts.ticker, held.run.folder, hear) : undefined;
  if (readiness && "port" in readiness) {
    void waitForPort(parts.clock, readiness.port, () => !waiting).then((answered) => answered && resolve("ready"));
  }
  const giveUp = (): void => {
    waiting = false;
    deafen?.();
  };
  return { handle, ready, giveUp };
}

function timeoutOf(parts: ProcessParts, { readiness, readyTimeoutMs }: BackgroundRequest) {
  const { promise: over, resolve } = Promise.withResolvers<"ready" | "not_ready">();
  const delayMs = readiness ? readyTimeoutMs : Math.min(readyTimeoutMs, firstLookMs);
  const cancel = parts.clock.after(delayMs, () => resolve(readiness ? "not_ready" : "ready"));
  return { over, cancel };
}

function abortOf(signal: AbortSignal | undefined) {
  const { promise: happened, resolve } = Promise.withResolvers<"stopped">();
  const onAbort = (): void => resolve("stopped");
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return { happened, ignore: () => signal?.removeEventListener("abort", onAbort) };
}
