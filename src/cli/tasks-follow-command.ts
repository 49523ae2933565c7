import type { Invocation } from "./command.ts";
import { findTask } from "./find-task.ts";
import { followTask, tellUnavailable } from "./follow-task.ts";
import type { Terminal } from "./terminal.ts";
import { withTasks } from "./with-tasks.ts";

/** `deckhand tasks follow ID` */
export async function runTasksFollow(invocation: Invocation, terminal: Terminal): Promise<number> {
  return tellUnavailable(() =>
    withTasks(invocation, terminal, async (view) => followTask(view, await findTask(view, invocation.positionals[0]!))),
  );
}
