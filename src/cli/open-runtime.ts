import { messageOf } from "../core/errors.ts";
import type { Runtime, RuntimeConfig } from "../runtime/create-runtime.ts";
import { UsageError, type Invocation } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** The runtime for this command's workdir. What does not work as it should is told on stderr. */
export async function openRuntime(
  invocation: Invocation,
  terminal: Terminal,
  config: RuntimeConfig = {},
): Promise<Runtime> {
  const workdir = chooseWorkdir(invocation, terminal);
  const { createRuntime } = await import("../runtime/create-runtime.ts");
  const runtime = await createRuntime({ ...config, workdir, env: terminal.env });
  for (const warning of runtime.warnings) terminal.tell(`deckhand: warning: ${warning}`);
  return runtime;
}

/** Flag > DECKHAND_WORKDIR > TOOL_WORKDIR > the current folder. */
function chooseWorkdir(invocation: Invocation, { env }: Terminal): string {
  const named = invocation.value("workdir") || env["DECKHAND_WORKDIR"] || env["TOOL_WORKDIR"];
  if (named) return named;
  try {
    return process.cwd();
  } catch (thrown) {
    throw new UsageError(
      `The current folder is gone (${messageOf(thrown)}); go to another or name one with --workdir.`,
    );
  }
}
