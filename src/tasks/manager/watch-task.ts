import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { Task, TaskChange } from "../../core/task.ts";
import type { DetachedState } from "../../process/detached/detached.ts";
import { secretsFile } from "../adapters/agent-adapter.ts";
import { cancelled, concludeTask, type StopCause } from "./conclude-task.ts";
import { readAgent, type AgentReading } from "./read-agent.ts";
import { countPrinted, cutPrinted, hasPrinted, runFolderOf } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";
import { maskOrder } from "./task-request.ts";

/** One running task that this process watches. */
export interface TaskWatch {
  /** Takes note of what is new, and brings the task to its end when that has come. Rejects when the store can't be reached. */
  look(): Promise<WatchState>;
  cancel(reason: string): void;
  /** Resolves when something of it is being stopped that lives, which may take the grace. */
  readonly isStopping: Promise<void>;
  /** The agent's answer as far as it has come. */
  answer(): string;
  /** Gives the task away to whoever comes next. */
  leave(): Promise<void>;
}

/**
 * - `busy`: there is more to read at once
 * - `queued`: it had not begun, and waits for its turn again
 * - `over`: it has ended, or belongs to somebody else by now
 */
export type WatchState = "running" | "busy" | "queued" | "over";

/** So much output is read before others have their turn. */
export const bytesPerLook = 8 * 1024 * 1024;
/** How often a line of progress is written down. */
const writeMs = 1000;
/** So long a shim that has begun may take to write down who it is. */
const beginMs = 5000;
/** How often a task is started that never began, or that may be started again. */
const mostAttempts = 3;

export function watchTask(options: TaskManagerOptions, given: Task): TaskWatch {
  const { clock, detached, store, owner, limits, mask } = options;
  let task = given;
  const folder = runFolderOf(task);
  const reading = readAgent(options.adapters, task);
  const openedAt = clock.monotonic();
  const overdueAt = openedAt + task.order.timeoutMs - (clock.now() - (task.startedAt ?? clock.now()));
  let seenBytes = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let unwritten = false;
  let doneAt: number | undefined;
  let cause: StopCause = null;
  let ending: Promise<TaskChange["set"]> | undefined;
  let looking: Promise<WatchState> | undefined;
  let isOver = false;
  const { promise: isStopping, resolve: noteStopping } = Promise.withResolvers<void>();

  /** Undefined: it is somebody else's by now, and nothing was changed. */
  async function change(set: TaskChange["set"]): Promise<Task | undefined> {
    const isEnd = set.completedAt !== undefined && set.completedAt !== null;
    const order = isEnd ? { order: maskOrder(task.order, mask) } : {};
    const changed = await store.update(task.id, { from: ["running"], owner, set, ...order });
    if (changed) task = changed;
    return changed;
  }

  async function look(): Promise<WatchState> {
    if (isOver) return "over";
    if (ending) return settle();
    // Before it is read: what was printed last is there when the end is.
    const now = detached.look(folder);
    const isAll = await reading.advance(bytesPerLook);
    noteNews();
    const isVanished = hasVanished(now.state);
    if (now.state === "unstarted" && !isVanished) return waitForBeginning();
    const isRunning = now.state === "running" || (isVanished && options.isAlive(task.process!));
    // What an ended one left is read in turns as well: it may be a gigabyte.
    if (!isRunning && isAll) return settle();
    if (isRunning) cause ??= await findCause();
    if (cause) return settle();
    await writeNews();
    return isOver ? "over" : isAll ? "running" : "busy";
  }

  /** It had begun, and somebody removed its folder, or moved it away with the workdir: nothing tells how it goes on. */
  function hasVanished(state: DetachedState["state"]): boolean {
    return state === "unstarted" && task.process !== null && !existsSync(folder);
  }

  async function findCause(): Promise<StopCause> {
    if (task.cancelReason !== null) return "cancelled";
    if (doneAt !== undefined && clock.monotonic() - doneAt > limits.lingerMs) return "done";
    if (clock.monotonic() > overdueAt) return "timeout";
    return (await countPrinted(folder)) > limits.maxOutputBytes ? "output" : null;
  }

  function noteNews(): void {
    doneAt = reading.isDone ? (doneAt ?? clock.monotonic()) : undefined;
    if (reading.bytes === seenBytes) return;
    seenBytes = reading.bytes;
    unwritten = true;
  }

  async function writeNews(): Promise<void> {
    const { progress } = reading;
    const sessionId = reading.sessionId ?? task.sessionId;
    const isDue = clock.monotonic() - writtenAt >= writeMs;
    if (!(unwritten && isDue) && sessionId === task.sessionId) return;
    const news = { activeAt: clock.now(), progress: progress === null ? null : mask(progress), sessionId };
    isOver = (await change(news)) === undefined;
    if (isOver) return reading.close();
    unwritten = false;
    writtenAt = clock.monotonic();
    options.emit("task:progressed", { id: task.id, progress: news.progress, sessionId });
  }

  async function waitForBeginning(): Promise<WatchState> {
    if (task.process && options.isAlive(task.process)) return "running";
    const isForbidden = detached.forbid(folder);
    if (!isForbidden && clock.monotonic() - openedAt < beginMs) return "running";
    await detached.stop(folder, 0);
    // It may have got over the last step just before it was stopped.
    const now = detached.look(folder);
    return now.state === "unstarted" ? startAgain("The agent's process could not be started.") : settle();
  }

  async function startAgain(error: string): Promise<WatchState> {
    // Who was killed before it could start the process has not tried yet.
    const isSpent = task.process !== null && task.attempt >= mostAttempts;
    if (task.cancelReason !== null || isSpent) {
      ending = Promise.resolve(task.cancelReason === null ? { state: "failed", error } : cancelled(task));
      return settle();
    }
    const set = { state: "queued", owner: null, process: null, startedAt: null, attempt: task.attempt + 1 } as const;
    const changed = await change(set);
    isOver = true;
    await reading.close();
    return changed ? "queued" : "over";
  }

  /** Ends what is left of it, once, and writes down what it came to, as often as that takes. */
  async function settle(): Promise<WatchState> {
    const end = { reading, cause, onStopping: noteStopping };
    const set = await (ending ??= endRun(options, task, end).catch(forgetEnding));
    if (set.state === "lost" && task.order.isIdempotent && task.attempt < mostAttempts) return startAgain("");
    // Before the row has its end: a failure here is tried again, and the event follows the row at once.
    await maskInput(folder, mask);
    const settled = await change({ ...set, completedAt: clock.now() });
    isOver = true;
    if (settled) options.emit("task:settled", settledEvent(settled));
    await reading.close();
    return "over";
  }

  /** Its files could not be read: it is tried again at the next look. */
  function forgetEnding(thrown: unknown): never {
    ending = undefined;
    throw thrown;
  }

  return {
    look() {
      // One at a time: whoever asks meanwhile gets the same answer.
      looking ??= look().finally(() => void (looking = undefined));
      return looking;
    },
    cancel(reason) {
      task = { ...task, cancelReason: task.cancelReason ?? reason };
    },
    isStopping,
    answer: () => reading.answer(),
    async leave() {
      await looking?.catch(() => {});
      if (isOver) return;
      isOver = true;
      await reading.close();
      await change({ owner: null });
    },
  };
}

