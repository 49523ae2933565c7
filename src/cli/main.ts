import { codeOf, messageOf } from "../core/errors.ts";
import { RefusedError, UnavailableError, UsageError } from "./parser/command.ts";
import { areas, loadAllCommands, loadCommands, tableCommands } from "./commands.ts";
import { exitCode } from "./parser/exit-code.ts";
import { findFirstWord, parseCommandLine } from "./parser/parse-command-line.ts";
import { openTerminal, type Program, type Terminal } from "./terminal/terminal.ts";

/** How long open handles may keep a command alive that is done. */
const lingerMs = 1000;

/** Runs the command line as this process, and resolves to the exit code. Never rejects and never prints a stack trace unasked. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = openTerminal(process);
  const onUncaught = (thrown: unknown): void => {
    terminal.status(null);
    // Whatever this was, nothing here knows what state it left; the next start ends what is left of running calls.
    process.exit(complain(terminal, thrown));
  };
  process.on("uncaughtException", onUncaught);
  // Node would open its debugger to every program on this machine, those that run as tools included.
  process.on("SIGUSR1", () => undefined);
  const code = await runCommandLine(argv, terminal);
  process.off("uncaughtException", onUncaught);
  // A tool that ignored its signal may keep timers or sockets; nobody waits for those.
  setTimeout(() => process.exit(code), lingerMs).unref();
  return code;
}

/** The same within a process that stays. */
export function runWithin(program: Program, argv: readonly string[]): Promise<number> {
  return runCommandLine(argv, openTerminal(program));
}

async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code: number;
  try {
    code = await run(argv, terminal);
  } catch (thrown) {
    code = complain(terminal, thrown);
  }
  const problem = await terminal.flush();
  if (problem === undefined) return code;
  terminal.tell(`deckhand: ${problem}.`);
  return code === exitCode.done ? exitCode.failed : code;
}

async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const commands = await loadCommands(findFirstWord(argv, tableCommands));
  const request = parseCommandLine(argv, commands);
  if (request.kind === "run") {
    const { command, invocation } = request;
    const runCommand = "run" in command ? command.run : await command.load();
    return runCommand(invocation, terminal);
  }
  if (request.kind === "help") {
    const { renderHelp } = await import("./parser/render-help.ts");
    const { topic } = request;
    terminal.print(renderHelp(topic, topic === "" ? await loadAllCommands() : commands, areas[topic]?.summary));
  } else {
    const { version } = await import("../config/version.ts");
    terminal.print(`${version}\n`);
  }
  return exitCode.done;
}

/** One sentence about what was thrown; says with which code to end. */
function complain(terminal: Terminal, thrown: unknown): number {
  terminal.tell(`deckhand: ${messageOf(thrown)}`);
  if (terminal.env["DECKHAND_DEBUG"] === "1" && thrown instanceof Error) terminal.tell(thrown.stack ?? "");
  if (thrown instanceof RefusedError) return exitCode.refused;
  if (thrown instanceof UnavailableError) return exitCode.unavailable;
  return thrown instanceof UsageError || wrongUseCodes.has(codeOf(thrown) ?? "") ? exitCode.wrongUse : exitCode.failed;
}

const wrongUseCodes = new Set([
  "CONFIG_INVALID",
  "JOB_INVALID",
  "JOB_UNKNOWN",
  "WORKDIR_INVALID",
  "MODEL_INVALID",
  "PROMPT_EMPTY",
  "SESSION_UNKNOWN",
  "TASK_INVALID",
  "VERSION_UNKNOWN",
]);
