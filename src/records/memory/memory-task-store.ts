import type { ProcessIdentity } from "../../core/process.ts";
import { isFinalTask, type Task, type TaskQuery, type TaskStore } from "../../core/task.ts";

/** Tasks for as long as the process lives. Whoever uses it says so to the person: what ran is forgotten with a restart. */
export function createMemoryTaskStore(): TaskStore {
  const tasks = new Map<string, Task>();
  let changes = 0;

  function put(task: Task): Task {
    tasks.set(task.id, task);
    changes += 1;
    return structuredClone(task);
  }

  const select = (query: Omit<TaskQuery, "limit">): Task[] => [...tasks.values()].filter((task) => fits(task, query));

  return {
    isDurable: false,
    async add(task) {
      const key = task.order.idempotencyKey;
      const kept = key === null ? undefined : [...tasks.values()].find(({ order }) => order.idempotencyKey === key);
      return kept ? structuredClone(kept) : put(structuredClone(task));
    },
    async get(id) {
      return structuredClone(tasks.get(id));
    },
    async list(query) {
      const newest = select(query).sort((a, b) => (a.id < b.id ? 1 : -1));
      return structuredClone(newest.slice(0, query.limit));
    },
    async count(query) {
      return select(query).length;
    },
    async update(id, { from, owner, set, order }) {
      const task = tasks.get(id);
      if (!task || isFinalTask(task.state) || !from.includes(task.state)) return undefined;
      if (owner !== undefined && !isSame(task.owner, owner)) return undefined;
      return put({ ...task, ...structuredClone(set), ...(order && { order: structuredClone(order) }) });
    },
    async takeNext(agent, { limit, owner, now }) {
      const ofAgent = [...tasks.values()].filter(({ order }) => order.agent === agent);
      if (ofAgent.filter(({ state }) => state === "running").length >= limit) return undefined;
      const [next] = ofAgent.filter(({ state }) => state === "queued").sort((a, b) => (a.id < b.id ? -1 : 1));
      return next && put({ ...next, state: "running", owner: { ...owner }, startedAt: now });
    },
    async queuedAgents() {
      return [...new Set(select({ states: ["queued"] }).map(({ order }) => order.agent))];
    },
    async requestCancel(id, reason) {
      const task = tasks.get(id);
      if (!task || isFinalTask(task.state)) return false;
      put({ ...task, cancelReason: task.cancelReason ?? reason });
      return true;
    },
    async prune(completedBefore) {
      const old = [...tasks.values()].filter(
        ({ completedAt }) => completedAt !== null && completedAt < completedBefore,
      );
      for (const { id } of old) tasks.delete(id);
      return old;
    },
    revision: () => changes,
    async close() {},
  };
}

function fits(task: Task, { states, agent, beforeId }: Omit<TaskQuery, "limit">): boolean {
  return (
    (states?.includes(task.state) ?? true) &&
    (agent === undefined || task.order.agent === agent) &&
    (beforeId === undefined || task.id < beforeId)
  );
}

function isSame(a: ProcessIdentity | null, b: ProcessIdentity | null): boolean {
  return a?.pid === b?.pid && a?.startTime === b?.startTime && a?.bootId === b?.bootId;
}
