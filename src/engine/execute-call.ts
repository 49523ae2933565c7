import type { PermitDecision } from "../core/approval.ts";
import { messageOf } from "../core/errors.ts";
import { isThenable } from "../core/json.ts";
import type { MaskStream } from "../core/mask.ts";
import type { Progress, Tool } from "../core/tool.ts";
import { unlessStopped } from "./call-control.ts";
import { denied, failed, stopped, endOfRun, type End } from "./call-end.ts";
import type { Draft, EngineOptions, EngineParts } from "./engine-deps.ts";
import { notifyOpened, notifyWaiting } from "./notify-observers.ts";
import { checkInput, type ActiveCall } from "./prepare-call.ts";
import { runTool } from "./run-tool.ts";
import type { UnbreakableMask } from "./safe-mask.ts";
import type { Slots } from "./slots.ts";
import { resolveTimeLimits } from "./time-limits.ts";

/**
 * Steps 4 to 6 of a call: permit, route, run. Says how it ended; entering the final state is step 7
 * (`settle-call.ts`), the one door by which every call leaves.
 */
export async function executeCall(
  options: EngineParts,
  slotsFor: (active: ActiveCall) => Slots,
  active: ActiveCall,
): Promise<End> {
  const { control } = active;
  if (control.cause) return stopped(control);
  if (active.failure) return failed(active.failure);

  const permission = await askPermission(options, active);
  if (permission) return permission;

  const routed = chooseVersion(options, active);
  if (routed.end) return routed.end;

  const taken = takeSlot(slotsFor(active), active);
  const release = taken instanceof Promise ? await taken : taken;
  if (!release) return stopped(control);
  try {
    return await runRecorded(options, active, routed.tool);
  } finally {
    release();
  }
}

/** Step 3. Unknown tools and bad input count as failures too, so this comes before they are answered. */
export function refuseRepeatedFailure(options: EngineOptions, active: ActiveCall): End | undefined {
  const { count, lastError } = active.conversation.guard.failuresOf(active.signature);
  active.record.attempt = count + 1;
  const { maxRetry } = options.limits;
  // What is due is tried, however often it failed before: the schedule itself pauses a job that keeps failing.
  if (maxRetry === 0 || count < maxRetry || active.record.door === "schedule") return undefined;
  return failed({
    ok: false,
    error: `Not run again: this same call failed ${count}/${maxRetry} times in a row. Last error: ${lastError}`,
    hint: "Change the input, fix the cause first, or use another tool.",
    errorType: "repeated_failure",
  });
}

/** Step 4. Returns how the call ends, or nothing when it may run. A check that breaks says no. */
async function askPermission(options: EngineOptions, active: ActiveCall): Promise<End | undefined> {
  const { record, control } = active;
  let decision: PermitDecision | undefined;
  try {
    const answer = options.permit({
      tool: active.tool!,
      input: active.input,
      execution: record,
      workdir: options.workdir,
      signal: control.signal,
    });
    if (isThenable(answer)) {
      notifyWaiting(options, options.mask.execution({ ...record }));
      decision = await unlessStopped(control, Promise.resolve(answer));
    } else decision = answer;
  } catch (thrown) {
    return denied(`Not run: the permission check broke (${messageOf(thrown)})`);
  }
  if (control.cause) return stopped(control);
  record.permission = decision?.permission ?? null;
  if (decision?.decision === "deny") {
    if (decision.by === "person" && decision.reason !== "") addNote(record, `The person said: ${decision.reason}`);
    return denied(decision.by === "person" ? "User denied permission" : `Refused: ${decision.reason}`);
  }
  // Whatever is not a yes is a no.
  if (decision?.decision !== "allow") return denied("Not run: the permission check gave no decision");
  if (decision.note !== undefined) addNote(record, decision.note);
  active.recheck = decision.recheck;
  if (decision.input === undefined) return undefined;
  record.toolInput = decision.input;
  const { failure, input } = checkInput(active.tool!, decision.input);
  active.input = input;
  return failure ? failed(failure) : undefined;
}

function addNote(record: Draft, note: string): void {
  record.note = record.note === null ? note : `${record.note}\n${note}`;
}

type Chosen = { readonly tool: Tool; readonly end?: never } | { readonly end: End };

/** Step 5, and the limits that this version and this input call for. */
function chooseVersion({ route, limits }: EngineOptions, { tool, input, call, record }: ActiveCall): Chosen {
  let version: Tool;
  try {
    const routed = route(tool!, record);
    version = routed.tool;
    record.version = version.version;
    record.route = routed.route;
    record.canaryBucket = routed.bucket ?? null;
  } catch (thrown) {
    const error = `Not run: no version of ${record.toolId} could be chosen (${messageOf(thrown)})`;
    return { end: failed({ ok: false, error, errorType: "threw" }) };
  }
  try {
    Object.assign(record, resolveTimeLimits({ tool: version, input, call }, limits));
    return { tool: version };
  } catch (thrown) {
    const error = `Not run: ${record.toolId} broke when asked for its time limits (${messageOf(thrown)})`;
    return { end: failed({ ok: false, error, errorType: "threw" }) };
  }
}

