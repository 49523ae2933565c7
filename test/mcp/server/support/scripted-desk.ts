import { RuntimeError } from "../../../../src/core/errors.ts";
import {
  type AgentInfo,
  type DeskOutput,
  type DeskRequest,
  isFinalTask,
  type Task,
  type TaskOrder,
} from "../../../../src/core/task.ts";
import type { TaskDesk } from "../../../../src/mcp/server/mcp-task-tool.ts";
import { makeTask } from "../../../contract/make-task.ts";

/** A desk whose tasks become what the test says. */
export interface ScriptedDesk extends TaskDesk {
  readonly requests: readonly DeskRequest[];
  /** How many wait for a task now. */
  readonly waiting: number;
  readonly cancelled: readonly { readonly id: string; readonly reason: string }[];
  put(given: Partial<Task>, order?: Partial<TaskOrder>): Task;
  change(id: string, set: Partial<Task>): void;
  /** The same for its end, unless it has ended already. */
  settle(id: string, end: Partial<Task>): void;
  /** Everything fails from now on, with this sentence. */
  breakWith(sentence: string): void;
}

export function createScriptedDesk(
  answers: { readonly output?: DeskOutput; readonly agents?: readonly AgentInfo[] } = {},
): ScriptedDesk {
  const tasks = new Map<string, Task>();
  const requests: DeskRequest[] = [];
  const cancelled: { id: string; reason: string }[] = [];
  const waiting = new Set<() => void>();
  let broken: string | undefined;

  async function require(id: string): Promise<Task> {
    const task = await desk.get(id);
    if (!task) throw new RuntimeError("TASK_UNKNOWN", `There is no task "${id}", or it has expired.`);
    return task;
  }

  const desk: ScriptedDesk = {
    requests,
    cancelled,
    get waiting() {
      return waiting.size;
    },
    ttlMs: 3_600_000,
    put(given, order) {
      const task = makeTask(given, order);
      tasks.set(task.id, task);
      return task;
    },
    change(id, set) {
      tasks.set(id, { ...tasks.get(id)!, ...set });
      for (const wake of waiting) wake();
    },
    settle(id, end) {
      if (!isFinalTask(tasks.get(id)!.state)) desk.change(id, { ...end, completedAt: Date.now() });
    },
    breakWith(sentence) {
      broken = sentence;
    },
    start(request) {
      if (broken !== undefined) return Promise.reject(new RuntimeError("STORE_UNAVAILABLE", broken));
      if (request.agent === "nobody")
        return Promise.reject(new RuntimeError("TASK_INVALID", 'There is no agent "nobody".'));
      requests.push(request);
      const { door, ...order } = request;
      return Promise.resolve(desk.put({ door, state: "running", createdAt: Date.now() }, order));
    },
    get: (id) =>
      broken === undefined
        ? Promise.resolve(tasks.get(id))
        : Promise.reject(new RuntimeError("STORE_UNAVAILABLE", broken)),
    list: ({ limit, states, agent }) =>
      Promise.resolve(
        [...tasks.values()]
          .toReversed()
          .filter((task) => (states?.includes(task.state) ?? true) && (agent ?? task.order.agent) === task.order.agent)
          .slice(0, limit),
      ),
    async output(id) {
      await require(id);
      return answers.output ?? { text: "", from: 0, next: 0, totalBytes: 0, errorText: "", answer: "" };
    },
    async wait(id, timeoutMs) {
      const task = await require(id);
      if (isFinalTask(task.state)) return task;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
      clearTimeout(timer);
      return require(id);
    },
    async cancel(id, reason) {
      const task = await require(id);
      cancelled.push({ id, reason });
      if (!isFinalTask(task.state))
        desk.change(id, { state: "cancelled", error: reason, stopProof: "group", completedAt: Date.now() });
      return require(id);
    },
    agents: () => Promise.resolve(answers.agents ?? []),
  };
  return desk;
}
