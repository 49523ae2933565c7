import type { Runtime, RuntimeConfig } from "../runtime/create-runtime.ts";
import { UsageError, type Invocation } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** The runtime for this command's workdir. Whoever opens it closes it. */
export async function openRuntime(
  invocation: Invocation,
  { env }: Terminal,
  config: RuntimeConfig = {},
): Promise<Runtime> {
  const workdir = chooseWorkdir(invocation, env);
  const { createRuntime } = await import("../runtime/create-runtime.ts");
  return createRuntime({ ...config, workdir, env });
}

/** For commands that only ask the runtime something: says what does not work, and closes it in any case. */
export async function withRuntime<Result>(
  invocation: Invocation,
  terminal: Terminal,
  work: (runtime: Runtime) => Promise<Result>,
): Promise<Result> {
  const runtime = await openRuntime(invocation, terminal);
  try {
    tellWarnings(runtime, terminal);
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

export function tellWarnings({ warnings }: Runtime, terminal: Terminal): void {
  for (const warning of warnings) terminal.tell(`deckhand: warning: ${warning}`);
}

/** Flag > DECKHAND_WORKDIR > TOOL_WORKDIR > the current folder. */
function chooseWorkdir(invocation: Invocation, env: Terminal["env"]): string {
  const named = invocation.value("workdir") || env["DECKHAND_WORKDIR"] || env["TOOL_WORKDIR"];
  if (named) return named;
  try {
    return process.cwd();
  } catch (cause) {
    const sentence = "The current folder does not exist any more; go to another one, or name one with --workdir.";
    throw new UsageError(sentence, { cause });
  }
}
