import { fstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../core/clock.ts";
import type { RuntimeEvent } from "../../../core/events.ts";
import type { Execution } from "../../../core/call.ts";
import { toWire } from "../../../core/wire.ts";
import { cleanText } from "../../../guard/terminal-text/clean-text.ts";
import { type Invocation, readSeconds } from "../../parser/command.ts";
import { describeOutcome } from "../../describe-outcome.ts";
import { exitCodeOf } from "../../parser/exit-code.ts";
import { formatDuration } from "../../../core/time.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";
import { tellToolFiles } from "../../../tool-files/describe-tool-files.ts";
import { describeProblem } from "../../../tool-files/tool-file-status.ts";
import { offerTrust } from "../agent/offer-trust.ts";
import { openRuntime, tellWarnings } from "../../open-runtime.ts";
import { personConfig } from "../agent/agent-flags.ts";
import { printableExecution } from "../../../runtime/views/call-view.ts";
import { readCallInput } from "./read-call-input.ts";
import { runCall } from "./run-call.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `deckhand tool NAME [JSON]` */
export async function runTool(invocation: Invocation, terminal: Terminal): Promise<number> {
  const mode = invocation.has("events") ? "events" : invocation.has("json") ? "json" : "output";
  const quiet = invocation.has("quiet");
  const timeoutMs = readSeconds(invocation, "timeout");
  const idleMs = readSeconds(invocation, "idle");
  const inputText = await readCallInput(invocation, terminal);

  const config = personConfig(invocation, terminal);
  // From the beginning on: what the call waits for may happen before there is a call.
  const onEvent = (event: RuntimeEvent): void => printEvent(event, terminal);
  const runtime = await openRuntime(invocation, terminal, mode === "events" ? { ...config, onEvent } : config);
  const name = invocation.positionals[0]!;
  const files = runtime.customTools();
  if (mode === "output" && !runtime.tools.resolve(name) && hasWaitingFiles(files)) {
    await offerTrust(runtime.workdir, terminal);
  }
  const end = await runCall(runtime, terminal, {
    tool: name,
    inputText,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    showsStatus: mode !== "events" && !quiet,
  });

  // A call that was not run for want of a record says so itself.
  if (end.execution.errorType !== "store") tellWarnings(runtime, terminal, isAboutOther(files, end.execution));
  if (mode === "json") terminal.printJson(printableExecution(end.execution));
  else if (mode === "events") terminal.printJsonLine(printableExecution(end.execution));
  else {
    printOutput(end.execution, terminal);
    tellOutcome(end.execution, terminal, { quiet, askedMs: timeoutMs ?? 0 });
  }
  if (!quiet) tellEndedBackground(end.execution, terminal);
  if (!quiet && end.unheld !== null && mode === "output" && isFirstNoteToday(runtime.stateFolder))
    terminal.tell(`deckhand: note: ${end.unheld} See deckhand doctor.`);
  return exitCodeOf(end.execution, end.signal);
}

type ToolFiles = ReturnType<Runtime["customTools"]>;

function hasWaitingFiles({ files }: ToolFiles): boolean {
  return files.some(({ state }) => state === "untrusted" || state === "quarantined");
}

/** Warnings about other tool files: they have nothing to do with this call. An unknown tool says itself what is wrong with its file. */
function isAboutOther(status: ToolFiles, { toolId }: Execution): (warning: string) => boolean {
  const own = status.files.find(({ tool }) => tool !== null && tool === toolId);
  const others = new Set(tellToolFiles(status));
  if (own) others.delete(describeProblem(own) ?? "");
  return (warning) => others.has(warning);
}

function printOutput({ result }: Execution, terminal: Terminal): void {
  const output = result?.output ?? "";
  // Programs get the output as it is; only a terminal gets it without control sequences.
  const shown = terminal.width === undefined ? output : cleanText(output);
  terminal.print(shown);
  // So that a prompt, a sentence or the next command's output does not stick to it. A file is kept byte for byte.
  if (shown !== "" && !shown.endsWith("\n") && !isFile(1)) terminal.print("\n");
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

function tellOutcome(
  execution: Execution,
  terminal: Terminal,
  { quiet, askedMs }: { readonly quiet: boolean; readonly askedMs: number },
): void {
  const { error, remarks } = describeOutcome(execution);
  if (error !== undefined) terminal.tell(`deckhand: ${error}`);
  if (quiet) return;
  for (const remark of remarks) terminal.tell(remark);
  const { permission } = execution;
  if (permission?.decision === "deny" && permission.by === "rule" && permission.dangers.length > 0) {
    const names = permission.dangers.map((name) => `--yes-danger ${name}`).join(" ");
    terminal.tell(`To run it without a terminal to ask on, say so by name: ${names}`);
  }
  const { timeoutMs } = execution;
  if (timeoutMs !== null && timeoutMs < askedMs) {
    terminal.tell(`The time limit was cut to ${formatDuration(timeoutMs)}, the most that the configuration allows.`);
  }
}

/** The tool promised that it runs as long as this program, and that is over. */
function tellEndedBackground({ state, toolId, toolInput }: Execution, terminal: Terminal): void {
  const { background, keep_running: keeps } = Object(toolInput) as Record<string, unknown>;
  if (state !== "completed" || toolId !== "bash" || background !== true || keeps === true) return;
  terminal.tell('The background process ended with this command; "keep_running": true in the input lets it go on.');
}

/** The note about the missing sandbox is printed once per folder and day. A state folder that can't be written forgets it. */
function isFirstNoteToday(stateFolder: string): boolean {
  const path = join(stateFolder, "sandbox-note");
  const today = new Date(systemClock.now()).toISOString().slice(0, 10);
  try {
    if (readFileSync(path, "utf8") === today) return false;
  } catch {
    // There was no note in this folder before.
  }
  try {
    writeFileSync(path, today, { mode: 0o600 });
  } catch {
    // Then the next call prints the note again.
  }
  return true;
}

/** Output is left out while the reader is behind, so that it can't fill the memory; every other event is kept. */
function printEvent(event: RuntimeEvent, terminal: Terminal): void {
  if (event.type === "execution:progressed" && terminal.isBehind()) return;
  terminal.printJsonLine(toWire(event));
}
