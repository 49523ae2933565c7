import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Opens a store without changing anything. Throws what SQLite throws. */
export function openToLook(path: string): DatabaseSync {
  // Where there is no log, whoever only may read would leave an empty one behind; whoever could write takes it along again.
  const isAtRest = !existsSync(`${path}-wal`);
  try {
    return connect(path, !isAtRest);
  } catch (first) {
    try {
      // On a read-only disk there is no place for the index of the log; the file itself can be read without.
      return connect(
        new URL(`file:${encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")}?immutable=1`),
        true,
      );
    } catch {
      throw first;
    }
  }
}

function connect(location: string | URL, readOnly: boolean): DatabaseSync {
  const database = new DatabaseSync(location, { readOnly, timeout: 500 });
  try {
    database.enableDefensive(true);
    database.exec("PRAGMA trusted_schema = OFF");
    database.exec("PRAGMA query_only = ON");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}
