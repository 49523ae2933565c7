import type { TaskOrder } from "../../../core/task.ts";

/** Orders never change and may have megabytes: those of tasks that are looked at again and again are not fetched each time. */
export interface OrderMemory {
  get(id: string): TaskOrder | undefined;
  keep(id: string, order: TaskOrder): void;
}

const mostCharacters = 32 * 1024 * 1024;
const mostOrders = 1000;

export function createOrderMemory(): OrderMemory {
  const orders = new Map<string, TaskOrder>();
  let characters = 0;

  function forget(id: string): void {
    const order = orders.get(id);
    if (order) characters -= order.message.length;
    orders.delete(id);
  }

  return {
    get(id) {
      const order = orders.get(id);
      if (!order) return undefined;
      orders.delete(id);
      orders.set(id, order);
      return order;
    },
    keep(id, order) {
      forget(id);
      orders.set(id, order);
      characters += order.message.length;
      for (const oldest of orders.keys()) {
        if (orders.size <= mostOrders && characters <= mostCharacters) break;
        forget(oldest);
      }
    },
  };
}
