import type { EmitAgent } from "../core/agent-events.ts";
import { messageOf } from "../core/errors.ts";
import type { AssistantPart } from "../core/message.ts";
import type { FailureKind, Model, ModelFailure, ModelRequest, StopReason, Usage } from "../core/model.ts";
import type { ReplyCalls } from "./early-calls.ts";
import { followCall } from "./follow-call.ts";
import type { AgentHost } from "./host.ts";

export type Reply =
  | Finished
  /** `text`: what had come by then. */
  | { readonly state: "failed"; readonly failure: ModelFailure; readonly text: string };

interface Finished {
  readonly state: "finished";
  readonly parts: readonly AssistantPart[];
  readonly stop: StopReason;
  readonly usage: Usage;
}

/**
 * One reply of the model as it streams. Calls that may start early do. A reply that does not come to its end leaves
 * nothing: what had started is stopped, and the conversation never hears of it.
 */
export async function takeReply(
  model: Model,
  request: ModelRequest,
  { calls, host, emit }: { readonly calls: ReplyCalls; readonly host: AgentHost; readonly emit: EmitAgent },
): Promise<Reply> {
  let text = "";

  async function read(): Promise<Finished | ModelFailure> {
    for await (const event of model.stream(request)) {
      switch (event.type) {
        case "text":
          text += event.text;
          emit("reply:text", { text: event.text });
          break;
        case "thinking":
          emit("reply:thinking", { text: event.text });
          break;
        case "call_announced":
          void host.prepareFor?.(event.tool);
          emit("call:announced", { callId: event.callId, tool: event.tool });
          break;
        case "call_input":
          break;
        case "call": {
          await host.prepareFor?.(event.call.tool);
          const started = calls.offer(event.call);
          if (started) followCall(started, { host, emit });
          break;
        }
        case "finished":
          return { state: "finished", parts: event.parts, stop: event.stop, usage: event.usage };
        case "failed":
          return event.failure;
      }
    }
    // A model that ends without a last event broke its promise; that is a cut like any other.
    return failureOf("cut", "The model's reply ended without saying that it was over.");
  }

  const came = await read().catch((thrown: unknown) => failureOf("rejected", `The model broke: ${messageOf(thrown)}`));
  if ("state" in came) return came;
  await calls.cancel("Cancelled: the reply that asked for it was cut off");
  emit("reply:discarded", { kind: came.kind, message: came.message });
  return { state: "failed", failure: came, text };
}

function failureOf(kind: FailureKind, message: string): ModelFailure {
  return { kind, message, status: null, retryAfterMs: null };
}
