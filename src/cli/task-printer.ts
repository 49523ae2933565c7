import { messageOf } from "../core/errors.ts";
import { isFinalTask, type Task } from "../core/task.ts";
import { toWire } from "../core/wire.ts";
import { cleanText } from "../runtime/untrusted-text.ts";
import { printableTask } from "../runtime/views/task-view.ts";
import { durationOfTask } from "./describe-task.ts";
import type { TasksView } from "./with-tasks.ts";

/** Shows one task as it goes on. */
export interface TaskPrinter {
  /** What is new since it was shown last. */
  show(task: Task): Promise<void>;
  end(task: Task): void;
}

const pieceBytes = 256 * 1024;

/**
 * What an agent prints that speaks to people is shown as it comes; of one that speaks in events its progress, on stderr, and in the
 * end its answer. `--raw`: the events themselves. `--json`: one document per line, whatever it prints.
 */
export async function openTaskPrinter(view: TasksView, { id, order }: Task): Promise<TaskPrinter> {
  const { invocation, terminal, tasks, runtime } = view;
  const asJson = invocation.has("json");
  const info = (await tasks.agents()).find(({ name }) => name === order.agent);
  const showsOutput = asJson || invocation.has("raw") || (info?.printsText ?? true);
  const reader = createOutputReader(view, id);
  let told = "";
  let seen = "";
  let warned = "";
  let hasPrinted = false;

  function print(text: string): void {
    hasPrinted = true;
    if (asJson) terminal.printJsonLine({ type: "task:output", id, text });
    // A terminal would obey what is in it; whatever else reads gets all of it.
    else terminal.print(terminal.width === undefined ? text : cleanText(text));
  }

  function tellProgress(task: Task): void {
    const { progress, sessionId, state } = task;
    const news = JSON.stringify([state, progress, sessionId]);
    if (news === told || isFinalTask(state)) return;
    told = news;
    if (asJson)
      terminal.printJsonLine(
        toWire({ type: "task:progressed", ...runtime.maskValue({ id, state, progress, sessionId }) }),
      );
    else if (!invocation.has("quiet") && !showsOutput && progress !== null) terminal.tell(`· ${progress}`);
  }

  /** The machine that has the output may be away. The task goes on all the same, and so does the watching. */
  async function showOutput(task: Task): Promise<void> {
    try {
      for await (const text of reader.read(task)) print(text);
    } catch (thrown) {
      const problem = `deckhand: warning: Its output can't be read: ${messageOf(thrown)}`;
      if (problem !== warned) terminal.tell(problem);
      warned = problem;
    }
  }

  return {
    async show(task) {
      tellProgress(task);
      const life = `${task.attempt} ${task.activeAt} ${task.state}`;
      // Reading costs more the more there is, so only where it showed life.
      if (showsOutput && life !== seen) await showOutput(task);
      seen = life;
      const duration = durationOfTask(task, Date.now());
      if (!isFinalTask(task.state))
        terminal.status(`${order.agent} is ${task.state}${duration && `, ${duration}`}; Ctrl-C leaves it alone`);
    },
    end(task) {
      if (asJson) terminal.printJsonLine({ type: "task:settled", task: printableTask(view.runtime, task) });
      // The record has the answer also where the output can't be read, or was removed.
      else if (!invocation.has("raw") && !hasPrinted && task.result !== null)
        print(task.result.endsWith("\n") ? task.result : `${task.result}\n`);
    },
  };
}

interface OutputReader {
  read(task: Task): AsyncGenerator<string>;
}

/** Whole lines, until it has ended: half a secret would not be known for one. */
function createOutputReader({ tasks }: TasksView, id: string): OutputReader {
  let from = 0;
  /** So many characters behind `from` were given already. */
  let given = 0;
  let attempt = 1;

  return {
    async *read(task) {
      if (task.attempt !== attempt) [from, given, attempt] = [0, 0, task.attempt];
      for (;;) {
        const { text, next, totalBytes } = await tasks.output(id, { from, limit: pieceBytes, wantsAnswer: false });
        const isLast = next >= totalBytes;
        const whole = isLast && !isFinalTask(task.state) ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
        const fresh = whole.slice(given);
        if (fresh !== "") yield fresh;
        given = whole === text ? 0 : Math.max(given, whole.length);
        if (whole === text) from = next;
        if (isLast) return;
      }
    },
  };
}
