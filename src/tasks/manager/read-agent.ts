import { join } from "node:path";
import { clipText } from "../../core/cut-text.ts";
import { messageOf } from "../../core/errors.ts";
import type { Task } from "../../core/task.ts";
import type { DetachedExit } from "../../process/detached/detached-folder.ts";
import type { AgentAdapter, AgentVerdict, OutputReader } from "../adapters/agent-adapter.ts";
import { openLineTail } from "./line-tail.ts";
import { readFilePart, runFolderOf } from "./task-folder.ts";

/** What is known of one run of an agent from what it printed; read from the beginning, also after a restart. */
export interface AgentReading {
  readonly bytes: number;
  readonly sessionId: string | null;
  /** One line. */
  readonly progress: string | null;
  readonly isDone: boolean;
  /** Reads what is new; false when there is more. */
  advance(maxBytes: number): Promise<boolean>;
  /** Reads what little is left and asks the adapter what it makes of it all. */
  conclude(exit: DetachedExit | null): Promise<AgentVerdict>;
  answer(): string;
  close(): Promise<void>;
}

const errorTextBytes = 8 * 1024;
const longestProgress = 200;
/** Who was stopped may have been in the middle of a flood, which nobody waits for. */
const restBytes = 8 * 1024 * 1024;

export function readAgent(adapters: ReadonlyMap<string, AgentAdapter>, task: Task): AgentReading {
  const folder = runFolderOf(task);
  const reader = adapters.get(task.order.agent)?.openReader() ?? unknownReader;
  let sessionId: string | null = null;
  let progress: string | null = null;
  let isDone = false;

  const tail = openLineTail(join(folder, "stdout"), (line) => {
    const news = attempt(() => reader.line(line), undefined);
    sessionId = news?.sessionId ?? sessionId;
    progress = news?.progress ?? progress;
    isDone = news?.isDone ?? isDone;
  });

  return {
    get bytes() {
      return tail.bytes;
    },
    get sessionId() {
      return sessionId;
    },
    get progress() {
      // Only when somebody asks: there may be millions of lines.
      return progress === null ? null : clipText(progress.replaceAll(/\s+/g, " ").trim(), longestProgress);
    },
    get isDone() {
      return isDone;
    },
    advance: (maxBytes) => tail.advance(maxBytes),
    async conclude(exit) {
      await tail.finish(restBytes);
      const errorText = await readErrorText(folder);
      const end = { code: exit?.exitCode ?? null, signal: exit?.killedBy ?? null, errorText };
      try {
        return reader.end(end);
      } catch (thrown) {
        return { ok: false, error: `Can't read the agent's output: ${messageOf(thrown)}` };
      }
    },
    answer: () => attempt(() => reader.partial(), ""),
    close: () => tail.close(),
  };
}

const unknownReader: OutputReader = {
  line: () => undefined,
  end: () => ({ ok: false, error: "The agent is no longer in the settings, so its output could not be read." }),
  partial: () => "",
};

/** The end of what it printed as errors. */
export async function readErrorText(folder: string): Promise<string> {
  const { bytes } = await readFilePart(join(folder, "stderr"), -errorTextBytes, errorTextBytes);
  return bytes.toString("utf8");
}

/** A reader that breaks its promise not to throw must not hold up the task. */
function attempt<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
