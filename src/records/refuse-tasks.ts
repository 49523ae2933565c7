import type { TaskStore } from "../core/task.ts";

/**
 * In place of a store that can't be opened: every question is answered with the reason. An agent without a record would be
 * found by nobody, and a task that is kept there must not seem unknown.
 */
export function refuseTasks(why: Error): TaskStore {
  const refuse = (): Promise<never> => Promise.reject(why);
  return {
    isDurable: true,
    add: refuse,
    get: refuse,
    list: refuse,
    count: refuse,
    update: refuse,
    takeNext: refuse,
    queuedAgents: refuse,
    requestCancel: refuse,
    prune: refuse,
    revision: refuse,
    close: () => Promise.resolve(),
  };
}
