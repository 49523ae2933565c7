import type { Task } from "../../core/task.ts";
import type { TaskManagerOptions } from "./task-parts.ts";

/** Starts what waits, as soon as its agent has room: the oldest first, whoever has ordered it. */
export interface TaskQueue {
  /** Resolves when as many of this agent run as may, or none waits. Rejects when the store can't be reached. */
  fill(agent: string): Promise<void>;
  fillAll(): Promise<void>;
}

export function createTaskQueue(
  { store, clock, owner, limits, adapters }: TaskManagerOptions,
  launch: (task: Task) => Promise<void>,
): TaskQueue {
  const filling = new Map<string, Promise<void>>();
  const again = new Set<string>();

  async function fillNow(agent: string): Promise<void> {
    const limit = limits.perAgent[agent] ?? limits.usualPerAgent;
    do {
      again.delete(agent);
      for (;;) {
        const task = await store.takeNext(agent, { limit, owner, now: clock.now() });
        if (!task) break;
        await launch(task);
      }
    } while (again.has(agent));
  }

  function fill(agent: string): Promise<void> {
    const underWay = filling.get(agent);
    if (underWay) {
      // It may have seen the queue empty just before this task came.
      again.add(agent);
      return underWay;
    }
    const promise = fillNow(agent).finally(() => {
      filling.delete(agent);
      again.delete(agent);
    });
    filling.set(agent, promise);
    return promise;
  }

  return {
    fill,
    async fillAll() {
      for (const agent of new Set([...adapters.keys(), ...filling.keys()])) await fill(agent);
    },
  };
}
