import type { Task } from "../../core/task.ts";
import { readAgent, type AgentReading } from "./read-agent.ts";
import { runFolderOf } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";

/** The answers so far of tasks that this process does not watch, found in what they printed. */
export interface AnswerReadings {
  /** Reads what came since it was asked for last, and nothing twice: whoever polls would read all of it each time. */
  read(task: Task, totalBytes: number): Promise<string>;
}

interface Kept {
  readonly reading: AgentReading;
  /** One after the other: a reading has one place in the file. */
  readonly last: Promise<string>;
}

/** Each holds an answer, so few are kept; who asks for more at once has them read anew. */
const mostKept = 8;
/** More is not read only to find the answer in it. */
const mostBytes = 64 * 1024 * 1024;

export function createAnswerReadings({ adapters }: Pick<TaskManagerOptions, "adapters">): AnswerReadings {
  const kept = new Map<string, Kept>();

  async function goOn(reading: AgentReading): Promise<string> {
    try {
      await reading.advance(mostBytes);
    } finally {
      // It knows its place, and opens the file again.
      await reading.close();
    }
    return reading.answer();
  }

  return {
    read(task, totalBytes) {
      const folder = runFolderOf(task);
      const known = kept.get(folder);
      if (totalBytes === 0 || (!known && totalBytes > mostBytes)) return Promise.resolve("");
      const { reading, last } = known ?? { reading: readAgent(adapters, task), last: Promise.resolve("") };
      const next = last.catch(() => "").then(() => goOn(reading));
      // Put behind all others: the first one is the one nobody asked for the longest.
      kept.delete(folder);
      kept.set(folder, { reading, last: next });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
      return next;
    },
  };
}