/** What the agent was given on its stdin, which it has read: kept as everything else is. */
async function maskInput(folder: string, mask: (text: string) => string): Promise<void> {
  const path = join(folder, "stdin");
  try {
    // One that never came to read it left it there.
    await rm(join(folder, secretsFile), { force: true });
    const given = await readFile(path, "utf8");
    const masked = mask(given);
    if (masked !== given) await writeFile(path, masked, { mode: 0o600 });
  } catch (thrown) {
    // It got its message as an argument, or its folder is gone.
    if (codeOf(thrown) !== "ENOENT" && codeOf(thrown) !== "ENOTDIR") throw thrown;
  }
}

interface RunEnd {
  readonly reading: AgentReading;
  readonly cause: StopCause;
  readonly onStopping?: () => void;
}

/** Ends what is left of a run, and says what the task came to. */
export async function endRun(
  { detached, limits, mask, clock }: TaskManagerOptions,
  task: Task,
  { reading, cause, onStopping }: RunEnd,
): Promise<TaskChange["set"]> {
  const folder = runFolderOf(task);
  const stop = await detached.stop(folder, limits.graceMs, onStopping);
  const now = detached.look(folder);
  const exit = now.state === "ended" ? now.exit : null;
  const verdict = await reading.conclude(exit);
  const hasOutput = await hasPrinted(folder);
  const { isDone } = reading;
  // After it was read: what is cut before that would be read once more from its beginning.
  const cutBytes = cause === "output" ? await cutPrinted(folder, limits.maxOutputBytes) : 0;
  const end = { task, cause, exit, verdict, isDone, hasOutput, stop, maxOutputBytes: limits.maxOutputBytes, cutBytes };
  const { state, result, error } = concludeTask(end);
  return {
    state,
    result: result === null ? null : mask(result),
    error: error === null ? null : mask(error),
    stopProof: stop.proof,
    sessionId: reading.sessionId ?? task.sessionId,
    progress: reading.progress === null ? null : mask(reading.progress),
    activeAt: reading.bytes > 0 ? (task.activeAt ?? clock.now()) : null,
    process: now.process && { ...now.process, sessionPid: now.process.pid },
  };
}

export function settledEvent({ id, order, state, error }: Task) {
  return { id, agent: order.agent, state: state as Exclude<Task["state"], "queued" | "running">, error };
}
