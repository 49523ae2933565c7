import { fence } from "../../../core/text.ts";
import { UsageError } from "../../parser/command.ts";
import { hasSomething, isPiped, readAll } from "../tools/read-call-input.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What to do: the argument, stdin, or both: then stdin is what the task is about. `missing`: what is said when there is none. */
export async function readTask(argument: string | undefined, terminal: Terminal, missing: string): Promise<string> {
  const given = argument === "-" ? undefined : argument?.trim();
  const piped = argument === "-" || (await comesOnStdin(terminal, given)) ? await readAll(terminal.stdin, "stdin") : "";
  const about = piped.trimEnd();
  if (given && about) return `${given}\n\n${fence("stdin", about)}`;
  const task = given || about;
  if (task) return task;
  throw new UsageError(missing);
}

/** A pipe that nobody writes to must not hold a task that is already known. */
async function comesOnStdin({ stdin }: Terminal, given: string | undefined): Promise<boolean> {
  if (!isPiped()) return false;
  if (!given || (await hasSomething(stdin))) return true;
  stdin.destroy();
  return false;
}
