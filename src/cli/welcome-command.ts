import type { Invocation } from "./command.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { exitCodeOf } from "./exit-code.ts";
import { formatDuration } from "./format-time.ts";
import { openRuntime, tellWarnings } from "./open-runtime.ts";
import { printableExecution } from "./printable-execution.ts";
import { runCall } from "./run-call.ts";
import { neutralizeLine } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";
import { renderTools, toolsToWire } from "./tools-command.ts";
import { version } from "../runtime/version.ts";

/** `deckhand` alone: what is here, and one harmless call to show how it works. */
export async function runWelcome(invocation: Invocation, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(invocation, terminal);
  tellWarnings(runtime, terminal);
  const { workdir } = runtime;
  const asJson = invocation.has("json");
  if (!asJson) {
    terminal.print(`${terminal.style("bold", "deckhand")} ${version} in ${neutralizeLine(workdir)}\n\n`);
    terminal.print(`${renderTools(runtime, terminal)}\n`);
  }
  const tools = toolsToWire(runtime);
  const { execution, signal } = await runCall(runtime, terminal, {
    tool: "list_files",
    inputText: "{}",
    showsStatus: !asJson,
  });
  if (asJson) {
    terminal.printJson({ version, workdir, tools, execution: printableExecution(execution) });
  } else {
    const { id, state, durationMs, outputBytes } = execution;
    const took = durationMs === null ? "" : ` in ${formatDuration(durationMs)}`;
    terminal.print(`One call, to show how it works: list_files here.\n`);
    terminal.print(`  ${id}  ${state}${took}, ${outputBytes} bytes of output\n\n`);
    const { error } = describeOutcome(execution);
    if (error !== undefined) terminal.tell(`deckhand: ${error}`);
    terminal.print(
      `Try:\n${suggestions(id, terminal.env)
        .map((line) => `  ${line}\n`)
        .join("")}`,
    );
  }
  return exitCodeOf(execution, signal);
}

/** Whoever typed `npm start` may have no command named deckhand. */
function suggestions(id: string, env: Terminal["env"]): string[] {
  const program = env["npm_lifecycle_event"] === "start" ? "npm start --" : "deckhand";
  return [
    `${program} tool bash '{"command":"date"}'`,
    `${program} tools bash`,
    `${program} calls show ${id.slice(-4)}`,
    `${program} --help`,
  ];
}
