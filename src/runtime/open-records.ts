import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../core/errors.ts";
import type { ExecutionStore, JournalHeads, RolloutStore } from "../core/stores.ts";
import type { InboxStore } from "../core/approval.ts";
import type { Ledger } from "../core/call-observer.ts";
import type { ScheduleStore } from "../core/job.ts";
import type { SessionLeases } from "../core/session.ts";
import type { TaskStore } from "../core/task.ts";
import { openJournal, type Journal } from "../records/audit-log/open-log.ts";
import type { Processes } from "../process/processes.ts";
import { openDatabase } from "../records/sqlite/database.ts";
import { createMemoryInbox, createMemorySessionLeases } from "../records/memory/memory-stores.ts";
import { createMemoryRolloutStore } from "../records/memory/memory-rollout-store.ts";
import { createMemoryScheduleStore } from "../records/memory/memory-schedule-store.ts";
import { createMemoryTaskStore } from "../records/memory/memory-task-store.ts";
import { createMemoryStore } from "../records/memory/memory-call-store.ts";
import { createSqliteInbox } from "../records/sqlite/sqlite-approvals.ts";
import { createSqliteJournalHeads } from "../records/sqlite/sqlite-log-heads.ts";
import { createSqliteRolloutStore } from "../records/sqlite/sqlite-rollout-store.ts";
import { createSqliteScheduleStore } from "../records/sqlite/sqlite-schedule-store.ts";
import { createSqliteSessionLeases } from "../records/sqlite/sqlite-session-leases.ts";
import { createSqliteTaskStore } from "../records/sqlite/sqlite-task-store.ts";
import { createSqliteStore } from "../records/sqlite/sqlite-call-store.ts";
import { toStoreError } from "../records/store-error.ts";
import type { WriteFailure } from "../records/write-behind.ts";
import { claimDataFolder } from "../records/claim-data-folder.ts";
import { createLedger } from "../records/ledger.ts";
import { refuseTasks, shareRecords } from "../records/share-records.ts";
import type { RuntimeConfig } from "./runtime.ts";
import type { Workspace } from "./workspace.ts";

export interface Records {
  readonly store: ExecutionStore;
  readonly inbox: InboxStore;
  readonly leases: SessionLeases;
  readonly rollouts: RolloutStore;
  readonly tasks: TaskStore;
  /**
   * Jobs and runs; always the same store. Rejects when it is a shared one that can't be used. Where it is `shared`, a scheduler
   * takes its clock and who is alive from there.
   */
  readonly openSchedule: () => Promise<ScheduleStore>;
  /** Null where nothing is kept on disk. */
  readonly journal: Journal | null;
  readonly ledger: Ledger;
  /** What is wrong with the store or the log: it can't be used, or has lost something; null when all is well. */
  readonly problem: string | null;
  /** Why what the store keeps can't be read; null when it can. What is unknown must not seem to be none. */
  readonly unreadable: Error | null;
  /** Why nothing could be recorded now, found by writing; null when it can be, or when nothing is to be kept on disk. */
  findWriteProblem(): Promise<string | null>;
  close(): Promise<void>;
}

export interface RecordsDeps extends Pick<Workspace, "configuration" | "folders" | "clock" | "maskText" | "emit"> {
  /** `onlyLooks`: nothing is written; what is known of rollouts is read. */
  readonly config: Pick<RuntimeConfig, "onlyLooks">;
  readonly processes: Pick<Processes, "identity" | "isAlive">;
}

/**
 * The store, the journal and the ledger over both. When the store can't be opened, calls that are safe to repeat still run,
 * kept in memory only; any other is refused, and so are background tasks, because an effect without a record is what this
 * runtime promises not to have.
 */
export async function openRecords(deps: RecordsDeps): Promise<Records> {
  const records = await openOwn(deps);
  const { url } = deps.configuration.store;
  return url === null || deps.config.onlyLooks ? records : shareRecords(records, { ...deps, address: url });
}

