import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "../../core/errors.ts";
import type { StartError } from "./run-request.ts";
import { enclose, type EnclosureFacts, openEnclosure } from "../sandbox/enclosure.ts";
import { endMarked } from "../stop/stop-tree.ts";
import { type HeldRun, holdRun } from "./hold-run.ts";
import { launch, type LaunchRequest } from "./launch.ts";
import { removeTraces } from "../sandbox/masks.ts";
import type { ProcessParts } from "../processes.ts";
import { createRun, type ProcessRecord, readRecord, removeRun, type Run, writeRecord } from "./run-folder.ts";
import { findStartProblem, type StartRequest } from "./resolve-program.ts";

export interface RunRequest extends StartRequest {
  readonly kind: ProcessRecord["kind"];
  readonly signal?: AbortSignal;
  readonly childless?: boolean;
  /** See `CommandRequest`. */
  readonly script?: string;
  /** See `PeerRequest`. */
  readonly readable?: readonly string[];
  readonly keep?: boolean;
  readonly ownerSession?: string;
  /** Opens the files or names the pipes, once the folder is there. */
  outputs(run: Run): RunOutputs | Promise<RunOutputs>;
}

export interface RunOutputs extends Pick<LaunchRequest, "stdin" | "stdout" | "stderr" | "isShared"> {
  /** The files and pipes that the run writes to. */
  readonly paths: readonly string[];
}

export type RunStart =
  | { readonly ok: true; readonly held: HeldRun }
  | { readonly ok: false; readonly startError: StartError };

/** Folder, record, process: in this order, so that a kill -9 between any two leaves something to go by. */
export async function startRun(parts: ProcessParts, request: RunRequest): Promise<RunStart> {
  const problem = findStartProblem(request);
  if (problem) return { ok: false, startError: problem };
  let run: Run | undefined;
  try {
    const held = request.childless ? null : await parts.sandbox();
    if (held && "code" in held) return { ok: false, startError: held };
    if (parts.owned.closed) return { ok: false, startError: closedError };
    if (request.signal?.aborted) return { ok: false, startError: abortedError };
    run = createRun(parts.runFolder, request.executionId);
    parts.owned.folders.add(run.folder);
    return await launchIn(parts, request, { run, held });
  } catch (thrown) {
    if (run) {
      await endMarked(run, parts);
      removeTraces(parts, { name: run.name, traces: readRecord(run.folder) });
      await discardRun(parts, run);
    }
    const code = codeOf(thrown) ?? "UNKNOWN";
    if (code === "SANDBOX_UNAVAILABLE") return { ok: false, startError: { code, message: messageOf(thrown) } };
    const message = `The run folder "${parts.runFolder}" can't be used: ${messageOf(thrown)}`;
    return { ok: false, startError: { code, message } };
  }
}

const closedError: StartError = { code: "CLOSED", message: "The runtime is closed; nothing can be started any more." };
const abortedError: StartError = { code: "ABORTED", message: "It was cancelled before it was started." };

/** For whoever learns from the end of a run that it never began. */
export function sandboxFailed(complaint: string): StartError {
  return { code: "SANDBOX_UNAVAILABLE", message: `The sandbox could not be set up: ${complaint}` };
}

type Held = Exclude<Awaited<ReturnType<ProcessParts["sandbox"]>>, StartError>;

async function launchIn(
  parts: ProcessParts,
  request: RunRequest,
  place: { run: Run; held: Held | null },
): Promise<RunStart> {
  const { run, held } = place;
  const { cwd, env, keep = false } = request;
  const scriptPath = join(run.folder, "script");
  const argv: RunRequest["argv"] = request.script === undefined ? request.argv : [...request.argv, scriptPath];
  let record: ProcessRecord = {
    kind: request.kind,
    executionId: request.executionId,
    owner: parts.identity,
    child: null,
    contained: held !== null && held.sandbox.namespace !== null,
    command: argv,
    cwd,
    startedAt: parts.clock.now(),
    keep,
    ownerSession: request.ownerSession ?? null,
    exit: null,
    exitedAt: null,
  };
  const note = (facts: EnclosureFacts): void => writeRecord(run.folder, (record = { ...record, ...facts }));
  writeRecord(run.folder, record);
  if (request.script !== undefined) writeFileSync(scriptPath, request.script, { mode: 0o600, flag: "wx" });
  const script = request.script === undefined ? null : scriptPath;
  const needed = request.readable ?? [];
  const enclosure = held ? enclose(parts, held, { run, keep, script, needed, note }) : openEnclosure;
  const release = (): void => removeTraces(parts, { name: run.name, traces: record });
  const { paths, ...stdio } = await request.outputs(run);
  const launched = await launch(parts.table, { argv, cwd, env, run, ...stdio, enclosure, keep });
  if (!launched.started) {
    release();
    await discardRun(parts, run);
    return { ok: false, startError: launched.startError };
  }
  launched.child.once("exit", release);
  const complete = { ...record, child: launched.identity };
  try {
    writeRecord(run.folder, complete);
  } catch {
    // The disk filled up just now. It runs; should we die, the marker finds it without these facts.
  }
  const discard = (): Promise<void> => discardRun(parts, run);
  const confinement = { report: enclosure.report, view: enclosure.report.kind === "none" ? null : held!.view };
  return { ok: true, held: holdRun(parts, { run, record: complete, launched, confinement, paths, discard }) };
}

async function discardRun(parts: ProcessParts, run: Run): Promise<void> {
  parts.owned.folders.delete(run.folder);
  await removeRun(run.folder);
}
