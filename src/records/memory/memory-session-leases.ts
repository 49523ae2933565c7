import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { SessionLease, SessionLeases } from "../../core/session-leases.ts";

/** For as long as the process lives: for tests, and for runtimes that want no store file. */
export function createMemorySessionLeases(): SessionLeases {
  const leases = new Map<string, SessionLease>();
  return {
    async take(lease, replaces) {
      const present = leases.get(lease.sessionId);
      if (present && !(replaces && isSame(present, replaces))) return structuredClone(present);
      leases.set(lease.sessionId, structuredClone(lease));
      return undefined;
    },
    async release(sessionId, owner) {
      const present = leases.get(sessionId);
      return present !== undefined && isSameOwner(present.owner, owner) && leases.delete(sessionId);
    },
    async list() {
      const all = structuredClone([...leases.values()]);
      return all.sort((a, b) => a.takenAt - b.takenAt || (a.sessionId < b.sessionId ? -1 : 1));
    },
  };
}

function isSame(a: SessionLease, b: SessionLease): boolean {
  return a.sessionId === b.sessionId && a.takenAt === b.takenAt && isSameOwner(a.owner, b.owner);
}

function isSameOwner(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}
