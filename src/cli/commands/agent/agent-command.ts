import { UsageError, type Invocation, type RunCommand } from "../../parser/command.ts";
import { runRepl } from "../../repl/repl.ts";
import { runRun } from "./run-prompt-command.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand agent [PROMPT]` */
export const runAgent: RunCommand = (invocation, terminal) => talk(invocation, terminal, { mode: "agent" });

/** `deckhand chat [PROMPT]` */
export const runChat: RunCommand = (invocation, terminal) => talk(invocation, terminal, { mode: "chat" });

/** `deckhand resume [SESSION]` */
export const runResume: RunCommand = (invocation, terminal) => {
  requireTerminal(terminal, 'deckhand run --session ID "…"');
  const session = invocation.positionals[0] ?? "latest";
  return runRepl({ invocation, terminal, mode: "agent", session });
};

async function talk(
  invocation: Invocation,
  terminal: Terminal,
  { mode }: { readonly mode: "agent" | "chat" },
): Promise<number> {
  const [prompt] = invocation.positionals;
  // With a prompt and nobody at the keyboard it is one task.
  if (!terminal.isInteractive && mode === "agent" && prompt !== undefined) return runRun(invocation, terminal);
  requireTerminal(terminal, 'deckhand run "…"');
  return runRepl({ invocation, terminal, mode, ...(prompt === undefined ? {} : { prompt }) });
}

function requireTerminal({ isInteractive, env, errorStream, stdin }: Terminal, instead: string): void {
  if (isInteractive) return;
  if (env["TERM"] === "dumb" && errorStream.isTTY && stdin.isTTY) {
    throw new UsageError(
      `A conversation needs a terminal that can move its cursor, and TERM=dumb says that this one can't: set TERM to what it is, such as xterm-256color, or use ${instead}`,
    );
  }
  throw new UsageError(`A conversation needs a terminal to type in; without one, use ${instead}`);
}
