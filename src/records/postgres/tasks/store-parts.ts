import type { Task, TaskOrder } from "../../../core/task.ts";
import type { Dispatch } from "./dispatch.ts";
import type { OrderMemory } from "./order-memory.ts";
import type { PostgresConnection, Row } from "../postgres-connection.ts";
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
