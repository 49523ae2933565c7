import type { EmitAgent } from "../core/agent-events.ts";
import type { Clock } from "../core/clock.ts";
import type { Model, ModelRequest } from "../core/model.ts";
import type { ReplyCalls } from "./early-calls.ts";
import type { AgentHost } from "./host.ts";
import { mostAttempts, retryDelay, tellImpatience } from "./retry-delay.ts";
import { takeReply, type Reply } from "./take-reply.ts";

export interface RequestOptions {
  readonly maxAttempts: number;
  readonly host: AgentHost;
  readonly clock: Clock;
  readonly emit: EmitAgent;
  readonly random: () => number;
  /** For each attempt anew: what an attempt that failed had started is stopped. */
  openCalls(): ReplyCalls;
}

export interface RequestedReply {
  readonly reply: Reply;
  readonly calls: ReplyCalls;
}

/**
 * Sends the request, again after a while when it failed for a reason that may pass. No tool call is repeated by that:
 * only reads start before a reply is whole.
 */
export async function requestReply(
  model: Model,
  request: ModelRequest,
  options: RequestOptions,
): Promise<RequestedReply> {
  const { maxAttempts, host, clock, emit, random } = options;
  for (let attempt = 1; ; attempt++) {
    const calls = options.openCalls();
    const reply = await takeReply(model, request, { calls, host, emit });
    if (reply.state === "finished" || request.signal.aborted) return { reply, calls };
    const delayMs = retryDelay(reply.failure, { attempt, maxAttempts, random });
    if (delayMs === null) return { reply: tellEnd(reply, attempt), calls };
    const { message } = reply.failure;
    const most = mostAttempts(reply.failure, maxAttempts);
    emit("model:retrying", { attempt, maxAttempts: most, delayMs: Math.round(delayMs), message });
    await pause(clock, delayMs, request.signal);
    // What had come of the reply was told to be void: nothing of it is kept.
    if (request.signal.aborted) return { reply: { ...reply, text: "" }, calls };
  }
}

function tellEnd(reply: Extract<Reply, { state: "failed" }>, attempts: number): Reply {
  const { failure } = reply;
  const impatience = tellImpatience(failure);
  const message = [
    failure.message,
    ...(impatience === null ? [] : [impatience]),
    ...(attempts === 1 ? [] : [`(${attempts} attempts)`]),
  ].join(" ");
  return { ...reply, failure: { ...failure, message } };
}

function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal.addEventListener("abort", done, { once: true });
  });
}
