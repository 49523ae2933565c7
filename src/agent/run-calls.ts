import type { EmitAgent } from "../core/agent-events.ts";
import type { Execution } from "../core/execution.ts";
import type { CallPart, CallResult } from "../core/message.ts";
import type { Session } from "../core/session.ts";
import { formatResult } from "./context/result-text.ts";
import { mostCalls, type ReplyCalls } from "./early-calls.ts";
import { followCall } from "./follow-call.ts";
import type { AgentHost } from "./host.ts";

export interface CallsParts {
  readonly session: Session;
  readonly host: AgentHost;
  readonly emit: EmitAgent;
  readonly maxCharacters: number;
  /** For all results of the reply together; each gets at most its share. */
  readonly maxCharactersInAll: number;
}

/** Runs the calls of a reply that is whole and kept. Results come in the model's order, one for each call. */
export async function runCalls(
  calls: ReplyCalls,
  asked: readonly CallPart[],
  parts: CallsParts,
): Promise<{ readonly results: readonly CallResult[]; readonly executions: readonly Execution[] }> {
  const { session, host } = parts;
  const started = asked.slice(0, mostCalls).map((call) => {
    const one = calls.start(call);
    const { executionId } = one;
    const keep = (): void => void session.append({ type: "call", callId: call.callId, executionId, tool: call.tool });
    // What may have an effect is noted before it can have one; what only reads may have been noted late.
    if (one.isEarly) keep();
    else {
      host.whenStarting(executionId, keep);
      followCall(one, parts);
    }
    return one;
  });
  await calls.end();
  const share = Math.max(leastShare, Math.min(parts.maxCharacters, parts.maxCharactersInAll / started.length));
  const executions = await Promise.all(started.map(({ execution }) => execution));
  const results = await Promise.all(
    executions.map(async (execution, index): Promise<CallResult> => {
      const { callId, tool } = asked[index]!;
      const { text, isError } = await formatResult(execution, {
        maxCharacters: Math.floor(share),
        spill: (whole) => host.spill(whole, execution.id),
      });
      return { callId, tool, text, isError };
    }),
  );
  // One sentence for all of them: thousands of it would fill the window.
  const left = asked
    .slice(mostCalls)
    .map((call, index) => toRefusal(call, index === 0 ? tellTooMany(asked.length) : "Not run, as the one before."));
  return { results: [...results, ...left], executions };
}

/** What the calls of a reply get that nobody stands behind. Reads of it may have run ahead; what they found is dropped. */
export function refuseCalls(asked: readonly CallPart[]): CallResult[] {
  const why = "Not taken up: the reply that asked for it was declined or filtered by the provider.";
  return asked.map((call) => toRefusal(call, why));
}

function toRefusal({ callId, tool }: CallPart, why: string): CallResult {
  return { callId, tool, text: `Error: ${why}`, isError: true };
}

function tellTooMany(asked: number): string {
  return `Not run: this reply has ${asked} calls, and only the first ${mostCalls} of a reply are run. Ask for the rest again, in smaller replies.`;
}

/** However many calls there are: a result that says nothing helps nobody. */
const leastShare = 200;
