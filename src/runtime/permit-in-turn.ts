import type { Permit } from "../core/permit.ts";

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
