import { join } from "node:path";
import { messageOf, RuntimeError } from "../../core/errors.ts";
import { createId } from "../../core/ids.ts";
import {
  isFinalTask,
  type Task,
  type TaskDoor,
  type TaskOrder,
  type TaskQuery,
  type TaskRun,
} from "../../core/task.ts";
import { nearest } from "../../core/text.ts";
import { type AgentAdapter, refuse } from "../adapters/agent-adapter.ts";
import { oneLine } from "../adapters/describe-end.ts";
import { createAnswerReadings } from "./answer-readings.ts";
import { cancelled } from "./conclude-task.ts";
import { createForgottenAgents, dropExpired, expireTasks, sweepFolders } from "./expire-tasks.ts";
import { checkLaunch, launchTask } from "./launch-task.ts";
import { readAgent } from "./read-agent.ts";
import { openTasksFolder, runFolderOf } from "./task-folder.ts";
import { readTaskOutput, type OutputRange, type TaskOutput } from "./task-output.ts";
import { lookMs, type TaskManagerOptions } from "./task-parts.ts";
import { createTaskQueue } from "./task-queue.ts";
import { checkSameOrder, invalid, maskOrder, readTaskRequest, type TaskRequest } from "./task-request.ts";
import { createTaskWatches } from "./task-watches.ts";
import { bytesPerLook, endRun, settledEvent } from "./watch-task.ts";

/**
 * Background agents: each one a row in the store, a folder with its output, and a process that needs nobody to go on. Any number
 * of managers may share a store and a folder; each task is watched by one of them, and by another one when that dies.
 */
export interface TaskManager {
  /** Resolves as soon as the order is kept; it is started when its agent has room. Rejects with TASK_INVALID and one sentence. */
  start(request: TaskRequest): Promise<Task>;
  /** Undefined when there is no such task, or its time is over. */
  get(id: string): Promise<Task | undefined>;
  /** Newest first. */
  list(query: TaskQuery): Promise<Task[]>;
  /** How many there are, without reading them. */
  count(query: Omit<TaskQuery, "limit" | "beforeId">): Promise<number>;
  /** What it has printed so far. Rejects with TASK_UNKNOWN, as the next four do. */
  output(id: string, range: OutputRange): Promise<TaskOutput>;
  /** Resolves when the task has ended, or the time is over. */
  wait(id: string, timeoutMs: number): Promise<Task>;
  /** Resolves when it has ended and nothing of it is left, or when that takes too long; whoever watches it goes on trying. */
  cancel(id: string, reason: string): Promise<Task>;
  /** A new task in the session of one that has ended. */
  resume(id: string, message: string, door: TaskDoor): Promise<Task>;
  /** Takes over what nobody watches any more: true results, live processes, lost ones. To be called first of all. */
  adopt(): Promise<void>;
  /** Reports what became of a run of this machine whose task was called lost. */
  amendLost(run: TaskRun): Promise<void>;
  /** Forgets tasks that ended long ago. Also done by itself, every minute. */
  expire(): Promise<void>;
  /** Lets go of what runs: it goes on, for the next manager to adopt. A store that forgets has no next one, so there it is ended. */
  close(): Promise<void>;
}

/** How long `cancel` waits on top of the grace. */
const cancelMs = 20_000;