/** Of this machine alone. */
async function openOwn(deps: RecordsDeps): Promise<Records> {
  const { config, configuration, folders, clock } = deps;
  if (config.onlyLooks) {
    const { lookAtRollouts } = await import("../records/look-at-rollouts.ts");
    return { ...inMemory(deps, null), rollouts: await lookAtRollouts(folders.database) };
  }
  if (configuration.store.kind === "memory") return inMemory(deps, null);
  try {
    claimDataFolder(folders);
    const database = await openDatabase({ path: folders.database, clock });
    const store = createSqliteStore(database);
    return withJournal(deps, {
      store,
      inbox: createSqliteInbox(database),
      leases: createSqliteSessionLeases(database),
      rollouts: createSqliteRolloutStore(database),
      tasks: createSqliteTaskStore(database),
      openSchedule: lazily(() => createSqliteScheduleStore(database)),
      heads: createSqliteJournalHeads(database),
      loss: database.loss,
      probe: () => database.probe(),
    });
  } catch (thrown) {
    return inMemory(deps, new Error(messageOf(toStoreError(thrown, folders.database)), { cause: thrown }));
  }
}

function withJournal(
  deps: RecordsDeps,
  stores: Pick<Records, "store" | "inbox" | "leases" | "rollouts" | "tasks" | "openSchedule"> & {
    readonly heads: JournalHeads;
    readonly loss: string | null;
    readonly probe: () => Promise<void>;
  },
): Records {
  const { configuration, folders, clock, maskText: mask } = deps;
  const onFailed = reportFailures(deps);
  const { heads, loss, probe, ...kept } = stores;
  const { store } = kept;
  const journal = openJournal({ folder: folders.logs, clock, heads, settings: configuration.log, mask, onFailed });
  const ledger = createLedger({ store, journal, clock, onFailed, problem: null });
  return {
    ...kept,
    journal,
    ledger,
    problem: [loss, journal.problem].filter((each) => each !== null).join(" ") || null,
    unreadable: null,
    async findWriteProblem() {
      try {
        await probe();
        probeFolder(folders.data);
        return journal.problem;
      } catch (thrown) {
        return messageOf(toStoreError(thrown, folders.database));
      }
    },
    async close() {
      try {
        await ledger.flush();
      } finally {
        await journal.close();
        await store.close();
      }
    },
  };
}

function inMemory(deps: RecordsDeps, why: Error | null): Records {
  const { clock } = deps;
  const store = createMemoryStore();
  const ledger = createLedger({ store, journal: null, clock, onFailed: reportFailures(deps), problem: why });
  return {
    store,
    inbox: why ? refuseReading(createMemoryInbox(), why) : createMemoryInbox(),
    leases: createMemorySessionLeases(),
    rollouts: createMemoryRolloutStore(),
    tasks: why ? refuseTasks(why) : createMemoryTaskStore(),
    openSchedule: why ? () => Promise.reject(why) : lazily(createMemoryScheduleStore),
    journal: null,
    ledger,
    problem: why && why.message,
    unreadable: why,
    findWriteProblem: async () => why && why.message,
    async close() {
      await ledger.flush();
      await store.close();
    },
  };
}

/** Room for the lines and rows of some calls: what is left of a block that is there already says little. */
const probeBytes = 64 * 1024;

function probeFolder(folder: string): void {
  const path = join(folder, `probe-${process.pid}`);
  try {
    writeFileSync(path, Buffer.alloc(probeBytes), { mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}

/** What this process asks itself can be answered; what the store has is unknown. */
function refuseReading(inbox: InboxStore, why: Error): InboxStore {
  const refuse = (): Promise<never> => Promise.reject(why);
  return {
    ...inbox,
    get: async (id) => (await inbox.get(id)) ?? refuse(),
    list: refuse,
    countPrunable: refuse,
    prune: refuse,
  };
}

function reportFailures({ emit }: RecordsDeps): (failure: WriteFailure) => void {
  return (failure) => emit("ledger:failed", failure);
}

function lazily<Result>(open: () => Result): () => Promise<Result> {
  let opened: Result | undefined;
  return async () => (opened ??= open());
}
