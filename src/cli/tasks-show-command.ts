import { messageOf } from "../core/errors.ts";
import { isFinalTask, type Task } from "../core/task.ts";
import { toWire } from "../core/wire.ts";
import { printableTask } from "../runtime/views/task-view.ts";
import type { Invocation } from "./command.ts";
import { describeTask } from "./describe-task.ts";
import { exitCode } from "./exit-code.ts";
import { findTask } from "./find-task.ts";
import { neutralizeText } from "./terminal-text.ts";
import type { Terminal } from "./terminal.ts";
import { withTasks, type TasksView } from "./with-tasks.ts";

/** `deckhand tasks show ID` */
export async function runTasksShow(invocation: Invocation, terminal: Terminal): Promise<number> {
  return withTasks(invocation, terminal, async (view) => {
    const task = await findTask(view, invocation.positionals[0]!);
    const { answer, errorText, totalBytes } = await readOutput(view, task);
    if (invocation.has("json")) {
      terminal.printJson({ ...printableTask(view.runtime, task), output: toWire({ totalBytes, answer, errorText }) });
      return exitCode.done;
    }
    const texts = [describeTask(view.runtime.maskValue(task), Date.now())];
    if (answer.trim() !== "") texts.push(isFinalTask(task.state) ? answer : `So far:\n${answer}`);
    const errors = task.state === "completed" ? "" : errorText.trim();
    if (errors !== "") texts.push(`The end of what it printed as errors:\n${errors}`);
    terminal.print(neutralizeText(`${texts.map((text) => text.trimEnd()).join("\n\n")}\n`));
    return exitCode.done;
  });
}

type Output = Pick<Awaited<ReturnType<TasksView["tasks"]["output"]>>, "answer" | "errorText" | "totalBytes">;

/** The machine that has it may not answer; the record is shown all the same, and the answer in it. */
async function readOutput({ tasks, terminal, runtime }: TasksView, { id, result }: Task): Promise<Output> {
  try {
    return await tasks.output(id, { from: -1, limit: 1 });
  } catch (thrown) {
    terminal.tell(`deckhand: warning: Its output can't be read: ${messageOf(thrown)}`);
    return { answer: runtime.maskValue(result ?? ""), errorText: "", totalBytes: 0 };
  }
}
