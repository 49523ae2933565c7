import type { ProcessIdentity } from "../../core/process.ts";
import type { SessionLease, SessionLeases } from "../../core/session.ts";
import { fromWire } from "../../core/wire.ts";
import type { Row } from "./sqlite-connection.ts";
import type { Database } from "./database.ts";

/** Over a database that other stores share. */
export function createSqliteSessionLeases(database: Database): SessionLeases {
  return {
    take: (lease, replaces) =>
      database.write((connection) => {
        if (replaces) connection.run(`${remove} AND taken_at = ?`, ...keyOf(replaces), replaces.takenAt);
        const taken = connection.run(insert, ...keyOf(lease), lease.takenAt);
        return taken > 0 ? undefined : leaseFromRow(connection.get(`${select} WHERE session_id = ?`, lease.sessionId)!);
      }),
    async release(sessionId, owner) {
      return (await database.write((connection) => connection.run(remove, ...keyOf({ sessionId, owner })))) > 0;
    },
    list: () =>
      database.read((connection) => connection.all(`${select} ORDER BY taken_at, session_id`).map(leaseFromRow)),
  };
}

const insert = `
  INSERT INTO session_leases (session_id, owner, taken_at) VALUES (?, ?, ?) ON CONFLICT (session_id) DO NOTHING`;
const remove = "DELETE FROM session_leases WHERE session_id = ? AND owner = ?";
const select = "SELECT session_id, owner, taken_at FROM session_leases";

function keyOf({ sessionId, owner }: Pick<SessionLease, "sessionId" | "owner">): [string, string] {
  // Spelt out: rows are compared by this text.
  const { pid, startTime, bootId } = owner;
  return [sessionId, JSON.stringify({ pid, start_time: startTime, boot_id: bootId })];
}

function leaseFromRow(row: Row): SessionLease {
  return {
    sessionId: String(row["session_id"]),
    owner: fromWire(JSON.parse(String(row["owner"]))) as ProcessIdentity,
    takenAt: Number(row["taken_at"]),
  };
}
