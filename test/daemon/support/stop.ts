import type { Invocation } from "../../../src/cli/parser/command.ts";
import { runServeStop } from "../../../src/cli/commands/serve/serve-stop-command.ts";
import type { Terminal } from "../../../src/cli/terminal/terminal.ts";
import type { Machine } from "../../cli/run-deckhand.ts";

/** `deckhand serve stop` by somebody who does not wait long. */
export async function stopSoon(
  { workdir, env }: Machine,
  patience: { readonly answerMs: number; readonly silentMs: number },
): Promise<{ readonly code: number; readonly told: string; readonly printed: string }> {
  const told: string[] = [];
  const printed: string[] = [];
  const terminal = {
    env,
    tell: (text: string) => void told.push(text),
    print: (text: string) => void printed.push(text),
    status: () => undefined,
  } as Partial<Terminal> as Terminal;
  const invocation: Invocation = {
    positionals: [],
    has: () => false,
    value: (name) => (name === "workdir" ? workdir : undefined),
    values: () => [],
  };
  const code = await runServeStop(invocation, terminal, { endMs: 60_000, ...patience });
  return { code, told: told.join("\n"), printed: printed.join("") };
}
