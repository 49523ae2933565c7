import type { Runtime } from "../runtime/create-runtime.ts";
import type { Tasks } from "../runtime/tasks.ts";
import type { Invocation } from "./command.ts";
import { withRuntime } from "./open-runtime.ts";
import type { Terminal } from "./terminal.ts";

/** What a command about background tasks works with. */
export interface TasksView {
  readonly invocation: Invocation;
  readonly terminal: Terminal;
  readonly runtime: Runtime;
  readonly tasks: Tasks;
}

/** Opens them, which also starts what waits and has room, and closes them, which leaves what runs alone. */
export function withTasks(
  invocation: Invocation,
  terminal: Terminal,
  work: (view: TasksView) => Promise<number>,
): Promise<number> {
  return withRuntime(invocation, terminal, async (runtime) => {
    // A store that can't be written now is tried again; whoever waits for it is to know.
    runtime.on("ledger:failed", ({ error }) => terminal.tell(`deckhand: warning: ${error}`));
    return work({ invocation, terminal, runtime, tasks: await runtime.tasks() });
  });
}
