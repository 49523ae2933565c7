import { scopeOf } from "../config/folders.ts";
import type { InboxStore } from "../core/approval.ts";
import type { Clock } from "../core/clock.ts";
import type { TaskStore } from "../core/task.ts";
import type { Records, RecordsDeps } from "../runtime/open-records.ts";
import type { SharedRecords } from "./postgres/open-shared-records.ts";

export interface SharingOptions extends Pick<RecordsDeps, "processes" | "configuration" | "folders"> {
  /** `postgres://…` */
  readonly address: string;
  readonly clock: Clock;
}

/** These records, with jobs, runs and the inbox in a database that several machines share. That is opened when it is needed. */
export function shareRecords(records: Records, options: SharingOptions): Records {
  const { address, clock, processes, configuration, folders } = options;
  let opening: Promise<SharedRecords> | undefined;
  let opened: SharedRecords | undefined;

  async function open(): Promise<SharedRecords> {
    const { openSharedRecords } = await import("./postgres/open-shared-records.ts");
    const { identity } = processes;
    const isAliveHere = processes.isAlive.bind(processes);
    const scope = scopeOf(configuration, folders);
    opened = await openSharedRecords({ address, clock, identity, isAliveHere, scope });
    return opened;
  }

  /** Undone when it fails, so that the next one tries again. */
  function share(): Promise<SharedRecords> {
    opening ??= open().catch((thrown: unknown) => {
      opening = undefined;
      throw thrown;
    });
    return opening;
  }

  const inbox: InboxStore = {
    shared: { isAlive: async (owner) => (await share()).inbox.shared!.isAlive(owner) },
    add: async (entry) => (await share()).inbox.add(entry),
    get: async (id) => (await share()).inbox.get(id),
    list: async (query) => (await share()).inbox.list(query),
    settle: async (id, settlement, at) => (await share()).inbox.settle(id, settlement, at),
    countPrunable: async (settledBefore) => (await share()).inbox.countPrunable(settledBefore),
    prune: async (settledBefore) => (await share()).inbox.prune(settledBefore),
    revision: () => opened?.inbox.revision() ?? 0,
  };

  return {
    ...records,
    inbox,
    openSchedule: async () => (await share()).schedule,
    async close() {
      try {
        await (await opening?.catch(() => undefined))?.close();
      } finally {
        await records.close();
      }
    },
  };
}

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
