import type { Execution } from "../core/execution.ts";
import type { CallPart } from "../core/message.ts";
import type { ToolCall } from "../core/tool-call.ts";
import type { Batch } from "../engine/batch.ts";
import type { AgentHost } from "./host.ts";

/** A call of the reply that is on its way. */
export interface StartedCall {
  /** Of the tool that runs, also when the model reached it by the bridge. */
  readonly call: CallPart;
  readonly executionId: string;
  readonly execution: Promise<Execution>;
  readonly isEarly: boolean;
}

/**
 * The calls of one reply. Those that only read start as soon as their arguments are complete; from the first that must
 * wait for the end of the reply on, all wait: the batch keeps the model's order.
 */
export interface ReplyCalls {
  /** The arguments are complete, the reply goes on. Says whether it started. */
  offer(call: CallPart): StartedCall | null;
  /** The reply is whole and kept: what waited starts now. */
  start(call: CallPart): StartedCall;
  /** No more calls. Resolves when all have ended. */
  end(): Promise<unknown>;
  /** Stops what runs and waits until it has stopped. */
  cancel(reason: string): Promise<void>;
}

/** More than any reply needs: thousands at once only take the time of one another. */
export const mostCalls = 256;

export interface ReplyCallsOptions {
  readonly host: AgentHost;
  readonly conversationId: string;
  readonly turn: number;
  readonly signal: AbortSignal;
  /** A call to the bridge is a call of the tool it names. */
  readonly unwrap: (call: CallPart) => CallPart;
}

export function openReplyCalls(options: ReplyCallsOptions): ReplyCalls {
  const { host, conversationId, turn, signal } = options;
  const started: StartedCall[] = [];
  let batch: Batch | undefined;
  let isHolding = false;

  function toOrder({ tool, inputText }: CallPart): ToolCall {
    return { tool, inputText, door: "agent", conversationId, turn };
  }

  function add(call: CallPart, isEarly: boolean): StartedCall {
    batch ??= host.openBatch({ door: "agent", conversationId, turn, signal });
    const { id: executionId, execution } = batch.add(toOrder(call));
    const entry = { call, executionId, execution, isEarly };
    started.push(entry);
    return entry;
  }

  return {
    offer(given) {
      if (isHolding || started.length === mostCalls) return null;
      const call = options.unwrap(given);
      if (host.mayStartEarly(toOrder(call))) return add(call, true);
      isHolding = true;
      return null;
    },
    start: (given) => started.find(({ call }) => call.callId === given.callId) ?? add(options.unwrap(given), false),
    end: async () => batch?.end(),
    async cancel(reason) {
      await Promise.all(started.map(({ executionId }) => host.cancel(executionId, reason)));
      await batch?.end();
    },
  };
}
