import type { SimpleCommand } from "./simple-command.ts";

/** The command and every other one whose output reaches it: through pipes, substitutions, and theirs in turn. Each once. */
export function findSources(command: SimpleCommand): ReadonlySet<SimpleCommand> {
  const found = new Set<SimpleCommand>([command]);
  // A set is walked in the order of insertion, also over what is added on the way.
  for (const { input, substitutions } of found) {
    for (const source of substitutions) found.add(source);
    if (input.kind === "commands") for (const source of input.commands) found.add(source);
  }
  return found;
}
