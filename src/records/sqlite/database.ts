import { resolve } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { RuntimeError } from "../../core/errors.ts";
import { connect, type Connection, retryBusy } from "./sqlite-connection.ts";
import { watchFile } from "./database-file.ts";
import { isBusy, toStoreError } from "../store-error.ts";
import { runTransaction } from "./transaction.ts";

/**
 * One database file, shared by all stores of a process. SQLite is synchronous here, so what `read` and `write` are given
 * must be short, and nothing is done with the connection outside of them.
 */
export interface Database {
  readonly path: string;
  /** What was lost before it was opened, in a sentence; null when nothing was. */
  readonly loss: string | null;
  /** Waits, without stalling the event loop, while another process is in the way. */
  read<Result>(work: (connection: Connection) => Result): Promise<Result>;
  /** The same at once. Writers are in nobody's way; throws STORE_BUSY when something else is. */
  readNow<Result>(work: (connection: Connection) => Result): Result;
  /** One transaction. Writes happen in the order of the calls; STORE_BUSY when others write for seconds on end. */
  write<Result>(work: (connection: Connection) => Result): Promise<Result>;
  /** The same at once if nobody is in the way. False: nothing was done, and `write` is the way. */
  writeNow(work: (connection: Connection) => void): boolean;
  /** The same for work that changes something by one statement at most: that is a transaction by itself, and cheaper. */
  runNow(work: (connection: Connection) => void): boolean;
  /** Writes without changing anything; rejects like any write when that is not possible now. */
  probe(): Promise<void>;
  /** Changes when another connection has written. When it can't be read it differs each time, so that somebody looks. */
  dataVersion(): number;
  /** Waits for the writes that are under way. */
  close(): Promise<void>;
}

export async function openDatabase(options: { readonly path: string; readonly clock: Clock }): Promise<Database> {
  const { clock } = options;
  const path = resolve(options.path);
  const connection = await connect(path, clock);
  const assertSameFile = watchFile(path, clock);
  /** Settles with the last write that had to wait. Later ones line up behind it, so that none overtakes another. */
  let lastInLine: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let unreadable = 0;

  function assertOpen(): void {
    if (closing) throw new RuntimeError("STORE_CLOSED", `The store ${path} is closed: open it again to use it.`);
  }

  function transact<Result>(work: (connection: Connection) => Result): Result {
    assertSameFile();
    return runTransaction(connection, "BEGIN IMMEDIATE", () => work(connection));
  }

  function attemptNow(attempt: () => void): boolean {
    assertOpen();
    if (lastInLine) return false;
    try {
      attempt();
      return true;
    } catch (thrown) {
      if (isBusy(thrown)) return false;
      throw toStoreError(thrown, path);
    }
  }

  async function patiently<Result>(attempt: () => Result, since: number): Promise<Result> {
    try {
      return await retryBusy(clock, attempt, since);
    } catch (thrown) {
      throw toStoreError(thrown, path);
    }
  }

  async function lineUp<Result>(attempt: () => Result): Promise<Result> {
    const since = clock.monotonic();
    const before = lastInLine;
    const { promise, resolve: leave } = Promise.withResolvers<void>();
    lastInLine = promise;
    try {
      if (before) {
        await before;
        // Each attempt may wait for the lock: many in a row would be one long stall.
        await new Promise(setImmediate);
      }
      return await patiently(attempt, since);
    } finally {
      if (lastInLine === promise) lastInLine = undefined;
      leave();
    }
  }

  return {
    path,
    loss: describeLoss(path, connection.recreated),
    async read(work) {
      assertOpen();
      return patiently(() => {
        if (!connection.isOpen) assertOpen();
        return work(connection);
      }, clock.monotonic());
    },
    readNow(work) {
      assertOpen();
      try {
        return work(connection);
      } catch (thrown) {
        throw toStoreError(thrown, path);
      }
    },
    async write(work) {
      assertOpen();
      return lineUp(() => transact(work));
    },
    writeNow: (work) => attemptNow(() => transact(work)),
    runNow: (work) =>
      attemptNow(() => {
        assertSameFile();
        work(connection);
      }),
    async probe() {
      assertOpen();
      await lineUp(() =>
        transact((each) => {
          const version = Number(each.get("PRAGMA user_version")?.["user_version"]);
          each.exec(`PRAGMA user_version = ${version}`);
        }),
      );
    },
    dataVersion() {
      assertOpen();
      try {
        return Number(connection.get("PRAGMA data_version")?.["data_version"]);
      } catch {
        return -++unreadable;
      }
    },
    close() {
      closing ??= (lastInLine ?? Promise.resolve()).then(() => connection.close());
      return closing;
    },
  };
}

function describeLoss(path: string, tables: readonly string[]): string | null {
  if (tables.length === 0) return null;
  const [were, held] = tables.length === 1 ? ["table was", "it"] : ["tables were", "they"];
  return `In the store ${path} the ${were} missing: ${tables.join(", ")}. What ${held} held is lost; created again, empty.`;
}
