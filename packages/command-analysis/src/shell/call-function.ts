import type { SimpleCommand } from "../simple-command.ts";
import { addFinding, takeStep, type Output, type Scope, type ShellFunction } from "./scope.ts";

/** Walks the body of a function with the arguments of this call; each set of arguments once. */
export function callFunction(command: SimpleCommand, scope: Scope): Output {
  const called = scope.gathered.functions.get(command.name);
  if (!called || !takeStep(scope)) return null;
  const own = scope.calls.findLastIndex(({ name }) => name === command.name);
  if (own >= 0) {
    if (scope.isParallel || scope.calls.slice(own + 1).some(({ isParallel }) => isParallel)) {
      const reason = "A function starts itself several times over: a fork bomb.";
      addFinding(scope, { verdict: "danger", rule: "process.fork-bomb", reason }, command.source);
    }
    return null;
  }
  const args = command.words.slice(1);
  const positionals = args.every(({ kind }) => kind === "literal") ? args.map(({ text }) => text) : null;
  return walkBody(called, { ...scope, input: command.input }, positionals);
}

/** Bodies count even when nobody calls them, and so do those that they define. */
export function walkUncalled(scope: Scope): void {
  const { functions } = scope.gathered;
  for (;;) {
    const called = [...functions.values()].find(({ walked }) => walked.size === 0);
    if (!called || scope.gathered.isFull) return;
    walkBody(called, called.scope, null);
  }
}

function walkBody(called: ShellFunction, scope: Scope, positionals: readonly string[] | null): Output {
  const key = JSON.stringify(positionals);
  if (called.walked.has(key) && called.walked.size > 0) return null;
  called.walked.add(key);
  const { variables } = scope;
  const before = variables.positionals;
  variables.positionals = positionals;
  const output = called.walk({
    ...scope,
    source: called.scope.source,
    calls: [...scope.calls, { name: called.name, isParallel: scope.isParallel }],
    isParallel: false,
    nesting: scope.nesting + 1,
  });
  variables.positionals = before;
  return output;
}
