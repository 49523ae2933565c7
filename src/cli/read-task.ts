import { fence } from "../core/fence.ts";
import { UsageError, type Invocation } from "./command.ts";
import { hasSomething, isPiped, readAll } from "./read-call-input.ts";
import type { Terminal } from "./terminal.ts";

/** What to do: the argument, stdin, or both: then stdin is what the task is about. */
export async function readTask(invocation: Invocation, terminal: Terminal): Promise<string> {
  const [argument] = invocation.positionals;
  const given = argument === "-" ? undefined : argument?.trim();
  const piped = argument === "-" || (await comesOnStdin(terminal, given)) ? await readAll(terminal.stdin, "stdin") : "";
  const about = piped.trimEnd();
  if (given && about) return `${given}\n\n${fence("stdin", about)}`;
  const task = given || about;
  if (task) return task;
  throw new UsageError('Say what to do: deckhand run "run the tests", or pipe the task into stdin.');
}

/** A pipe that nobody writes to must not hold a task that is already known. */
async function comesOnStdin({ stdin }: Terminal, given: string | undefined): Promise<boolean> {
  if (!isPiped()) return false;
  if (!given || (await hasSomething(stdin))) return true;
  stdin.destroy();
  return false;
}
