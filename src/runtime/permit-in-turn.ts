import type { Permit } from "../core/permit.ts";
import type { ConversationGuard } from "./agent-wiring.ts";

/** The program's own check comes first; what it lets through still has to pass the rules. */
export function permitInTurn(first: Permit, second: Permit): Permit {
  return async (request) => {
    const decision = await first(request);
    if (decision.decision !== "allow") return decision;
    const { input } = decision;
    if (input === undefined) return second(request);
    const checked = request.tool.check(input);
    // The engine says what is wrong with it.
    if (!checked.ok) return decision;
    const then = await second({ ...request, input: checked.input });
    return then.decision === "allow" ? { ...then, input: then.input ?? input } : then;
  };
}

/** A conversation that has a guard of its own asks that one first. */
export function permitGuarded(guard: () => ConversationGuard | undefined, rules: Permit): Permit {
  return (request) => {
    const { conversationId } = request.execution;
    const own = conversationId === null ? undefined : guard();
    return own?.appliesTo(conversationId!) ? permitInTurn(own.permit, rules)(request) : rules(request);
  };
}
