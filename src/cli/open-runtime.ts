import type { Runtime, RuntimeConfig } from "../runtime/create-runtime.ts";
import { UsageError, type Invocation } from "./parser/command.ts";
import { exitCode } from "./parser/exit-code.ts";
import { showReplay } from "./commands/agent/show-replay.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { wrapLines } from "./terminal/terminal-text.ts";

/** The runtime for this command's workdir. Whoever opens it closes it. */
export async function openRuntime(
  invocation: Invocation,
  terminal: Terminal,
  config: RuntimeConfig = {},
): Promise<Runtime> {
  const { env } = terminal;
  const workdir = chooseWorkdir(invocation, env);
  const { createRuntime } = await import("../runtime/create-runtime.ts");
  const url = invocation.value("store");
  const settings = { ...config.settings, store: { ...config.settings?.store, ...(url === undefined ? {} : { url }) } };
  const replay = invocation.has("quiet") ? undefined : showReplay(terminal);
  let isOpen = false;
  const onEvent: RuntimeConfig["onEvent"] = (event) => {
    // Whoever has it open shows on their own what happens then.
    if (!isOpen) replay?.onEvent(event);
    return config.onEvent?.(event);
  };
  try {
    return await createRuntime({ ...config, settings, workdir, env, onEvent });
  } finally {
    isOpen = true;
    replay?.end();
  }
}

/**
 * For commands about the records: closes the runtime in any case. What is wrong with the records is told last, as the
 * error when the command failed for it.
 */
export async function withRuntime(
  invocation: Invocation,
  terminal: Terminal,
  work: (runtime: Runtime) => Promise<number>,
): Promise<number> {
  const runtime = await openRuntime(invocation, terminal);
  try {
    const code = await work(runtime);
    if (code === exitCode.done) tellWarnings(runtime, terminal);
    else for (const warning of untoldWarnings(runtime)) terminal.tell(`deckhand: ${warning}`);
    return code;
  } finally {
    await runtime.close();
  }
}

/** Prints the warnings that were not printed before, and returns them. `isLeftOut`: those that do not concern what was asked for. */
export function tellWarnings(
  runtime: Runtime,
  terminal: Terminal,
  isLeftOut: (warning: string) => boolean = () => false,
): readonly string[] {
  const { columns } = terminal.errorStream;
  const warnings = untoldWarnings(runtime).filter((warning) => !isLeftOut(warning));
  for (const warning of warnings) terminal.tell(wrapLines(`deckhand: warning: ${warning}`, columns));
  return warnings;
}

/** Those that came since it was last asked: some come with what is opened late, and each is told once. */
export function untoldWarnings(runtime: Runtime): readonly string[] {
  const untold = runtime.warnings.slice(toldCounts.get(runtime) ?? 0);
  toldCounts.set(runtime, runtime.warnings.length);
  return untold;
}

const toldCounts = new WeakMap<Runtime, number>();

/** Flag > DECKHAND_WORKDIR > TOOL_WORKDIR > the current folder. */
export function chooseWorkdir(invocation: Invocation, env: Terminal["env"]): string {
  const named = invocation.value("workdir") || env["DECKHAND_WORKDIR"] || env["TOOL_WORKDIR"];
  if (named) return named;
  try {
    return process.cwd();
  } catch (cause) {
    const sentence = "The current folder does not exist any more; go to another one, or name one with --workdir.";
    throw new UsageError(sentence, { cause });
  }
}