export function createTaskManager(given: TaskManagerOptions): TaskManager {
  const options = { ...given, folder: openTasksFolder(given.folder) };
  const { store, clock, adapters, emit } = options;
  const runsHere = store.shared?.runsHere ?? true;
  const watches = createTaskWatches(options, { onRoom: fill, onTurn });
  const queue = createTaskQueue(options, launch);
  const findForgotten = createForgottenAgents(options);
  const readings = createAnswerReadings(options);
  const underWay = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  async function onTurn(changed: boolean): Promise<void> {
    if (changed) await queue.fillAll();
    // Each of them fails, and says that there is no such agent.
    for (const agent of await findForgotten()) await queue.fill(agent);
  }

  /** Not waited for by whoever ordered it, but by `close`. */
  function fill(agent: string): void {
    if (closing) return;
    const promise = queue
      .fill(agent)
      .catch(options.onError)
      .finally(() => void underWay.delete(promise));
    underWay.add(promise);
  }

  async function launch(task: Task): Promise<void> {
    try {
      if (task.cancelReason !== null) return await settle(task, cancelled(task));
      const adapter = findAdapter(task.order.agent, adapters);
      const launched = await launchTask(options, adapter, task);
      if (!launched) return;
      const { process, gone } = launched;
      const set = { process: { ...process, sessionPid: process.pid } };
      const started = await store.update(task.id, { from: ["running"], owner: options.owner, set });
      if (!started) return;
      emit("task:started", { id: task.id, agent: task.order.agent, attempt: task.attempt });
      watches.add(started, gone);
    } catch (thrown) {
      await failLaunch(task, thrown);
    }
  }

  async function failLaunch(task: Task, thrown: unknown): Promise<void> {
    try {
      if (isStoreError(thrown)) throw thrown;
      await settle(task, { state: "failed", error: options.mask(messageOf(thrown)) });
    } catch (unreachable) {
      // The row can't be changed now. Whether it runs already, its folder tells whoever watches it.
      watches.add(task);
      throw unreachable;
    }
  }

  /** Does nothing when the task is somebody else's by now. */
  async function settle(task: Task, end: Pick<Task, "state" | "error">): Promise<void> {
    const set = { ...end, completedAt: clock.now() };
    const order = maskOrder(task.order, options.mask);
    const settled = await store.update(task.id, { from: ["running"], owner: options.owner, set, order });
    if (settled) emit("task:settled", settledEvent(settled));
    if (settled) watches.tell();
  }

  async function find(id: string): Promise<Task | undefined> {
    const task = await store.get(id);
    return task && (await dropExpired(options, [task]))[0];
  }

  async function require(id: string): Promise<Task> {
    const task = await find(id);
    if (!task) throw new RuntimeError("TASK_UNKNOWN", `No task with id ${JSON.stringify(id)}; it may have expired.`);
    return task;
  }

  async function start(request: TaskRequest): Promise<Task> {
    if (closing) throw new RuntimeError("RUNTIME_CLOSED", "The runtime is closed, so no task can be started.");
    const order = readTaskRequest(request, options);
    await checkAgent(options, order);
    const task = newTask(order, request.door);
    let kept = await store.add(task);
    if ((await dropExpired(options, [kept])).length === 0) {
      await expireTasks(options);
      kept = await store.add(task);
    }
    if (kept.id === task.id) emit("task:created", { id: task.id, agent: order.agent, door: request.door });
    else checkSameOrder(kept, order, { door: request.door, mask: options.mask });
    fill(order.agent);
    return kept;
  }

  function newTask(order: Task["order"], door: TaskDoor): Task {
    const now = clock.now();
    const id = createId("task", now);
    return { ...emptyTask, id, order, door, createdAt: now, folder: join(options.folder, id) };
  }

  /** With what those wait for that nobody can take now. */
  async function tellWaits(tasks: Task[]): Promise<Task[]> {
    const waits = await store.shared?.explainWaits(tasks);
    return waits ? tasks.map((task) => ({ ...task, progress: waits.get(task.id) ?? task.progress })) : tasks;
  }

  async function wait(id: string, timeoutMs: number): Promise<Task> {
    const until = clock.monotonic() + timeoutMs;
    for (;;) {
      const task = await require(id);
      const restMs = until - clock.monotonic();
      if (isFinalTask(task.state)) await watches.reported(id);
      if (isFinalTask(task.state) || !(restMs > 0)) return task;
      await watches.news(Math.min(lookMs, restMs));
    }
  }

  return {
    start,
    async get(id) {
      const task = await find(id);
      return task && (await tellWaits([task]))[0];
    },
    wait,
    async list(query) {
      return tellWaits(await dropExpired(options, await store.list(query)));
    },
    count: (query) => store.count(query),
    async output(id, range) {
      const answer = watches.answer(id);
      const task = await require(id);
      const elsewhere = await store.shared?.readElsewhere(id, range);
      if (elsewhere !== undefined) return elsewhere as TaskOutput;
      const findAnswer = (totalBytes: number) => answer ?? readings.read(task, totalBytes);
      return readTaskOutput(options, task, { ...range, findAnswer });
    },
    async cancel(id, given) {
      const task = await require(id);
      // It becomes part of the error, which is one sentence, whatever a client sends.
      const reason = oneLine(given, "start");
      if (isFinalTask(task.state)) return task;
      const set = { ...cancelled({ cancelReason: reason }), cancelReason: reason, completedAt: clock.now() };
      const order = maskOrder(task.order, options.mask);
      const waiting = await store.update(id, { from: ["queued"], set, order });
      if (waiting) {
        emit("task:settled", settledEvent(waiting));
        watches.tell();
        return waiting;
      }
      if (await store.requestCancel(id, reason)) await watches.cancel(id);
      return wait(id, options.limits.graceMs + cancelMs);
    },
    async resume(id, message, door) {
      const { order, state, sessionId } = await require(id);
      if (!isFinalTask(state)) throw invalid(`${id} is still ${state}. Wait until it has ended, or cancel it first.`);
      const adapter = runsHere ? findAdapter(order.agent, adapters) : adapters.get(order.agent);
      if (adapter?.canResume === false) throw invalid(`"${order.agent}" can't resume sessions.`);
      if (sessionId === null) throw invalid(`${id} has no session to resume: it ended before it had one.`);
      return start({ ...order, message, resume: sessionId, idempotencyKey: null, door });
    },
    async adopt() {
      await watches.adopt();
      await sweepFolders(options);
      await queue.fillAll();
    },
    amendLost: (run) => amendLost(options, run),
    expire: () => expireTasks(options),
    close: () => (closing ??= end()),
  };

  async function end(): Promise<void> {
    await Promise.all(underWay);
    await watches.close();
  }
}

