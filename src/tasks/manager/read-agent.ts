import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { clipText } from "../../core/text.ts";
import { messageOf } from "../../core/errors.ts";
import type { Task } from "../../core/task.ts";
import type { DetachedExit } from "../../process/detached/detached-folder.ts";
import type { AgentAdapter, AgentVerdict, OutputReader } from "../adapters/agent-adapter.ts";
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

/** Follows a growing file and hands out whole lines, in memory that does not grow with either. */
export interface LineTail {
  /** How much was read. */
  readonly bytes: number;
  /** Reads what is new, at most so much; false when there is more. */
  advance(maxBytes: number): Promise<boolean>;
  /** Reads the rest, at most so much, and gives the last line, which may have no end. */
  finish(maxBytes: number): Promise<void>;
  close(): Promise<void>;
}

const chunkBytes = 64 * 1024;
/** What is longer is cut, and says so: the longest answer fits, and somebody who prints no newline must not fill the memory. */
const maxLineBytes = 8 * 1024 * 1024;
const newline = 10;

/** A file that is not there is one without lines, for now. */
export function openLineTail(path: string, give: (line: string) => void): LineTail {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let file: FileHandle | undefined;
  let position = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let cutBytes = 0;

  function feed(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      hold(bytes.subarray(from, at));
      giveHeld();
      from = at + 1;
    }
    hold(bytes.subarray(from));
  }

  function hold(part: Buffer): void {
    const taken = part.subarray(0, maxLineBytes - heldBytes);
    cutBytes += part.length - taken.length;
    if (taken.length === 0) return;
    held.push(Buffer.from(taken));
    heldBytes += taken.length;
  }

  function giveHeld(): void {
    const text = Buffer.concat(held).toString("utf8");
    const note = cutBytes === 0 ? "" : `… [${cutBytes} bytes of this line cut]`;
    held = [];
    heldBytes = 0;
    cutBytes = 0;
    give((text.endsWith("\r") ? text.slice(0, -1) : text) + note);
  }

  async function readChunk(): Promise<number> {
    file ??= await openQuietly(path);
    if (!file) return 0;
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0 && position > 0 && (await file.stat()).size < position) {
      // The agent emptied it, as `> /dev/stdout` does: it goes on from the beginning.
      position = 0;
    }
    position += bytesRead;
    feed(chunk.subarray(0, bytesRead));
    return bytesRead;
  }

  async function advance(maxBytes: number): Promise<boolean> {
    for (let read = 0; read < maxBytes;) {
      const bytes = await readChunk();
      if (bytes === 0) return true;
      read += bytes;
    }
    return false;
  }

  return {
    get bytes() {
      return position;
    },
    advance,
    async finish(maxBytes) {
      await advance(maxBytes);
      if (heldBytes > 0) giveHeld();
    },
    async close() {
      await file?.close();
      file = undefined;
    },
  };
}

async function openQuietly(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch {
    return undefined;
  }
}
