import { messageOf } from "../core/errors.ts";
import type { PermitDecision } from "../core/permit.ts";
import type { Tool } from "../core/tool.ts";
import { unlessStopped } from "./call-control.ts";
import type { EngineOptions } from "./parts.ts";
import { checkInput, type ActiveCall } from "./prepare-call.ts";
import { runTool } from "./run-tool.ts";
import { denied, failed, stopped, endOfRun, type End } from "./call-end.ts";
import { takeSlot } from "./take-slot.ts";
import type { Slots } from "./slots.ts";
import { resolveTimeLimits } from "./time-limits.ts";

/**
 * Steps 3 to 6 of a call: guard, permit, route, run. Says how it ended; entering the final state is step 7
 * (`settle-call.ts`), the one door by which every call leaves.
 */
export async function executeCall(options: EngineOptions, slots: Slots, active: ActiveCall): Promise<End> {
  const { record, control } = active;
  if (control.cause) return stopped(control);

  const repeated = refuseRepeatedFailure(options, active);
  if (repeated) return repeated;
  if (active.failure) return failed(active.failure);

  const permission = await askPermission(options, active);
  if (permission) return permission;

  let tool: Tool;
  try {
    const routed = options.route(active.tool!, record);
    tool = routed.tool;
    record.version = tool.version;
    record.route = routed.route;
    const limits = resolveTimeLimits({ tool, input: active.input, call: active.call }, options.limits);
    record.timeoutMs = limits.timeoutMs;
    record.idleMs = limits.idleMs;
  } catch (thrown) {
    return failed({ ok: false, error: `No version of ${record.toolName} could be chosen: ${messageOf(thrown)}` });
  }

  const release = await takeSlot(slots, active);
  if (!release) return stopped(control);
  try {
    return await runRecorded(options, active, tool);
  } finally {
    release();
  }
}

/** Step 3. Unknown tools and bad input count as failures too, so this comes before they are answered. */
export function refuseRepeatedFailure(options: EngineOptions, active: ActiveCall): End | undefined {
  const { count, lastError } = active.conversation.guard.failuresOf(active.signature);
  active.record.attempt = count + 1;
  const { maxRetry } = options.limits;
  if (maxRetry === 0 || count < maxRetry) return undefined;
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
      get signal() {
        return control.signal;
      },
    });
    if (answer instanceof Promise) {
      options.ledger.waiting(options.mask.execution({ ...record }));
      decision = await unlessStopped(control, answer);
    } else decision = answer;
  } catch (thrown) {
    return denied(`Not run: the permission check broke (${messageOf(thrown)})`);
  }
  if (control.cause || !decision) return stopped(control);
  if (decision.decision === "deny") {
    return denied(decision.by === "person" ? "User denied permission" : `Refused: ${decision.reason}`);
  }
  if (decision.input === undefined) return undefined;
  record.toolInput = decision.input;
  const { failure, input } = checkInput(active.tool!, decision.input);
  active.input = input;
  return failure ? failed(failure) : undefined;
}

/** Step 6: the intent is in the ledger before anything runs. */
async function runRecorded(options: EngineOptions, active: ActiveCall, tool: Tool): Promise<End> {
  const { record, control } = active;
  record.state = "running";
  record.startedAt = options.clock.now();
  try {
    const committed = options.ledger.opened(options.mask.execution({ ...record }), tool.traits.replay);
    if (committed) await committed;
  } catch (thrown) {
    const error = `Not run: it could not be recorded. ${messageOf(thrown)}`;
    return failed({ ok: false, error, errorType: "store" });
  }
  if (control.cause) return stopped(control);

  record.runPhase = "started";
  options.emit("execution:started", {
    id: record.id,
    toolId: tool.name,
    version: tool.version,
    route: record.route!,
    attempt: record.attempt,
    timeoutMs: record.timeoutMs!,
  });
  const begin = options.clock.monotonic();
  const run = await runTool({
    tool,
    input: active.input,
    control,
    limits: { timeoutMs: record.timeoutMs!, idleMs: record.idleMs },
    clock: options.clock,
    executionId: record.id,
    conversationId: record.conversationId,
    workdir: options.workdir,
    env: options.env,
    ask: options.ask,
    onProgress: (progress) => {
      const shown =
        progress.output === undefined ? progress : { ...progress, output: options.mask.text(progress.output) };
      options.emit("execution:progressed", { id: record.id, progress: shown });
    },
  });
  record.durationMs = options.clock.monotonic() - begin;
  return endOfRun(run, control);
}
