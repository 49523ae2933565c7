import { randomUUID } from "node:crypto";
import type { Clock } from "../../../core/clock.ts";
import type { Task, TaskOrder } from "../../../core/task.ts";
import { listen, recordsChannel } from "../listen-postgres.ts";
import type { PostgresConnection, Row } from "../postgres-connection.ts";
import type { Dispatch } from "./dispatch.ts";
import { taskFromColumns } from "./task-columns.ts";
import type { Worker } from "./worker-registry.ts";

/** What the parts of the store share. */
export interface StoreParts {
  readonly connection: PostgresConnection;
  readonly dispatch: Dispatch;
  /** The project whose tasks these are, as it is kept: no statement reads or writes another one's. */
  readonly scope: string;
  /** Null: this process is no worker. */
  readonly worker: (Worker & { readonly workerId: string }) | null;
  readonly orders: OrderMemory;
  readonly holdings: Holdings;
  /** How long what this process orders is kept after its end; null: as long as the database says. */
  readonly keepMs: number | null;
  /** In every statement that changes a task's state: the other processes of its project look then. */
  readonly news: string;
  /** What this process wrote counts as news, too. */
  readonly tell: () => void;
}

/** The scope of tasks that an older Deckhand left, until their project opens the database. */
export const unassignedScope = "unassigned";

/** What this process owns, as far as it was told. */
export interface Holdings {
  readonly ids: Set<string>;
  /** The end of what is being taken, by agent. */
  readonly taking: Map<string, Promise<void>>;
  /** The connection broke while it took one: it may own a task that it does not know of. */
  isUnsure: boolean;
}

/** `order`: what is known already, where the row comes without its body. */
export function toTask({ connection, orders }: StoreParts, row: Row, order?: TaskOrder): Task {
  const task = taskFromColumns(row, connection.name, order);
  if (!order) orders.keep(task.id, task.order);
  return task;
}

type Topic = "schedule" | "inbox";

/** Tells other processes what this one writes, and counts what they write. */
export interface Telling {
  /** To stand in the statement that writes: told when that is committed. */
  sql(topic: Topic): string;
  /** What this process wrote counts, too, and at once. */
  here(topic: Topic): void;
  revision(topic: Topic): number;
  close(): Promise<void>;
}

/** So often whoever looks sees a change that nobody told of: notifications do not get through everywhere. */
const pollMs = 1000;

export function openTelling(connection: PostgresConnection, clock: Clock): Telling {
  const self = randomUUID();
  const counts: Record<Topic, number> = { schedule: 0, inbox: 0 };
  let polledAt = clock.monotonic();
  const listening = listen(connection, clock, { name: recordsChannel, onNews });

  function onNews(payload: string | undefined): void {
    const [topic, sender] = payload?.split(" ") ?? [];
    if (sender === self) return;
    // Nobody knows what was told while nobody listened.
    if (topic !== "inbox") counts.schedule += 1;
    if (topic !== "schedule") counts.inbox += 1;
  }

  return {
    sql: (topic) => `pg_notify('${recordsChannel}', '${topic} ${self}')`,
    here: (topic) => void (counts[topic] += 1),
    revision(topic) {
      if (!listening.isHearing && clock.monotonic() - polledAt >= pollMs) {
        polledAt = clock.monotonic();
        onNews(undefined);
      }
      return counts[topic];
    },
    close: () => listening.close(),
  };
}

/** Orders never change and may have megabytes: those of tasks that are looked at again and again are not fetched each time. */
interface OrderMemory {
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
