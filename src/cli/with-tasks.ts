import type { Task } from "../core/task.ts";
import { toWire } from "../core/wire.ts";
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
  return withRuntime(invocation, terminal, async (runtime) =>
    work({ invocation, terminal, runtime, tasks: await runtime.tasks() }),
  );
}

/** As it leaves the program: without secrets, in snake_case. */
export function printableTask({ runtime }: Pick<TasksView, "runtime">, task: Task): object {
  const { id, state, order, ...rest } = task;
  return toWire(runtime.maskValue({ id, state, order, ...rest })) as object;
}
