import { type Invocation, programName } from "../../parser/command.ts";
import { describeOutcome } from "../../describe-outcome.ts";
import { exitCode, exitCodeOf } from "../../parser/exit-code.ts";
import { formatDuration } from "../../../core/time.ts";
import { chooseWorkdir, openRuntime, tellWarnings } from "../../open-runtime.ts";
import { printableExecution, toolsToWire } from "../../../runtime/views/call-view.ts";
import { runCall } from "../tools/run-call.ts";
import { neutralizeLine, neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { renderTools } from "../tools/tools-command.ts";
import { version } from "../../../config/version.ts";

/** `deckhand` alone: a conversation where there is a model and somebody to talk, else the way there. */
export async function runWelcome(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (readAgentMode(terminal) === "daemon")
    return (await import("../serve/serve-command.ts")).runServe(invocation, terminal);
  if (invocation.has("json")) return showTools(invocation, terminal);
  const workdir = chooseWorkdir(invocation, terminal.env);
  const { findModel } = await import("../../../runtime/find-model.ts");
  const found = await findModel(workdir, terminal.env);
  if (found.name !== null) {
    if (!terminal.isInteractive) return showTools(invocation, terminal);
    const { runRepl } = await import("../../repl/repl.ts");
    return runRepl({ invocation, terminal, mode: "agent" });
  }
  if (!terminal.isInteractive) {
    // In a script or in CI a demo that ends with 0 would look like success.
    const program = programName(terminal.env);
    terminal.tell(
      `deckhand: ${neutralizeText(found.advice.trimEnd())}\n\n\`${program} demo\` shows a tour without a model.`,
    );
    return exitCode.wrongUse;
  }
  terminal.show(`${titleOf(workdir, terminal.styleError)}\n\n${neutralizeText(found.advice.trimEnd())}\n`);
  const { offerDemo } = await import("../demo/offer-demo.ts");
  if (!(await offerDemo(terminal))) return exitCode.done;
  const { runDemo } = await import("../demo/demo-command.ts");
  return runDemo(invocation, terminal);
}

/** The name is not ours alone, so that another value is told, not refused. */
function readAgentMode(terminal: Terminal): "daemon" | "chat" {
  const { env } = terminal;
  const name = env["DECKHAND_AGENT_MODE"] ? "DECKHAND_AGENT_MODE" : "AGENT_MODE";
  const value = env[name] ?? "";
  if (value === "daemon") return "daemon";
  if (value !== "" && value !== "chat") {
    const mode = JSON.stringify(neutralizeLine(value.slice(0, 100)));
    terminal.tell(
      `deckhand: ${name} is ${mode}, which changes nothing: "daemon" makes this the daemon, "chat" is the usual way.`,
    );
  }
  return "chat";
}

function titleOf(workdir: string, style: Terminal["style"]): string {
  return `${style("bold", "deckhand")} ${version} in ${neutralizeLine(workdir)}`;
}

/** What is here, and one harmless call to show how it works. */
async function showTools(invocation: Invocation, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(invocation, terminal);
  tellWarnings(runtime, terminal);
  const { workdir } = runtime;
  const asJson = invocation.has("json");
  if (!asJson) {
    terminal.print(`${titleOf(workdir, terminal.style)}\n\n`);
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
      `A conversation needs a terminal; without one: ${programName(terminal.env)} run "…" does one task.\n\n`,
    );
    terminal.print(
      `Try:\n${suggestions(id, terminal.env)
        .map((line) => `  ${line}\n`)
        .join("")}`,
    );
  }
  return exitCodeOf(execution, signal);
}

function suggestions(id: string, env: Terminal["env"]): string[] {
  const program = programName(env);
  return [
    `${program} tool bash '{"command":"date"}'`,
    `${program} tools bash`,
    `${program} calls show ${id.slice(-4)}`,
    `${program} --help`,
  ];
}