const emptyTask = {
  state: "queued",
  startedAt: null,
  completedAt: null,
  activeAt: null,
  result: null,
  error: null,
  sessionId: null,
  progress: null,
  process: null,
  owner: null,
  stopProof: null,
  cancelReason: null,
  attempt: 1,
} as const;

function isStoreError(thrown: unknown): boolean {
  return thrown instanceof RuntimeError && thrown.code.startsWith("STORE_");
}

/** Throws TASK_INVALID when there is no such agent, or it can't be started with this order. */
async function checkAgent(options: TaskManagerOptions, order: TaskOrder): Promise<void> {
  const { adapters, store } = options;
  const elsewhere = await listElsewhere(options, order.agent);
  // Only that worker's settings know it, and so only it can say what it makes of the order.
  if (elsewhere.includes(order.agent)) return;
  checkLaunch(options, findAdapter(order.agent, adapters, elsewhere), order);
  const lack = await store.shared?.explainLack(order.agent);
  if (lack !== undefined) throw invalid(lack);
}

/** The agents of workers, asked for only when this machine's settings do not know this one. */
async function listElsewhere({ adapters, store }: TaskManagerOptions, agent: string): Promise<readonly string[]> {
  if (store.shared?.runsHere !== false || adapters.has(agent)) return [];
  return (await store.shared.listAgents()).names;
}

/** Throws TASK_INVALID that names the nearest and all there are; `elsewhere`: on other machines. */
export function findAdapter(
  name: string,
  adapters: ReadonlyMap<string, AgentAdapter>,
  elsewhere: readonly string[] = [],
): AgentAdapter {
  const found = adapters.get(name);
  if (found) return found;
  const names = [...new Set([...adapters.keys(), ...elsewhere])];
  const [meant] = nearest(name, names, 1);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  refuse(`Unknown agent ${JSON.stringify(name.slice(0, 80))}.${hint} Available: ${names.join(", ")}.`);
}

/**
 * A task was called lost while this machine was away, and here is what became of its run: its true end where it left one. One that
 * still runs is stopped, since whoever ordered it was told that it is lost; what it had answered before counts.
 */
async function amendLost(options: TaskManagerOptions, { id, attempt }: TaskRun): Promise<void> {
  const { store, detached, adapters, clock, limits } = options;
  const lost = await store.get(id);
  if (lost?.state !== "lost" || lost.attempt !== attempt) return;
  const folder = runFolderOf(lost);
  const { state } = detached.look(folder);
  if (state !== "ended" && state !== "running") return;
  // Before it is read: one that goes on printing would never be read to its end.
  if (state === "running") await detached.stop(folder, limits.graceMs);
  const reading = readAgent(adapters, lost);
  try {
    // All of it: conclude reads only what little is left.
    while (!(await reading.advance(bytesPerLook)));
    const end = await endRun(options, lost, { reading, cause: null });
    const wasStopped = state === "running" && !reading.isDone && lost.cancelReason === null;
    const set = { ...end, ...(wasStopped ? stoppedLate : {}), completedAt: clock.now(), isLate: true };
    const amended = await store.shared!.amendLost({ id, attempt }, set);
    if (amended) options.emit("task:settled", settledEvent(amended));
  } finally {
    await reading.close();
  }
}

const stoppedLate: Pick<Task, "state" | "result" | "error"> = {
  state: "lost",
  result: null,
  error:
    "Lost: its machine was away for too long. The agent was still running when the machine came back, and was stopped then. Its output is kept. If it has a session, you can resume it.",
};