/** Step 6: the intent is in the ledger before anything runs. */
async function runRecorded(options: EngineParts, active: ActiveCall, tool: Tool): Promise<End> {
  const { record, control } = active;
  if (control.cause) return stopped(control);
  record.state = "running";
  record.startedAt = options.clock.now();
  const opened = options.mask.execution(record);
  try {
    const committed = notifyOpened(options.observers, opened, tool.traits.replay);
    if (committed) await committed;
  } catch (thrown) {
    record.startedAt = null;
    const error = `Not run: it could not be recorded. ${messageOf(thrown)}`;
    return failed({ ok: false, error, errorType: "store" });
  }
  if (control.cause) {
    record.startedAt = null;
    return stopped(control);
  }

  record.runPhase = "started";
  options.emit("execution:started", {
    id: record.id,
    toolName: opened.toolName,
    toolId: tool.name,
    toolInput: opened.toolInput,
    version: tool.version,
    route: record.route!,
    attempt: record.attempt,
    timeoutMs: record.timeoutMs!,
  });
  const told = createProgressMask(options.mask, (progress) =>
    options.emit("execution:progressed", { id: record.id, progress }),
  );
  const begin = options.clock.monotonic();
  const lookAgain = options.watchRun?.({
    execution: record,
    isBuiltIn: tool.version === "builtin",
    mayWrite: () => active.resources().some(({ access }) => access === "write"),
  });
  const run = await runTool({
    tool,
    input: active.input,
    control,
    limits: { timeoutMs: record.timeoutMs!, idleMs: record.idleMs },
    clock: options.clock,
    executionId: record.id,
    conversationId: record.conversationId,
    idempotencyKey: active.call.idempotencyKey,
    recheck: active.recheck,
    keepBefore: options.keepBefore ? (change) => options.keepBefore?.(record, change) : undefined,
    workdir: options.workdir,
    env: options.env,
    ask: options.ask,
    enter: options.enter,
    onProgress: (progress) => told.tell(progress),
  });
  // To the microsecond: more digits are noise of the clock.
  record.durationMs = Math.round((options.clock.monotonic() - begin) * 1000) / 1000;
  told.end();
  const found = lookAgain?.();
  if (found !== undefined) addNote(record, found);
  record.sandbox = run.sandbox;
  record.version = run.version ?? record.version;
  const end = endOfRun(run, control);
  // A call that was stopped is over: nobody waits for what a hook has to say about it.
  if (options.afterRun?.matches(tool.name) && end.result && !control.cause) {
    const { input } = active;
    const note = await options.afterRun.run({
      tool,
      input,
      execution: record,
      result: end.result,
      workdir: options.workdir,
    });
    if (note !== undefined) addNote(record, note);
  }
  return end;
}

/** The way to give the slot back, or nothing when the call was stopped while it waited. */
function takeSlot(slots: Slots, active: ActiveCall): (() => void) | undefined | Promise<(() => void) | undefined> {
  const { control } = active;
  if (control.cause) return undefined;
  const release = (): void => slots.release();
  if (slots.tryTake()) return release;

  return new Promise((resolve) => {
    const giveUp = slots.wait(() => {
      control.onStop(null);
      resolve(release);
    });
    control.onStop(() => {
      giveUp();
      resolve(undefined);
    });
  });
}

export interface ProgressMask {
  tell(progress: Progress): void;
  /** Tells what was held back. */
  end(): void;
}

/** Masks the progress of one execution. Each of its streams is masked as one text, so a secret in two pieces is found. */
function createProgressMask(mask: UnbreakableMask, emit: (progress: Progress) => void): ProgressMask {
  // Most calls report no output: they need not pay for it.
  let streams: Map<Progress["stream"], MaskStream> | undefined;

  function streamOf(name: Progress["stream"]): MaskStream {
    streams ??= new Map();
    let stream = streams.get(name);
    if (!stream) streams.set(name, (stream = mask.stream()));
    return stream;
  }

  return {
    tell(progress) {
      const { output, message, ...more } = progress;
      // A piece that is held back whole still shows life.
      emit({
        ...(isPlain(more) ? more : mask.object(more)),
        ...(output === undefined ? {} : { output: streamOf(progress.stream).push(String(output)) }),
        ...(message === undefined ? {} : { message: mask.text(String(message)) }),
      });
    },
    end() {
      for (const [stream, masked] of streams ?? []) {
        const output = masked.end();
        const more = stream === undefined ? {} : { stream };
        if (output !== "") emit({ ...(isPlain(more) ? more : mask.object(more)), output });
      }
    },
  };
}

/** What the type promises holds no secret; a tool of somebody else may tell more, and in other types. */
function isPlain(more: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(more).every(
    ([key, value]) =>
      ((key === "done" || key === "total") && typeof value === "number") ||
      (key === "stream" && (value === "stdout" || value === "stderr")),
  );
}
