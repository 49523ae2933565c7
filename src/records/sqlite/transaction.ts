/** What a transaction needs of a connection. */
export interface Transactor {
  readonly isTransaction: boolean;
  exec(sql: string): void;
}

/** All of the work or none of it. The work is synchronous, so that no other work of this process gets in between. */
export function runTransaction<Result>(
  connection: Transactor,
  begin: "BEGIN" | "BEGIN IMMEDIATE",
  work: () => Result,
): Result {
  connection.exec(begin);
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (thrown) {
    // Some failures (a full disk) have rolled it back already.
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw thrown;
  }
}
